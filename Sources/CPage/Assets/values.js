// How responses are shown: JSON with its links, status codes, header fields.

import { grouped, isAddress, longest, tryParse } from "./data.js";
import { button, fill, node } from "./dom.js";
import { download } from "./browser.js";

export const statusCode = (status, text = "") => node("span.status-code", { "data-class": String(status)[0] }, `${status} ${text}`);

export const headerList = (pairs) => node("details", node("summary", "Headers"),
  node("dl", [...pairs].map(([name, value]) => [node("dt", name), node("dd", value)])));

/** A request's method, in the method's colour. */
export const methodName = (method) => node("span.method", { "data-method": method }, method);

export const outside = (href, ...content) => node("a", { href, target: "_blank", rel: "noopener noreferrer" }, content);

/** Shows JSON with links; only the first part of a long text, which would block the page. */
export function show(place, text, name = "value") {
  fill(place);
  if (text.length > longest) {
    return fill(place, node("span.line.part", `The first ${grouped(longest)} of ${grouped(text.length)} characters`,
      button("Show all", () => fill(place, text)), button("Download", () => download(`${name}.json`, text))), text.slice(0, longest));
  }
  let end = 0;
  for (const { 0: string, 1: colon, index } of text.matchAll(/"(?:[^"\\]|\\.)*"(?=\s*(:?))/g)) {
    const value = tryParse(string);
    if (!colon && !isAddress(value)) continue;
    place.append(text.slice(end, index), colon ? node("span.json-key", string) : outside(value, string));
    end = index + string.length;
  }
  place.append(text.slice(end));
}
