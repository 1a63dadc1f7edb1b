// Deleting: what goes with it is said before, and it can be taken back for ten seconds.

import { admin, pathTo, send } from "./api.js";
import { announce, ask, attempt, button } from "./dom.js";
import { counted } from "./relations.js";

const list = (counts) => Object.entries(counts).map(([name, count]) => counted(count, name)).join(", ");

async function losses(name, ids) {
  const query = new URLSearchParams([["resource", name], ...ids.map((id) => ["id", id])]);
  try {
    const { removed, cleared } = await admin("GET", `dependents?${query}`);
    const parts = [list(removed) && `${list(removed)} will go with it.`, list(cleared) && `${list(cleared)} will lose the reference.`];
    return parts.filter(Boolean).join(" ") || "Nothing else depends on it.";
  } catch {
    return "Records that depend on it may go, too.";
  }
}

async function restore(name, removed) {
  for (const [number, text] of removed) {
    await (number ? admin("POST", `undo/${number}`) : send("POST", pathTo(name), text));
  }
}

/** Deletes records, given as pairs of id and text, after asking. Answers whether it did. */
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
      // One of them may have gone with another.
      if (failure.status !== 404 || ids.length === 1) error = failure;
    }
  }
  const undo = button("Undo", () => attempt(() => restore(name, removed), "Everything is back"));
  announce(error?.message ?? `Deleted ${what}`, { isError: Boolean(error), actions: removed.length > 0 ? [undo] : [], seconds: 10 });
  return removed.length > 0;
}
