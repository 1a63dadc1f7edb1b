// A text field for JSON: Tab indents, Ctrl+Enter saves, and the line of an error is marked.

import { pretty, send, tryParse } from "./data.js";
import { ui } from "./dom.js";

const text = ui.recordText;

export function mark(message, line) {
  ui.recordError.textContent = message;
  text.ariaInvalid = line !== undefined;
  text.style.setProperty("--row", line ?? 0);
}

/** What stands in the field; `undefined` when it is not JSON. */
export const read = () => tryParse(text.value);

/** Marks where the text stops being JSON. Browsers do not agree on that: the server says it, which does nothing with such a text. */
export async function explain() {
  const faulty = text.value;
  const { message } = await send("POST", "/__admin/deletions", faulty).catch((error) => error);
  if (text.value !== faulty) return;
  const [, line, column, fault] = /(\d+):(\d+): (.+)\./.exec(message) ?? [];
  mark(line ? `This is not JSON yet. Line ${line}, column ${column}: ${fault}.` : message, line);
  const lines = faulty.split("\n").slice(0, line - 1);
  const place = [...lines, ""].join("\n").length + Number(column) - 1;
  text.focus();
  text.setSelectionRange(place, place);
}

ui.recordFormat.onclick = () => {
  if (read() === undefined) explain();
  else text.value = pretty(text.value);
};

text.onkeydown = (event) => {
  const { key, ctrlKey, metaKey, shiftKey } = event;
  if (key === "Enter" && (ctrlKey || metaKey)) ui.recordForm.requestSubmit();
  // Keeps the field's own undo, which setting the value would clear.
  else if (key === "Tab" && !shiftKey) document.execCommand("insertText", false, "  ");
  else return;
  event.preventDefault();
};
