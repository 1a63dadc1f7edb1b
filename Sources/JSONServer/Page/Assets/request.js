// Try a request: send anything to the API and see the answer.

import { address } from "./api.js";
import { codeView } from "./code.js";
import { find, headerList, onSubmit, statusCode } from "./dom.js";
import { pretty, show } from "./json.js";

const method = find("try-method");
let running;
let opened;
const code = codeView("curl", "swift");

/** Fills the form from the address, if it says something new. */
export function open(query, start) {
  if (query.toString() === opened) return;
  opened = query.toString();
  const request = Object.fromEntries(query);
  method.value = request.method ?? "GET";
  find("try-path").value = request.path ?? start;
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
      method, headers: headerPairs(request), body: body || undefined, cache: "no-store", signal: controller.signal,
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
  show(find("answer-body"), pretty(text), "response");
}

function follow() {
  find("try-body-field").hidden = !takesBody();
  const request = read();
  code.show({ ...request, headers: headerPairs(request) });
}

onSubmit("try-form", run);
find("try-form").oninput = follow;
find("try-cancel").onclick = () => running.abort();
find("try").append(code);
follow();
