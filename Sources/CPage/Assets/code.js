// A request as code: for a terminal, an app and a test.

import { copy } from "./browser.js";
import { address, readable, tryParse } from "./data.js";
import { button, node, options } from "./dom.js";

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curl({ method, path, headers, body }) {
  const option = { GET: "", HEAD: " -I" }[method] ?? ` -X ${method}`;
  const lines = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl${option} ${quoted(address(path).href)}`, ...lines, body && `--data-raw ${quoted(body)}`].filter(Boolean).join(" \\\n  ");
}

const escapes = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A Swift string literal; a raw literal where that avoids escapes. */
const literal = (text) => (/["\\]/.test(text) && !/^"("|$)|["\\]#|\p{Cc}/u.test(text) ? `#"${text}"#`
  : `"${text.replace(/["\\\p{Cc}]/gu, (letter) => escapes[letter] ?? `\\u{${letter.codePointAt(0).toString(16)}}`)}"`);

/** A Swift dictionary literal of pairs of literals. */
const dictionary = (pairs) => `[${pairs.map((pair) => pair.join(": ")).join(", ") || ":"}]`;

const swift = ({ method, path, headers, body }) => [
  `import Foundation\n\nvar request = URLRequest(url: URL(string: ${literal(address(path).href)})!)`,
  method !== "GET" && `request.httpMethod = "${method}"`,
  ...headers.map(([name, value]) => `request.setValue(${literal(value)}, forHTTPHeaderField: ${literal(name)})`),
  body && `request.httpBody = Data(${literal(body)}.utf8)`,
  "let (data, response) = try await URLSession.shared.data(for: request)",
].filter(Boolean).join("\n");

function value(json) {
  if (json === null) return "nil";
  if (typeof json === "string") return literal(json);
  if (typeof json !== "object" || JSON.isRawJSON?.(json)) return JSON.stringify(json);
  if (Array.isArray(json)) return `[${json.map(value).join(", ")}]`;
  return dictionary(Object.entries(json).map(([name, part]) => [literal(name), value(part)]));
}

function expect({ method, path, body }) {
  const [, place, query] = /^([^?]*)\??(.*)$/s.exec(path);
  const parameters = query && `, query: ${dictionary([...new URLSearchParams(query)].map((pair) => pair.map(literal)))}`;
  return `try await server.expect(.${method.toLowerCase()}(${literal(readable(place))}${parameters}${body && `, body: ${value(tryParse(body) ?? body)}`}))`;
}

const forms = { URL: ({ path }) => address(path).href, curl, Swift: swift, "Swift test": expect };

/** A part of the page that shows a request as code. Its method `show` sets the request. */
export function codeView(...kinds) {
  let request;
  const choice = node("select", { "aria-label": "Language" }, options(kinds.map((kind) => [kind])));
  const text = node("pre", { tabindex: 0, "aria-label": "Code" });
  choice.onchange = () => { text.textContent = forms[choice.value](request); };
  const view = node("section.code", node("div.heading", node("h3", "As code"), choice, button("Copy", () => copy(text.textContent))), text);
  view.show = (next) => {
    request = next;
    choice.onchange();
    return view;
  };
  return view;
}
