// Deletes records: first names the records that go with them, then offers to undo the deletion.

import { admin, countedOf } from "./data.js";
import { announceUndo, ask, attempt } from "./messages.js";

const list = (counts) => Object.entries(counts).filter(([, count]) => count > 0).map(([name, count]) => countedOf(name, count)).join(", ");

/** Deletes records after a confirmation. Returns whether it did. */
export const remove = ({ name }, ids) => attempt(async () => {
  const what = ids.length === 1 ? `${name} / ${ids[0]}` : countedOf(name, ids.length);
  const call = (preview) => admin("POST", "deletions", { resource: name, ids, preview });
  const { deleted, changed } = await call(true);
  deleted[name] -= ids.length;
  const [gone, loose] = [list(deleted), list(changed)];
  const losses = [gone && `${gone} will also be deleted.`, loose && `${loose} will lose the reference.`].filter(Boolean).join(" ");
  if (!(await ask(`Delete ${what}?`, losses || "No other record refers to it.", "Delete"))) return false;
  const { undo } = await call(false);
  announceUndo(`Deleted ${what}`, undo, `${what} put back`);
});
