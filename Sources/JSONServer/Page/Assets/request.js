// Try a request: send anything to the API and see the answer; the last ten are kept in this browser.

import { address } from "./api.js";
import { announce, element, find, remember, remembered } from "./dom.js";
import { pretty, show } from "./json.js";

const hasBody = (method) => !["GET", "HEAD"].includes(method);
let running = null;
let opened = "";

/** Fills the form from the address, if it says something new. */
export function open(query) {
  if (query.size === 0 || query.toString() === opened) return;
  opened = query.toString();
  fill({ method: query.get("method") ?? "GET", path: query.get("path") ?? "/", headers: query.get("headers") ?? "", body: query.get("body") ?? "" });
  find("answer").hidden = true;
}

/** Offers paths while one is typed. */
export const suggest = (paths) =>
  find("try-paths").replaceChildren(...paths.map((path) => element("option", { value: path })));

function fill({ method, path, headers, body }) {
  find("try-method").value = method;
  find("try-path").value = path;
  find("try-headers").value = headers;
  find("try-more").open = headers !== "";
  find("try-body").value = pretty(body);
  follow();
}

const read = () => ({
  method: find("try-method").value,
  path: find("try-path").value.trim(),
  headers: find("try-headers").value.trim(),
  body: hasBody(find("try-method").value) ? find("try-body").value.trim() : "",
});

/** Header lines as pairs; a body without a type is JSON, as the API expects. */
function headerPairs({ headers, body }) {
  const pairs = headers.split("\n").filter((line) => line.includes(":")).map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  const isTyped = pairs.some(([name]) => name.toLowerCase() === "content-type");
  return body && !isTyped ? [["Content-Type", "application/json"], ...pairs] : pairs;
}

async function run() {
  const request = read();
  running?.abort();
  const controller = running = new AbortController();
  find("try-cancel").hidden = false;
  find("answer").hidden = false;
  find("answer-line").textContent = "Waiting for the answer …";
  const began = performance.now();
  try {
    const response = await fetch(address(request.path), {
      method: request.method, headers: headerPairs(request), body: request.body || undefined, signal: controller.signal,
    });
    const text = await response.text();
    showAnswer(response, text, performance.now() - began);
    note(request, response.status);
  } catch (error) {
    if (running !== controller) return;
    clearAnswer(controller.signal.aborted ? "Cancelled." : `No answer: ${error.message}. A fault may have cut the connection.`);
    note(request, null);
  } finally {
    if (running === controller) find("try-cancel").hidden = true;
  }
}

function clearAnswer(text) {
  find("answer-line").textContent = text;
  find("answer-headers").replaceChildren();
  find("answer-body").replaceChildren();
}

function showAnswer(response, text, milliseconds) {
  clearAnswer("");
  const { status, headers } = response;
  find("answer-line").append(
    element("span", { class: "code-number", "data-class": String(status)[0] }, `${status} ${response.statusText}`),
    ` ${milliseconds.toFixed(1)} ms`, ` ${new Blob([text]).size.toLocaleString("en")} bytes`);
  find("answer-headers").append(...[...headers].flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  show(find("answer-body"), pretty(text));
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curl(request) {
  const { method, path, body } = request;
  const parts = [`curl${{ GET: "", HEAD: " -I" }[method] ?? ` -X ${method}`} ${quoted(address(path).href)}`];
  for (const [name, value] of headerPairs(request)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body) parts.push(`-d ${quoted(body)}`);
  return parts.join(" \\\n  ");
}

/** A Swift string literal; a raw one when the text holds quotes, backslashes or lines. */
function literal(text) {
  if (!/["\\\n\r]/.test(text)) return `"${text}"`;
  const longest = Math.max(0, ...[...text.matchAll(/["\\](#*)/g)].map(([, hashes]) => hashes.length));
  const hashes = "#".repeat(longest + 1);
  return text.includes("\n") ? `${hashes}"""\n${text}\n"""${hashes}` : `${hashes}"${text}"${hashes}`;
}

function swift(request) {
  const { method, path, body } = request;
  const lines = ["import Foundation", "", `var request = URLRequest(url: URL(string: ${literal(address(path).href)})!)`];
  if (method !== "GET") lines.push(`request.httpMethod = "${method}"`);
  for (const [name, value] of headerPairs(request)) lines.push(`request.setValue(${literal(value)}, forHTTPHeaderField: ${literal(name)})`);
  if (body) lines.push(`request.httpBody = Data(${literal(body)}.utf8)`);
  lines.push("let (data, response) = try await URLSession.shared.data(for: request)");
  return lines.join("\n");
}

function follow() {
  find("try-body-field").hidden = !hasBody(find("try-method").value);
  find("code-text").textContent = { curl, swift }[find("code-kind").value](read());
}

function note(request, status) {
  const isSame = (other) => ["method", "path", "headers", "body"].every((name) => other[name] === request[name]);
  const others = remembered("history", []).filter((other) => !isSame(other));
  remember("history", [{ ...request, status }, ...others].slice(0, 10));
  showHistory();
}

function showHistory() {
  const requests = remembered("history", []);
  find("history").hidden = requests.length === 0;
  find("history-list").replaceChildren(...requests.map((request) =>
    element("li", {}, element("button", { type: "button", onclick: () => { fill(request); find("try-send").focus(); } },
      element("span", { class: "method", "data-method": request.method }, request.method),
      element("span", { class: "path" }, request.path),
      element("span", { class: "code-number", "data-class": String(request.status ?? 5)[0] }, String(request.status ?? "–"))))));
}

async function copy() {
  try {
    await navigator.clipboard.writeText(find("code-text").textContent);
    announce("Copied");
  } catch {
    // Without https or localhost the browser has no clipboard: select the text, so that one key copies it.
    getSelection().selectAllChildren(find("code-text"));
    announce("Selected: press Ctrl+C or ⌘C");
  }
}

find("try-form").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
find("try-form").addEventListener("input", follow);
find("try-body").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
});
find("try-cancel").addEventListener("click", () => running?.abort());
find("code-kind").addEventListener("change", follow);
find("code-copy").addEventListener("click", copy);
follow();
showHistory();
