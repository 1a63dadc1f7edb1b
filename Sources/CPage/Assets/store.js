// What was read of the list that is shown.

import { compact, kind } from "./data.js";

/** @typedef {import("./data.js").Resource} Resource @typedef {Record<string, any>} Row */

/** The rows by id, in their order. @type {Map<string, Row>} */
export let rows = new Map();
/** How many records match. */
export let total = 0;
/** The parameters that the server made nothing of. @type {string[]} */
export let ignored = [];
/** What the values of a member are, by its name; of one that holds objects, those of their members, too. @type {Map<string, string>} */
let kinds = new Map();

/** Forgets everything: another list is shown. */
export function begin() {
  [rows, total, ignored, kinds] = [new Map(), 0, [], new Map()];
}

/** @param {Resource} resource @param {Row[]} read @param {Headers} headers */
export function take({ idName }, read, headers) {
  rows = new Map(read.map((row) => [compact(row?.[idName] ?? ""), row]));
  total = Number(headers.get("X-Total-Count"));
  ignored = (headers.get("X-Ignored-Parameters") ?? "").split(",").map((name) => name.trim()).filter(Boolean);
  for (const row of read) note(row, "");
}

function note(row, prefix) {
  for (const [name, value] of Object.entries(row ?? {})) {
    const path = prefix + name;
    if (value !== null || !kinds.has(path)) kinds.set(path, kind(value));
    if (kind(value) === "object" && !prefix) note(value, `${path}.`);
  }
}

/** The paths of all members that were seen. */
export const paths = () => [...kinds.keys()];

/** The kind of a member's values; "null" when none was seen. */
export const kindOf = (name) => kinds.get(name) ?? "null";

const emptyValues = { string: "", number: 0, boolean: false, array: [], object: {} };

/** A new record with the members that the others have; it refers to none. @param {Resource} resource */
export const draft = ({ idName, parents }) => Object.fromEntries([...new Set([...rows.values()].flatMap(Object.keys))]
  .filter((name) => name !== idName).map((name) => [name, parents[name] ? null : emptyValues[kindOf(name)] ?? null]));
