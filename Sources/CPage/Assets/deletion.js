// Deleting: what refers to a record is said before, and the record itself can be put back for ten seconds.

import { pathTo, send } from "./api.js";
import { announce, ask, attempt, button } from "./dom.js";
import { childrenOf, countChildren, counted } from "./relations.js";

async function losses(resource, ids, resources) {
  const children = childrenOf(resource, resources);
  if (children.length === 0) return "No other record refers to it.";
  try {
    const counts = await Promise.all(children.map(async (child) => [await countChildren(child, ids), child.name]));
    const found = counts.map(([counts, name]) => [[...counts.values()].reduce((a, b) => a + b, 0), name]).filter(([sum]) => sum > 0);
    if (found.length === 0) return "No other record refers to it.";
    return `${found.map(([sum, name]) => counted(sum, name)).join(", ")} that refer to it will go, too, or lose the reference.`;
  } catch {
    return "Records that refer to it may go, too.";
  }
}

/** Deletes records, as pairs of id and text, after asking. Answers whether it did. */
export async function remove(resource, records, resources) {
  const { name } = resource;
  const ids = records.map(([id]) => id);
  const what = ids.length === 1 ? `${name} / ${ids[0]}` : counted(ids.length, name);
  if (!(await ask(`Delete ${what}?`, await losses(resource, ids, resources), "Delete"))) return false;
  const removed = [];
  let error;
  for (const [id, text] of records) {
    try {
      await send("DELETE", pathTo(name, id));
      removed.push(text);
    } catch (failure) {
      // One of several may have gone with another.
      if (failure.status !== 404 || ids.length === 1) error = failure;
    }
  }
  const putBack = () => attempt(async () => {
    for (const text of removed) await send("POST", pathTo(name), text);
  }, `${counted(removed.length, name)} put back, at the end; what went or changed with it is not`);
  announce(error?.message ?? `Deleted ${what}`, { isError: Boolean(error), action: removed.length > 0 && button("Put back", putBack) });
  return removed.length > 0;
}
