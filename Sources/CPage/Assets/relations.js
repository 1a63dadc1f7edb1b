// Which records belong together; the server knows by which members.

import { count, list } from "./api.js";
import { brief, compact } from "./json.js";

export const counted = (count, name) =>
  `${count.toLocaleString("en")} ${count === 1 ? name.replace(/ies$/, "y").replace(/([^s])s$/, "$1") : name}`;

export const parentOf = (member, { parents }, resources) => resources.find(({ name }) => name === parents?.[member]);

export const childrenOf = (resource, resources) => resources.flatMap(({ name, parents = {} }) =>
  Object.keys(parents).filter((member) => parents[member] === resource.name).map((member) => ({ name, member })));

const most = 1_000;
const anyOf = (member, ids) => [...ids].map((id) => [member, id]);

/** How many children each of some records has: counted here from one answer, or by the server when they are many. */
export async function countChildren({ name, member }, ids) {
  const children = await list(name, anyOf(member, ids), most);
  if (children.length >= most) return new Map(await Promise.all(ids.map(async (id) => [id, await count(name, [[member, id]])])));
  const counts = new Map(ids.map((id) => [id, 0]));
  for (const key of children.map((child) => compact(child[member]))) counts.set(key, counts.get(key) + 1);
  return counts;
}

export function titleOf(record, { idName, parents = {} }) {
  const names = ["title", "name", "label", "username", "email", ...Object.keys(record)];
  const name = names.find((name) => name !== idName && !parents[name] && typeof record[name] === "string");
  return brief(name ? record[name] : compact(record[idName]), 60);
}

const titles = new Map();

export const forgetTitles = (name) => titles.delete(name);

/** The titles of records by id, asked for in one request; those asked for already are not asked for again. */
export async function titlesOf(resource, ids) {
  const { name, idName } = resource;
  if (!titles.has(name)) titles.set(name, new Map());
  const known = titles.get(name);
  const missing = [...ids].filter((id) => !known.has(id));
  const found = missing.length > 0 && list(name, anyOf(idName, missing), missing.length)
    .then((records) => new Map(records.map((record) => [compact(record[idName]), titleOf(record, resource)])));
  for (const id of missing) known.set(id, found.then((titles) => titles.get(id)).catch(() => known.delete(id)));
  return new Map(await Promise.all([...ids].map(async (id) => [id, await known.get(id)])));
}
