// Which member points to which resource, by json-server's convention: postId or post_id to posts.

import { pathTo, send } from "./api.js";
import { brief, compact, kind } from "./json.js";

const singulars = (name) => [name, name.replace(/s$/, ""), name.replace(/es$/, ""), name.replace(/ies$/, "y")];

/** A number of records of a resource, as in "1 section" or "2 stories". */
export const counted = (count, name) =>
  `${count.toLocaleString("en")} ${count === 1 ? name.replace(/ies$/, "y").replace(/([^s])s$/, "$1") : name}`;

/** The collection that a member's value is an id of, if its name says so. */
export function parentOf(member, resources) {
  const stem = /^(.+?)(?:_id|Id|ID)$/.exec(member)?.[1].toLowerCase();
  return stem && resources.find(({ name, kind }) => kind === "collection" && singulars(name.toLowerCase()).includes(stem));
}

const members = new Map();

export const noteMembers = (name, names) => members.set(name, names);

async function membersOf(name) {
  if (!members.has(name)) {
    const { value } = await send("GET", `${pathTo(name)}?_start=0&_end=1`);
    noteMembers(name, Object.keys(value[0] ?? {}));
  }
  return members.get(name);
}

/** The collections whose records point to a resource, with the member that does. */
export async function childrenOf(resource, resources) {
  const collections = resources.filter(({ kind }) => kind === "collection");
  const pairs = await Promise.all(collections.map(async ({ name }) => (await membersOf(name))
    .filter((member) => parentOf(member, resources)?.name === resource.name)
    .map((member) => ({ name, member }))));
  return pairs.flat();
}

const most = 1_000;
const anyOf = (member, ids) => new URLSearchParams([...ids].map((id) => [member, id]));

/** How many children each of some records has; `undefined` when they are too many to count here. */
export async function countChildren({ name, member }, ids) {
  const { value } = await send("GET", `${pathTo(name)}?${anyOf(member, ids)}&_start=0&_end=${most}&_fields=${encodeURIComponent(member)}`);
  if (value.length >= most) return undefined;
  const counts = new Map(ids.map((id) => [id, 0]));
  for (const record of value) {
    for (const key of [record[member]].flat()) counts.set(compact(key), (counts.get(compact(key)) ?? 0) + 1);
  }
  return counts;
}

/** What a person calls a record: its title, its name, or its first text. */
export function titleOf(record, idName) {
  const names = ["title", "name", "label", "subject", "username", "email", ...Object.keys(record ?? {})];
  const name = names.find((name) => name !== idName && kind(record?.[name]) === "string" && !/(Id|ID|_id)$/.test(name) && record[name]);
  return name && brief(record[name], 60);
}

const titles = new Map();

export const forgetTitles = (name) => titles.delete(name);

/** The titles of records by id, asked for in one request; those known already are not asked for again. */
export async function titlesOf({ name, idName }, ids) {
  if (!titles.has(name)) titles.set(name, new Map());
  const known = titles.get(name);
  const missing = [...ids].filter((id) => !known.has(id));
  if (missing.length > 0) {
    for (const id of missing) known.set(id, undefined);
    const { value } = await send("GET", `${pathTo(name)}?${anyOf(idName, missing)}&_start=0&_end=${missing.length}`);
    for (const record of value) known.set(compact(record[idName]), titleOf(record, idName));
  }
  return known;
}
