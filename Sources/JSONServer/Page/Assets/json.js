// JSON as text, so that numbers keep their digits.

import { element } from "./dom.js";

const isRaw = (value) => JSON.isRawJSON?.(value) ?? false;

/** Parses JSON; a number that JavaScript would write otherwise (1.0) stays as its text. */
export function parse(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && context?.source && JSON.rawJSON && String(value) !== context.source
      ? JSON.rawJSON(context.source)
      : value);
}

export function kind(value) {
  if (value === null) return "null";
  if (isRaw(value)) return "number";
  return Array.isArray(value) ? "array" : typeof value;
}

/** A value on one line, strings without quotes. */
export function compact(value) {
  if (isRaw(value)) return value.rawJSON;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A text indented if it is JSON. */
export function pretty(text) {
  try { return JSON.stringify(parse(text), null, 2); } catch { return text; }
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;
const longestColoured = 200_000;

/** Fills an element with JSON in colour; a long text stays plain, for its many spans would stall the page. */
export function show(node, text) {
  node.replaceChildren();
  if (text.length > longestColoured) return node.append(text);
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [all, string, colon] = match;
    const type = string ? (colon ? "key" : "string") : /[tfn]/.test(all[0]) ? "literal" : "number";
    node.append(text.slice(end, match.index), element("span", { class: `json-${type}` }, string ?? all), colon ?? "");
    end = match.index + all.length;
  }
  node.append(text.slice(end));
}
