// The list that is shown: its resource, and the query after # in the address.

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

/** @param {Record<string, any>} changes The parameters to set; null removes one. */
export function queryWith(changes) {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) value === null ? next.delete(name) : next.set(name, value);
  return next;
}

/** The address of the list, or of a record in front of it, with changes of the query. */
export const listAddress = (changes = {}, ...id) => viewOf([resource.name, ...id], queryWith(changes));

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
