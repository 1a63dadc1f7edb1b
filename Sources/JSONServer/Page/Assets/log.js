// The answered requests, newest first; this page's own only when asked for.

import { admin, readable } from "./api.js";
import { codeView, stub } from "./code.js";
import { announce, ask, attempt, button, element, find, headerList, openPanel, statusCode } from "./dom.js";
import { pretty, show } from "./json.js";

const longest = 1_000;
const list = find("log-list");
const names = ["log-method", "log-path", "log-status", "log-own"];
const [method, path, status, own] = names.map(find);
let entries = [];
let held;

/** Reads what was answered before. */
export const start = () => attempt(async () => {
  entries = (await admin("GET", `requests?limit=${longest}&summary=true${own.checked ? "&page=true" : ""}`)).reverse();
  showAll();
});

const fits = (entry) => (!method.value || entry.method === method.value) && (!status.value || String(entry.status)[0] === status.value)
  && readable(entry.path).toLowerCase().includes(path.value.toLowerCase());

const matches = ({ matched = [], delivery }) =>
  [...matched.map(({ kind, id, pattern }) => `${kind} ${id ?? pattern}`), ...(delivery ? [delivery] : [])].join(", ");

function item(entry) {
  const { id, time, method, status, milliseconds } = entry;
  const path = readable(entry.path);
  const by = matches(entry);
  return element("li", {}, element("button", { type: "button", title: path.slice(0, 500), onclick: () => open(id) },
    element("span", { class: "method", "data-method": method }, method), " ",
    element("span", { class: "path" }, path), " ", statusCode(status),
    element("time", { datetime: time }, `${new Date(time).toLocaleTimeString()} · ${milliseconds} ms`),
    by && element("span", { class: "matched" }, by)));
}

const showAll = () => list.replaceChildren(...entries.filter(fits).map(item));

export function add(entry) {
  if (entry.path.startsWith("/__admin") || (entry.page && !own.checked)) return;
  if (held) {
    held.push(entry);
    return showPause();
  }
  entries.unshift(entry);
  if (fits(entry)) list.prepend(item(entry));
  if (entries.length > longest && fits(entries.pop())) list.lastChild.remove();
}

function showPause() {
  find("log-pause").textContent = held ? `Resume${held.length ? ` (${held.length})` : ""}` : "Pause";
}

async function detail(id) {
  try {
    return await admin("GET", `requests/${id}`);
  } catch {
    const known = (await admin("GET", `requests?limit=${longest}`)).find((entry) => entry.id === id);
    if (!known) throw new Error("The server no longer remembers this request.");
    return known;
  }
}

const open = (id) => attempt(async () => {
  const entry = await detail(id);
  const { method, path, status, milliseconds, requestHeaders, requestBody, responseHeaders, responseBody } = entry;
  const headers = Object.entries(requestHeaders);
  const sent = headers.filter(([name]) => !/^(host|connection|content-length|accept-encoding|user-agent)$/i.test(name));
  const type = Object.entries(responseHeaders).find(([name]) => /^content-type$/i.test(name))?.[1];
  const request = { method, path, headers: sent, body: requestBody ?? "", status, type, answer: responseBody };
  const view = codeView("curl", "swift", "expect", "stub");
  view.show(request);
  const addStub = () => attempt(() => admin("POST", "stubs", stub(request)), "Requests like this are answered so from now on");
  const again = () => {
    find("panel").close();
    location.hash = `#try?${new URLSearchParams({ method, path, body: request.body })}`;
  };
  openPanel(`${method} ${readable(path)}`, element("p", { class: "quiet" }, statusCode(status), ` ${milliseconds} ms`, matches(entry) && ` · ${matches(entry)}`),
    ...part("Request", headers, requestBody), ...part("Response", Object.entries(responseHeaders), responseBody), view,
    element("p", { class: "line end" }, button("Add as a stub", addStub), button("Try it again", again, { class: "primary" })));
});

function part(title, headers, body) {
  const text = element("pre", { tabindex: 0, "aria-label": `${title} body` });
  show(text, pretty(body ?? ""), title);
  return [element("h3", {}, title), headerList(headers), body ? text : "No body"];
}

for (const name of names) find(name).oninput = showAll;
own.oninput = start;
find("log-pause").onclick = () => {
  const waiting = held;
  held = waiting ? undefined : [];
  for (const entry of waiting ?? []) add(entry);
  showPause();
};
find("log-clear").onclick = async () => {
  if (!(await ask("Clear the request log?", "The server forgets the requests and answers it recorded.", "Clear"))) return;
  if (!(await attempt(() => admin("DELETE", "requests")))) return;
  announce("Log cleared");
  entries = [];
  showAll();
};
