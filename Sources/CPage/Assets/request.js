// Try a request: sends any request to the API and shows the response.

import { codeView } from "./code.js";
import { address, pretty } from "./data.js";
import { fill, onSubmit, ui } from "./dom.js";
import { attempt } from "./messages.js";
import { headerList, show, statusCode } from "./values.js";

const { tryMethod, tryPath, tryHeaders, tryBody, tryForm, tryBodyField } = ui;
const code = codeView("curl", "Swift");
let turn = 0;
let opened;

export function open(query, start) {
  if (query.toString() === opened) return;
  opened = query.toString();
  const request = Object.fromEntries(query);
  tryMethod.value = request.method ?? "GET";
  tryPath.value = request.path ?? start;
  tryBody.value = pretty(request.body ?? "");
  follow();
  clearAnswer("");
}

/**
 * The request in the form. A body without a type is JSON.
 * @returns {{ method: string, path: string, headers: [string, string][], body: string }}
 */
function read() {
  const body = takesBody() ? tryBody.value.trim() : "";
  const headers = [...tryHeaders.value.matchAll(/^([^:\n]+):(.*)$/gm)].map(/** @returns {[string, string]} */ ([, name, value]) => [name.trim(), value.trim()]);
  const isTyped = !body || headers.some(([name]) => name.toLowerCase() === "content-type");
  return { method: tryMethod.value, path: tryPath.value.trim(), body, headers: isTyped ? headers : [["Content-Type", "application/json"], ...headers] };
}

const takesBody = () => !["GET", "HEAD"].includes(tryMethod.value);

async function run() {
  const { method, path, headers, body } = read();
  const mine = ++turn;
  clearAnswer("Waiting for the response …");
  const began = performance.now();
  try {
    const response = await fetch(address(path), { method, headers, body: body || undefined, cache: "no-store" });
    const text = await response.text();
    if (mine !== turn) return;
    fill(ui.answerLine, statusCode(response.status, response.statusText), ` ${(performance.now() - began).toFixed(1)} ms`);
    fill(ui.answerHeaders, headerList(response.headers));
    show(ui.answerBody, pretty(text), "response");
  } catch (error) {
    if (mine === turn) clearAnswer(`No response: ${error.message}. The server has stopped, or a fault closed the connection.`);
  }
}

function clearAnswer(text) {
  ui.answer.hidden = text === "";
  ui.answerLine.textContent = text;
  fill(ui.answerHeaders);
  fill(ui.answerBody);
}

/** Signs in as a user of the server, whose token goes into the headers. */
const signIn = () => attempt(async () => {
  const body = JSON.stringify({ email: ui.signInEmail.value, password: ui.signInPassword.value });
  // As any client, since the page itself needs no sign-in.
  const response = await fetch(address("/login"), { method: "POST", body, headers: { "Content-Type": "application/json" } });
  const value = await response.json();
  if (!response.ok) throw new Error(value.message);
  const others = tryHeaders.value.split("\n").filter((line) => line && !/^authorization:/i.test(line));
  tryHeaders.value = [`Authorization: Bearer ${value.accessToken}`, ...others].join("\n");
  ui.tryMore.open = true;
  follow();
}, "Signed in: each request has the token");

function follow() {
  tryBodyField.hidden = !takesBody();
  code.show(read());
}

onSubmit(tryForm, run);
onSubmit(ui.signIn, signIn);
tryForm.oninput = follow;
ui.try.append(code);
follow();
