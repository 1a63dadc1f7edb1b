// A request as code: for a terminal, for an app, for a test and for the server's stubs.

import { address, readable } from "./api.js";
import { button, copy, element, options, remember, remembered } from "./dom.js";
import { parse, pretty } from "./json.js";

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curl({ method, path, headers, body }) {
  const option = { GET: "", HEAD: " -I" }[method] ?? ` -X ${method}`;
  const lines = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl${option} ${quoted(address(path).href)}`, ...lines, body && `--data-raw ${quoted(body)}`].filter(Boolean).join(" \\\n  ");
}

/** A Swift string literal, with as many # as the text needs. */
function literal(text) {
  if (!/["\\\n]/.test(text)) return `"${text}"`;
  const longest = Math.max(0, ...[...text.matchAll(/["\\](#*)/g)].map(([, hashes]) => hashes.length));
  const hashes = "#".repeat(longest + 1);
  const quotes = text.includes("\n") ? ['"""\n', '\n"""'] : ['"', '"'];
  return hashes + quotes.join(text) + hashes;
}

function swift({ method, path, headers, body }) {
  return [
    "import Foundation\n",
    `var request = URLRequest(url: URL(string: ${literal(address(path).href)})!)`,
    method !== "GET" && `request.httpMethod = "${method}"`,
    ...headers.map(([name, value]) => `request.setValue(${literal(value)}, forHTTPHeaderField: ${literal(name)})`),
    body && `request.httpBody = Data(${literal(body)}.utf8)`,
    "let (data, response) = try await URLSession.shared.data(for: request)",
  ].filter(Boolean).join("\n");
}

/** A value as JSONValue's literals. */
function value(json) {
  if (json === null) return "nil";
  if (typeof json === "string") return literal(json);
  if (Array.isArray(json)) return `[${json.map(value).join(", ")}]`;
  if (typeof json !== "object" || JSON.isRawJSON?.(json)) return JSON.stringify(json);
  return dictionary(Object.entries(json).map(([name, part]) => [name, value(part)]));
}

const dictionary = (pairs) => `[${pairs.map(([name, text]) => `${literal(name)}: ${text}`).join(", ") || ":"}]`;

function json(text) {
  try { return parse(text); } catch { return text; }
}

const parts = (path) => [readable(path.split("?")[0]), [...new URLSearchParams(path.split("?")[1])]];

function expect({ method, path, body }) {
  const [place, query] = parts(path);
  const more = [
    query.length > 0 && `query: ${dictionary(query.map(([name, text]) => [name, literal(text)]))}`,
    body && `body: ${value(json(body))}`,
  ].filter(Boolean).map((part) => `, ${part}`);
  return `try await server.expect(.${method.toLowerCase()}(${literal(place)})${more.join("")})`;
}

export function stub({ method, path, status, type, answer }) {
  const [place, query] = parts(path);
  const isJSON = /json/.test(type ?? "json");
  const response = { status, headers: type && !isJSON ? { "Content-Type": type } : undefined, body: answer ? json(answer) : undefined };
  return { request: { method, path: place, query: query.length > 0 ? Object.fromEntries(query) : undefined }, response };
}

const forms = {
  url: ["URL", ({ path }) => address(path).href],
  curl: ["curl", curl],
  swift: ["Swift", swift],
  expect: ["Swift test", expect],
  stub: ["Stub", (request) => pretty(JSON.stringify([stub(request)]))],
};

/** A part of the page that shows requests as code, by its method `show`. */
export function codeView(...kinds) {
  let request;
  const choice = element("select", { "aria-label": "Language" }, ...options(kinds.map((kind) => [kind, forms[kind][0]])));
  const text = element("pre", { tabindex: 0, "aria-label": "The request as code" });
  const update = () => { text.textContent = forms[choice.value][1](request); };
  const known = remembered("language");
  if (kinds.includes(known)) choice.value = known;
  choice.onchange = () => {
    remember("language", choice.value);
    update();
  };
  const view = element("section", { class: "code" }, element("div", { class: "heading" }, element("h3", {}, "As code"), choice,
    button("Copy", () => copy(text.textContent))), text);
  view.show = (next) => {
    request = next;
    update();
  };
  return view;
}
