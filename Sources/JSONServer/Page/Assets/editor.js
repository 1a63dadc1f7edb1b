// A text field for JSON: Tab indents, Ctrl+Enter saves, and the line of an error is marked.

import { find } from "./dom.js";
import { pretty } from "./json.js";

const text = find("record-text");

function parses(token) {
  try { return JSON.parse(token) !== undefined; } catch { return false; }
}

/** Where a text stops being JSON, and what should stand there: engines do not agree on how to tell. */
function fault(text) {
  const token = /\s*([{}[\],:]|"(?:[^"\\\n]|\\.)*"?|[^\s{}[\],:"]+)/y;
  const ends = [];
  let wanted = "a value";
  for (let match; (match = token.exec(text));) {
    const [, found] = match;
    if (found === ends.at(-1) && wanted.endsWith(found)) ends.pop();
    else if (wanted.startsWith("a value") && /^[{[]$/.test(found)) {
      ends.push(found === "{" ? "}" : "]");
      wanted = found === "{" ? "a name or }" : "a value or ]";
      continue;
    } else if (wanted.startsWith("a name") && found[0] === '"' && parses(found)) {
      wanted = "a colon";
      continue;
    } else if ((wanted === "a colon" && found === ":") || (wanted.startsWith("a comma") && found === ",")) {
      wanted = found === "," && ends.at(-1) === "}" ? "a name" : "a value";
      continue;
    } else if (!wanted.startsWith("a value") || !parses(found)) return [token.lastIndex - found.length, wanted];
    wanted = ends.length > 0 ? `a comma or ${ends.at(-1)}` : "the end";
  }
  return [text.trimEnd().length, wanted];
}

/** Parses what stands in the field; `undefined`, with the line marked, when it is not JSON. */
export function read() {
  mark("");
  if (parses(text.value)) return JSON.parse(text.value);
  const [at, wanted] = fault(text.value);
  const lines = text.value.slice(0, at).split("\n");
  mark(`This is not JSON yet. Line ${lines.length}, column ${lines.at(-1).length + 1}: ${wanted} is missing.`, lines.length, at);
  return undefined;
}

let place = 0;

export function mark(message, line, at = 0) {
  find("record-error").textContent = message;
  text.ariaInvalid = line !== undefined;
  text.style.setProperty("--row", line ?? 0);
  place = at;
}

export function goToMark() {
  text.focus();
  text.setSelectionRange(place, place);
}

export function format() {
  if (read() === undefined) goToMark();
  else text.value = pretty(text.value);
}

text.onkeydown = (event) => {
  const { key, ctrlKey, metaKey, shiftKey } = event;
  if (key === "Enter" && (ctrlKey || metaKey)) find("record-form").requestSubmit();
  // Keeps the field's own undo, which setting the value would clear.
  else if (key === "Tab" && !shiftKey) document.execCommand("insertText", false, "  ");
  else return;
  event.preventDefault();
};
