// Which list is shown: its resource, and the query after # in the address.

import { viewOf } from "./data.js";
import { remember, remembered } from "./dom.js";

/** @typedef {import("./data.js").Resource} Resource */

/** @type {Resource | undefined} */
export let resource;
export let query = new URLSearchParams();

/** @param {Resource} next @param {URLSearchParams} parameters */
export function go(next, parameters = query) {
  resource = next;
  query = parameters;
}

/** @param {Record<string, any>} changes The parameters that differ; null takes one out. */
export function queryWith(changes) {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) value === null ? next.delete(name) : next.set(name, value);
  return next;
}

/** The address of the list, or of a record before it, with changes of the query. */
export const listAddress = (changes = {}, ...id) => viewOf([resource.name, ...id], queryWith(changes));

const places = /^_(page|limit|sort)$/;

/** What narrows the list, whatever its order and its pages are. */
export const narrowing = () => new URLSearchParams([...query].filter(([name]) => !places.test(name)));

export const pageSizes = [20, 50, 100, 500];
export const pageSize = () => Number(query.get("_limit")) || remembered("rows") || pageSizes[0];
export const pageNumber = () => Math.max(1, Math.floor(Number(query.get("_page"))) || 1);
export const lastPage = (total) => Math.max(1, Math.ceil(total / pageSize()));

/** Remembers how many rows a page has, of every list. */
export function setPageSize(size) {
  remember("rows", size);
  return queryWith({ _limit: null, _page: null });
}
