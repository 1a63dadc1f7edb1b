// JSON as text, so that numbers keep their digits.

import { button, download, fill, node } from "./dom.js";

const isRaw = (value) => JSON.isRawJSON?.(value) ?? false;

/** Parses JSON; a number that JavaScript would write otherwise (1.0) stays as its text. */
export const parse = (text) => JSON.parse(text, (_, value, context) =>
  typeof value === "number" && context?.source && JSON.rawJSON && String(value) !== context.source ? JSON.rawJSON(context.source) : value);

export function kind(value) {
  if (value === null) return "null";
  if (isRaw(value)) return "number";
  return Array.isArray(value) ? "array" : typeof value;
}

export const isKey = (value) => ["string", "number"].includes(kind(value));

export function compact(value) {
  if (isRaw(value)) return value.rawJSON;
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const brief = (text, longest = 300) => (text.length > longest ? `${text.slice(0, longest)} …` : text);

const longest = 200_000;

export function pretty(text) {
  try { return text.length > longest ? text : JSON.stringify(parse(text), null, 2); } catch { return text; }
}

export const isAddress = (text) => /^https?:\/\/\S{1,2000}$/.test(text);
export const outside = (href, ...content) => node("a", { href, target: "_blank", rel: "noopener noreferrer" }, content);

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** Shows JSON in colour; of a long text the first part, for more would stall the page. */
export function show(place, text, name = "value") {
  fill(place);
  if (text.length > longest) {
    return fill(place, node("span.line.part", `The first ${longest.toLocaleString("en")} of ${text.length.toLocaleString("en")} characters`,
      button("Show all", () => fill(place, text)), button("Download", () => download(`${name}.json`, text))), text.slice(0, longest));
  }
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [all, string = all, colon] = match;
    const type = string[0] !== '"' ? (/[tfn]/.test(all[0]) ? "literal" : "number") : colon ? "key" : "string";
    const link = type === "string" && isAddress(string.slice(1, -1));
    place.append(text.slice(end, match.index), node(`span.json-${type}`, link ? outside(JSON.parse(string), string) : string), colon ?? "");
    end = match.index + all.length;
  }
  place.append(text.slice(end));
}
