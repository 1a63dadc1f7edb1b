// A text field for JSON: Tab indents, Ctrl+Enter saves, and the line of an error is marked.

import { ui } from "./dom.js";
import { pretty } from "./json.js";

const text = ui.recordText;
let place = 0;

function parses(token) {
  try { return JSON.parse(token) !== undefined; } catch { return false; }
}

/** Where a text stops being JSON, and what should stand there; engines do not agree. */
function faultIn(text) {
  const token = /\s*([{}[\],:]|"(?:[^"\\\n]|\\.)*"?|[^\s{}[\],:"]+)/y;
  const ends = [];
  let wanted = "a value";
  for (let match; (match = token.exec(text));) {
    const [, found] = match;
    const end = ends.at(-1);
    const isOpening = wanted.startsWith("a value") && /^[{[]$/.test(found);
    const isName = wanted.startsWith("a name") && found[0] === '"' && parses(found);
    if (isOpening) ends.push(found === "{" ? "}" : "]");
    if (isOpening) wanted = found === "{" ? "a name or }" : "a value or ]";
    else if (isName) wanted = "a colon";
    else if (found === ":" && wanted === "a colon") wanted = "a value";
    else if (found === "," && wanted.startsWith("a comma")) wanted = end === "}" ? "a name" : "a value";
    else if ((found === end && wanted.endsWith(end)) || (wanted.startsWith("a value") && parses(found))) {
      if (found === end) ends.pop();
      wanted = ends.length > 0 ? `a comma or ${ends.at(-1)}` : "the end";
    } else return [token.lastIndex - found.length, wanted];
  }
  return [text.trimEnd().length, wanted];
}

export function mark(message, line, at = 0) {
  ui.recordError.textContent = message;
  text.ariaInvalid = line !== undefined;
  text.style.setProperty("--row", line ?? 0);
  place = at;
}

/** Parses what stands in the field; `undefined`, with the line marked, when it is not JSON. */
export function read() {
  mark("");
  if (parses(text.value)) return JSON.parse(text.value);
  const [at, wanted] = faultIn(text.value);
  const lines = text.value.slice(0, at).split("\n");
  mark(`This is not JSON yet. Line ${lines.length}, column ${lines.at(-1).length + 1}: ${wanted} is missing.`, lines.length, at);
  return undefined;
}

export function goToMark() {
  text.focus();
  text.setSelectionRange(place, place);
}

ui.recordFormat.onclick = () => {
  if (read() === undefined) goToMark();
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
