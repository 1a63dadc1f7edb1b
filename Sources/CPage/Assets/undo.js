// What can be undone: the server keeps what a deletion or an import did for a while.

import { admin } from "./data.js";
import { announce, attempt, button } from "./dom.js";

/**
 * Says what was done, and offers to undo it.
 *
 * @param {string} text
 * @param {string | number | null} number By which the server undoes it; null when the server has not kept it.
 * @param {string} undone What is said then.
 */
export function announceUndo(text, number, undone) {
  announce(text, { action: number && button("Undo", () => attempt(() => admin("POST", `undo/${number}`), undone)) });
}
