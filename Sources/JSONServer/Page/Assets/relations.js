// Which member points to which resource, by json-server's convention: postId or post_id to posts.

import { pathTo, send } from "./api.js";

const singulars = (name) => [name, name.replace(/s$/, ""), name.replace(/es$/, ""), name.replace(/ies$/, "y")];

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
