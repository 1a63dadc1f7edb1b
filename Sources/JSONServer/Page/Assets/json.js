// JSON as text, so that numbers keep their digits.

import { button, download, element } from "./dom.js";

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

/** The start of a text: what an attribute or a cell may hold. */
export const brief = (text, longest = 300) => (text.length > longest ? `${text.slice(0, longest)} …` : text);

const longest = 200_000;

/** A text indented if it is JSON; a long one stays as the server indented it. */
export function pretty(text) {
  if (text.length > longest) return text;
  try { return JSON.stringify(parse(text), null, 2); } catch { return text; }
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

export const isAddress = (text) => /^https?:\/\/\S{1,2000}$/.test(text);
export const outside = (href, ...content) => element("a", { href, target: "_blank", rel: "noopener noreferrer" }, ...content);

function string(text) {
  const plain = JSON.parse(text);
  return isAddress(plain) ? outside(plain, text) : text;
}

/** Fills an element with JSON in colour; of a long text the first part, for more would stall the page. */
export function show(node, text, name = "value") {
  node.replaceChildren();
  if (text.length > longest) {
    const rest = element("span", { class: "line part" }, `The first ${longest.toLocaleString("en")} of ${text.length.toLocaleString("en")} characters`,
      button("Show all", () => node.replaceChildren(text)), button("Download", () => download(`${name}.json`, text)));
    return node.append(rest, text.slice(0, longest));
  }
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [all, quoted, colon] = match;
    const type = quoted ? (colon ? "key" : "string") : /[tfn]/.test(all[0]) ? "literal" : "number";
    const content = type === "string" ? string(quoted) : quoted ?? all;
    node.append(text.slice(end, match.index), element("span", { class: `json-${type}` }, content), colon ?? "");
    end = match.index + all.length;
  }
  node.append(text.slice(end));
}
