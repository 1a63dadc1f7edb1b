// Messages, questions and the panel for anything else.

import { admin } from "./data.js";
import { button, fill, node, refocus, ui } from "./dom.js";

/** Shows the messages before all else: in the topmost modal dialog, which makes what is outside of it inert. */
function showStatus() {
  const place = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
  if (ui.status.parentElement !== place) place.append(ui.status);
  ui.status.hidePopover();
  ui.status.showPopover();
}

const dialogs = new MutationObserver(showStatus);
for (const dialog of document.querySelectorAll("dialog")) dialogs.observe(dialog, { attributeFilter: ["open"] });

/**
 * Shows a message for some seconds. A later message replaces it, but its action stays beside a message without one.
 * @param {string} text @param {{ isError?: boolean, action?: Node | false | null }} more
 */
export function announce(text, { isError = false, action = null } = {}) {
  const line = node(`span.message${isError ? ".failed" : ""}`, text, " ", action);
  for (const other of [...ui.status.children]) if (action || !other.querySelector("button")) other.remove();
  if (text) ui.status.append(line);
  if (action) action.addEventListener("click", () => {
    line.remove();
    refocus();
  });
  showStatus();
  const expire = () => (line.matches(":hover, :focus-within") ? setTimeout(expire, 4_000) : line.remove());
  setTimeout(expire, isError || action ? 10_000 : 4_000);
}

export const complain = (error, action) => announce(error.message ?? error, { isError: true, action });

export async function attempt(action, done) {
  try {
    const result = await action();
    if (done) announce(done);
    return result !== false;
  } catch (error) {
    complain(error);
    return false;
  }
}

/** The button of a message about a change. Ctrl+Z presses it. */
export const undoButton = (action) => button("Undo", action, { class: "undo", title: "Ctrl+Z", "aria-keyshortcuts": "Control+Z" });

/** Shows a message about a change, and offers to undo the change. `number` is null when the server does not store the undo. */
export const announceUndo = (text, number, undone) =>
  announce(text, { action: number && undoButton(() => attempt(() => admin("POST", `undo/${number}`), undone)) });

export function ask(title, content, action) {
  const { confirm } = ui;
  ui.confirmTitle.textContent = title;
  fill(ui.confirmText, content);
  ui.confirmAction.textContent = action;
  ui.confirmAction.className = /^(Save|Add)/.test(action) ? "primary" : "danger";
  confirm.returnValue = "";
  confirm.showModal();
  // The close event of the previous question may arrive when this one is open.
  return new Promise((resolve) => { confirm.onclose = () => confirm.open || resolve(confirm.returnValue === "yes"); });
}

export function openPanel(title, ...content) {
  ui.panelTitle.textContent = title;
  fill(ui.panelContent, content);
  if (!ui.panel.open) ui.panel.showModal();
}
