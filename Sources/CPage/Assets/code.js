// A request as code: for a terminal, an app and a test.

import { address, readable } from "./api.js";
import { button, copy, node, options, remember, remembered } from "./dom.js";
import { parse } from "./json.js";

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curl({ method, path, headers, body }) {
  const option = { GET: "", HEAD: " -I" }[method] ?? ` -X ${method}`;
  const lines = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl${option} ${quoted(address(path).href)}`, ...lines, body && `--data-raw ${quoted(body)}`].filter(Boolean).join(" \\\n  ");
}

/** A Swift string literal, with as many # as the text needs. */
function literal(text) {
  if (!/["\\\n]/.test(text)) return `"${text}"`;
  const hashes = "#".repeat(1 + Math.max(0, ...[...text.matchAll(/["\\](#*)/g)].map(([, hashes]) => hashes.length)));
  return hashes + (text.includes("\n") ? ['"""\n', '\n"""'] : ['"', '"']).join(text) + hashes;
}

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
  return `[${Object.entries(json).map(([name, part]) => `${literal(name)}: ${value(part)}`).join(", ") || ":"}]`;
}

function json(text) {
  try { return parse(text); } catch { return text; }
}

function parts(path) {
  const [place, query] = path.split("?");
  return [readable(place), query && Object.fromEntries(new URLSearchParams(query))];
}

function expect({ method, path, body }) {
  const [place, query] = parts(path);
  return `try await server.expect(.${method.toLowerCase()}(${literal(place)})${query ? `, query: ${value(query)}` : ""}${body && `, body: ${value(json(body))}`})`;
}

const forms = { URL: ({ path }) => address(path).href, curl, Swift: swift, "Swift test": expect };

/** A part of the page that shows a request as code, by its method `show`. */
export function codeView(...kinds) {
  let request;
  const choice = node("select", { "aria-label": "Language" }, options(kinds.map((kind) => [kind])));
  const text = node("pre", { tabindex: 0, "aria-label": "The request as code" });
  if (kinds.includes(remembered("language"))) choice.value = remembered("language");
  choice.onchange = () => {
    remember("language", choice.value);
    text.textContent = forms[choice.value](request);
  };
  const view = node("section.code", node("div.heading", node("h3", "As code"), choice, button("Copy", () => copy(text.textContent))), text);
  view.show = (next) => {
    request = next;
    text.textContent = forms[choice.value](request);
    return view;
  };
  return view;
}
