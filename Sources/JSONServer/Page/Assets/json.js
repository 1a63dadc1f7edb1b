// JSON as text: numbers keep the digits they were written with, which JavaScript's own numbers would lose.

import { element } from "./dom.js";

const isRaw = (value) => JSON.isRawJSON?.(value) ?? false;

/** Parses JSON; a number that JavaScript would write otherwise (1.0, 9007199254740993) stays as its text. */
export function parse(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && context?.source && JSON.rawJSON && String(value) !== context.source
      ? JSON.rawJSON(context.source)
      : value);
}

/** What kind of value it is: string, number, boolean, null, array or object. */
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

/** Two-space indentation of a text that is JSON; any other text as it is. */
export function pretty(text) {
  try { return JSON.stringify(parse(text), null, 2); } catch { return text; }
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;
const longestColoured = 200_000;

/** Fills an element with JSON text in colour. Long texts stay plain: a span per token would stall the page. */
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
