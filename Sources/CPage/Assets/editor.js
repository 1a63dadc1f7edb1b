// The text field for JSON: Tab indents, and the line with an error is marked.

import { pretty, send, tryParse } from "./data.js";
import { ui } from "./dom.js";

const text = ui.recordText;

/** @param {string} message @param {string | number} [line] */
export function mark(message, line) {
  ui.recordError.textContent = message;
  text.ariaInvalid = String(line !== undefined);
  text.style.setProperty("--row", String(line ?? 0));
}

/** The field's value without a byte order mark; `undefined` when it is not JSON. */
export const read = () => tryParse(text.value.replace(/^\uFEFF/, ""));

/** Marks the position of the syntax error. Browsers report it differently, so a preview by the server finds it. @param {string} path */
export async function explain(path) {
  const faulty = text.value;
  const { message } = await send("POST", path, faulty, { "X-JSON-Server-Page": "preview" }).then(() => ({ message: "The browser cannot read this." }), (error) => error);
  if (text.value !== faulty) return;
  const [, line, column, fault] = /(\d+):(\d+)[,:] (.+?)\.( |$)/.exec(message) ?? [];
  mark(line ? `This is not JSON yet. Line ${line}, column ${column}: ${fault}.` : message, line);
  const lines = faulty.split("\n").slice(0, Number(line) - 1);
  const place = [...lines, ""].join("\n").length + Number(column) - 1;
  text.focus();
  text.setSelectionRange(place, place);
}

text.onkeydown = (event) => {
  if (event.key !== "Tab" || event.shiftKey) return;
  // Setting the value would clear the field's undo history.
  document.execCommand("insertText", false, "  ");
  event.preventDefault();
};

export const format = () => { text.value = pretty(text.value); };
