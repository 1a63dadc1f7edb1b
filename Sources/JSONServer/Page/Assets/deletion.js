// Deleting: what goes with it is said before, and it can be taken back for ten seconds.

import { admin, pathTo, send } from "./api.js";
import { announce, ask, attempt, button } from "./dom.js";
import { counted } from "./relations.js";

async function losses(name, ids) {
  const texts = (counts, end) => Object.entries(counts).map(([name, count]) => counted(count, name)).join(", ").replace(/.$/, (last) => last + end);
  try {
    const { removed, cleared } = await admin("GET", `dependents?${new URLSearchParams([["resource", name], ...ids.map((id) => ["id", id])])}`);
    return texts(removed, " will go with it. ") + texts(cleared, " will lose the reference.") || "Nothing else depends on it.";
  } catch {
    return "Records that depend on it may go, too.";
  }
}

/** Deletes records, as pairs of id and text, after asking. Answers whether it did. */
export async function remove({ name }, records) {
  const ids = records.map(([id]) => id);
  const what = ids.length === 1 ? `${name} / ${ids[0]}` : counted(ids.length, name);
  if (!(await ask(`Delete ${what}?`, await losses(name, ids), "Delete"))) return false;
  const removed = [];
  let error;
  for (const [id, text] of records) {
    try {
      const { headers } = await send("DELETE", pathTo(name, id));
      removed.unshift([headers.get("X-JSON-Server-Undo"), text]);
    } catch (failure) {
      // One of several may have gone with another.
      if (failure.status !== 404 || ids.length === 1) error = failure;
    }
  }
  const undo = () => attempt(async () => {
    for (const [number, text] of removed) await (number ? admin("POST", `undo/${number}`) : send("POST", pathTo(name), text));
  }, "Everything is back");
  announce(error?.message ?? `Deleted ${what}`, { isError: Boolean(error), action: removed.length > 0 && button("Undo", undo) });
  return removed.length > 0;
}
