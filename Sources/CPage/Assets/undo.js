// Undo of a deletion or an import, which the server stores for some time.

import { admin } from "./data.js";
import { button } from "./dom.js";
import { announce, attempt } from "./messages.js";

/** The button of a message about a change. Ctrl+Z presses it. */
export const undoButton = (action) => button("Undo", action, { class: "undo", title: "Ctrl+Z", "aria-keyshortcuts": "Control+Z" });

/**
 * Shows a message about a change, and offers to undo the change.
 *
 * @param {string} text
 * @param {string | number | null} number The number of the undo; null when the server does not store it.
 * @param {string} undone The message after the undo.
 */
export function announceUndo(text, number, undone) {
  announce(text, { action: number && undoButton(() => attempt(() => admin("POST", `undo/${number}`), undone)) });
}
