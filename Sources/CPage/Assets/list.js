// The list that is shown: its resource and query, its rows, and the records that the user selected.

import { remember, remembered } from "./browser.js";
import { hiddenMembers, idText, kind, tryParse, viewOf } from "./data.js";

/** @typedef {import("./data.js").Resource} Resource @typedef {Record<string, any>} Row */

/** @type {Resource | undefined} */
export let resource;
/** The query after # in the address. */
export let query = new URLSearchParams();
/** The id of the record that is open beside the list. @type {string | null} */
export let openID = null;
/** The rows by id, in their order. @type {Map<string, Row>} */
export let rows = new Map();
/** The number of records that match. */
export let total = 0;
/** The parameters that the server ignored. @type {string[]} */
export let ignored = [];
/** The ids of the selected records. Another list has another selection. @type {Set<string>} */
export let chosen = new Set();

/** The kinds of values by member name, including the members of objects; an emptied collection keeps them. @type {Map<string, string>} */
let kinds = new Map();
/** The same for each resource that was shown. @type {Map<string, Map<string, string>>} */
const known = new Map();

// MARK: The address

/** @param {Resource} next @param {URLSearchParams} parameters @param {string | null} id The record that is open beside it. */
export function go(next, parameters = query, id = openID) {
  resource = next;
  query = parameters;
  openID = id;
}

/** @param {Record<string, any>} changes The parameters to set; null removes one. */
export function queryWith(changes) {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) value === null ? next.delete(name) : next.set(name, value);
  return next;
}

/** The address of the list, and of the record beside it, with changes of the query. */
export const address = (changes = {}, id = openID) => viewOf([resource.name, id ?? []].flat(), queryWith(changes));

const places = /^_(page|limit|sort)$/;

/** The parameters that narrow the list: all but order and page. */
export const narrowing = () => new URLSearchParams([...query].filter(([name]) => !places.test(name)));

export const pageSizes = [20, 50, 100, 500];
export const pageSize = () => Number(query.get("_limit")) || remembered("rows") || pageSizes[0];
export const pageNumber = () => Math.max(1, Math.floor(Number(query.get("_page"))) || 1);
export const lastPage = (total) => Math.max(1, Math.ceil(total / pageSize()));

/** Stores the number of rows on a page, for every list. */
export function setPageSize(size) {
  remember("rows", size);
  return queryWith({ _limit: null, _page: null });
}

// MARK: The rows

/** The text of a record's id; empty when it has none. */
export const idOf = (row, idName) => (kind(row) === "object" ? idText(row[idName]) : "");

/** Whether a row's key is an id. The key of a row without its own begins with half a character. */
export const isId = (key) => !/^$|\p{Cs}/u.test(key);

export const ids = () => [...rows.keys()].filter(isId);

/** Clears everything for another list. @param {Resource} next */
export function begin({ name }) {
  if (!known.has(name)) known.set(name, new Map());
  [rows, total, ignored, kinds] = [new Map(), 0, [], known.get(name)];
}

/** @param {any[]} read @param {Headers} headers */
export function take(read, headers) {
  const { idName } = resource;
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

/** The value of a member that a text stands for, as a number where the member's values are numbers. */
function valueOf(name, text) {
  const value = /number|boolean|null/.test(kindOf(name)) ? tryParse(text) : undefined;
  return kind(value ?? null) === kindOf(name) ? value : text;
}

const emptyValues = { string: "", number: 0, boolean: false, array: [], object: {} };

/** A new record with the members of the others, without references, but with the values that the list is filtered by. */
export function draft() {
  const { idName, parents } = resource;
  const names = paths().filter((path) => path !== idName && !(path.includes(".") && kinds.has(path.split(".")[0])));
  const made = Object.fromEntries(names.map((name) => [name, parents[name] ? null : emptyValues[kindOf(name)] ?? null]));
  for (const [name, text] of narrowing()) {
    if (!(name in made)) continue;
    const value = valueOf(name, text);
    made[name] = kindOf(name) === "array" ? [value] : value;
  }
  for (const name of hiddenMembers(resource)) made[name] = "";
  return made;
}

// MARK: The selection

/** Selects nothing. */
export const unchoose = () => { chosen = new Set(); };

/** The id of the row that stands some rows after another; `undefined` where the page ends. */
export const neighbor = (id, step) => {
  const all = ids();
  const place = all.indexOf(id);
  return place < 0 ? undefined : all[place + step];
};
