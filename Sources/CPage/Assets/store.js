// The data of the list that is shown.

import { idText, kind } from "./data.js";

/** @typedef {import("./data.js").Resource} Resource @typedef {Record<string, any>} Row */

/** The rows by id, in their order. @type {Map<string, Row>} */
export let rows = new Map();
/** The number of records that match. */
export let total = 0;
/** The parameters that the server ignored. @type {string[]} */
export let ignored = [];
/** The kinds of values by member name, including the members of objects. @type {Map<string, string>} */
let kinds = new Map();

/** The text of a record's id; empty when it has none. */
export const idOf = (row, idName) => (kind(row) === "object" ? idText(row[idName]) : "");

/** Whether a row's key is an id. The key of a row without its own begins with half a character. */
export const isId = (key) => !/^$|\p{Cs}/u.test(key);

export const ids = () => [...rows.keys()].filter(isId);

/** Clears everything for another list. */
export function begin() {
  [rows, total, ignored, kinds] = [new Map(), 0, [], new Map()];
}

/** @param {Resource} resource @param {any[]} read @param {Headers} headers */
export function take({ idName }, read, headers) {
  rows = new Map();
  read.forEach((row, index) => {
    const id = idOf(row, idName);
    rows.set(isId(id) && !rows.has(id) ? id : `\ud800${index}`, kind(row) === "object" ? row : { [idName]: row });
  });
  total = Number(headers.get("X-Total-Count"));
  ignored = (headers.get("X-Ignored-Parameters") ?? "").split(",").map((name) => name.trim()).filter(Boolean);
  for (const row of rows.values()) note(row, "");
}

function note(row, prefix) {
  for (const [name, value] of Object.entries(row)) {
    const path = prefix + name;
    if (value !== null || !kinds.has(path)) kinds.set(path, kind(value));
    if (kind(value) === "object" && !prefix) note(value, `${path}.`);
  }
}

/** The paths of all members in the rows so far. */
export const paths = () => [...kinds.keys()];

/** The kind of a member's values; "null" when it has none so far. */
export const kindOf = (name) => kinds.get(name) ?? "null";

const emptyValues = { string: "", number: 0, boolean: false, array: [], object: {} };

/** A new record with the members of the others, without references. @param {Resource} resource */
export const draft = ({ idName, parents }) => Object.fromEntries([...new Set([...rows.values()].flatMap(Object.keys))]
  .filter((name) => name !== idName).map((name) => [name, parents[name] ? null : emptyValues[kindOf(name)] ?? null]));
