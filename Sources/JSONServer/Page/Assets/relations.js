// Which member points to which resource, by json-server's convention: postId or post_id to posts.

import { pathTo, send } from "./api.js";

const irregular = { people: "person", children: "child", men: "man", women: "woman" };

function singularForms(name) {
  const lower = name.toLowerCase();
  return [lower, lower.replace(/s$/, ""), lower.replace(/es$/, ""), lower.replace(/ies$/, "y"), irregular[lower]];
}

/** The collection that a member's value is an id of, if its name says so. */
export function parentOf(member, resources) {
  const stem = /^(.+?)(?:_id|Id|ID)$/.exec(member)?.[1].toLowerCase();
  if (!stem) return undefined;
  return resources.find(({ name, kind }) => kind === "collection" && singularForms(name).includes(stem));
}

const knownMembers = new Map();

/** Notes the members of a resource's records, so that they need not be asked for. */
export const noteMembers = (name, members) => knownMembers.set(name, members);

async function membersOf(name) {
  if (!knownMembers.has(name)) {
    const { value } = await send("GET", `${pathTo(name)}?_start=0&_end=1`);
    knownMembers.set(name, Object.keys(value[0] ?? {}));
  }
  return knownMembers.get(name);
}

/** The collections whose records point to a resource, with the member that does. */
export async function childrenOf(resource, resources) {
  const collections = resources.filter(({ name, kind }) => kind === "collection" && name !== resource.name);
  const pairs = await Promise.all(collections.map(async (child) => {
    const members = await membersOf(child.name);
    return members.filter((member) => parentOf(member, resources) === resource).map((member) => ({ child, member }));
  }));
  return pairs.flat();
}
