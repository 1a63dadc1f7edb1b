// Try a request: send anything to the API and see the answer.

import { address } from "./api.js";
import { announce, find, headerList, onSubmit, statusCode } from "./dom.js";
import { pretty, show } from "./json.js";

const method = find("try-method");
let running;
let opened = "";

/** Fills the form from the address, if it says something new. */
export function open(query) {
  if (query.toString() === opened) return;
  opened = query.toString();
  const request = Object.fromEntries(query);
  method.value = request.method ?? "GET";
  find("try-path").value = request.path ?? "/";
  find("try-headers").value = request.headers ?? "";
  find("try-body").value = pretty(request.body ?? "");
  follow();
  clearAnswer("");
}

const read = () => ({
  method: method.value,
  path: find("try-path").value.trim(),
  headers: find("try-headers").value.trim(),
  body: takesBody() ? find("try-body").value.trim() : "",
});

const takesBody = () => !["GET", "HEAD"].includes(method.value);

/** Header lines as pairs; a body without a type is JSON. */
function headerPairs({ headers, body }) {
  const pairs = [...headers.matchAll(/^([^:\n]+):(.*)$/gm)].map(([, name, value]) => [name.trim(), value.trim()]);
  const isTyped = pairs.some(([name]) => name.toLowerCase() === "content-type");
  return body && !isTyped ? [["Content-Type", "application/json"], ...pairs] : pairs;
}

async function run() {
  const request = read();
  const { method, path, body } = request;
  running?.abort();
  const controller = running = new AbortController();
  clearAnswer("Waiting for the answer …");
  find("try-cancel").hidden = false;
  const began = performance.now();
  try {
    const response = await fetch(address(path), {
      method, headers: headerPairs(request), body: body || undefined, signal: controller.signal,
    });
    const text = await response.text();
    showAnswer(response, text, performance.now() - began);
  } catch (error) {
    if (running !== controller) return;
    clearAnswer(controller.signal.aborted ? "Cancelled." : `No answer: ${error.message}. A fault may have cut the connection.`);
  }
  if (running === controller) find("try-cancel").hidden = true;
}

function clearAnswer(text) {
  find("answer").hidden = text === "";
  find("answer-line").textContent = text;
  find("answer-headers").replaceChildren();
  find("answer-body").replaceChildren();
}

function showAnswer({ status, statusText, headers }, text, milliseconds) {
  const size = new Blob([text]).size.toLocaleString("en");
  find("answer-line").replaceChildren(statusCode(status, statusText), ` ${milliseconds.toFixed(1)} ms · ${size} bytes`);
  find("answer-headers").append(headerList(headers));
  show(find("answer-body"), pretty(text));
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curl(request) {
  const { method, path, body } = request;
  const option = { GET: "", HEAD: " -I" }[method] ?? ` -X ${method}`;
  const headers = headerPairs(request).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const parts = [`curl${option} ${quoted(address(path).href)}`, ...headers, body && `-d ${quoted(body)}`];
  return parts.filter(Boolean).join(" \\\n  ");
}

/** A Swift string literal, with as many # as the text needs. */
function literal(text) {
  if (!/["\\\n]/.test(text)) return `"${text}"`;
  const longest = Math.max(0, ...[...text.matchAll(/["\\](#*)/g)].map(([, hashes]) => hashes.length));
  const hashes = "#".repeat(longest + 1);
  const quotes = text.includes("\n") ? ['"""\n', '\n"""'] : ['"', '"'];
  return hashes + quotes.join(text) + hashes;
}

function swift(request) {
  const { method, path, body } = request;
  return [
    "import Foundation\n",
    `var request = URLRequest(url: URL(string: ${literal(address(path).href)})!)`,
    method !== "GET" && `request.httpMethod = "${method}"`,
    ...headerPairs(request).map(([name, value]) =>
      `request.setValue(${literal(value)}, forHTTPHeaderField: ${literal(name)})`),
    body && `request.httpBody = Data(${literal(body)}.utf8)`,
    "let (data, response) = try await URLSession.shared.data(for: request)",
  ].filter(Boolean).join("\n");
}

function follow() {
  find("try-body-field").hidden = !takesBody();
  find("code-text").textContent = { curl, swift }[find("code-kind").value](read());
}

async function copy() {
  try {
    await navigator.clipboard.writeText(find("code-text").textContent);
    announce("Copied");
  } catch {
    announce("The browser lets a page copy only on localhost and over https.", true);
  }
}

onSubmit("try-form", run);
find("try-form").oninput = follow;
find("try-cancel").onclick = () => running.abort();
find("code-kind").onchange = follow;
find("code-copy").onclick = copy;
follow();
