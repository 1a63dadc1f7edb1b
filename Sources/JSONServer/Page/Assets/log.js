// The requests that the server answered, newest first. Those that this page sends for itself are hidden unless asked for.

import { admin, isMarked, takeOwn } from "./api.js";
import { attempt, confirmLoss, element, find, remember, remembered } from "./dom.js";
import { pretty, show } from "./json.js";

const longest = 200;
const dialog = find("exchange");
const numbers = new Set();

/** Reads what was answered before the page opened. */
export async function start() {
  find("log-own").checked = remembered("log-own", false);
  showOwn();
  await attempt(async () => {
    for (const entry of await admin.get("requests?limit=100")) insert(entry, isMarked(entry));
  });
}

/** Adds a request that was just answered. */
export const add = (entry) => insert(entry, takeOwn(entry));

function insert(entry, isOwn) {
  if (numbers.has(entry.id) || entry.path.startsWith("/__admin")) return;
  numbers.add(entry.id);
  const { id, time, method, path, status, milliseconds } = entry;
  const label = `${method} ${path} answered ${status} in ${milliseconds} ms`;
  const line = element("li", { class: isOwn && "own" },
    element("button", { type: "button", "aria-label": label, title: path, onclick: () => open(id) },
      element("span", { class: "method", "data-method": method }, method),
      element("span", { class: "path" }, readable(path)),
      element("span", { class: "code-number", "data-class": String(status)[0] }, String(status)),
      element("time", { datetime: time }, `${new Date(time).toLocaleTimeString()} · ${milliseconds} ms`)));
  const list = find("log-list");
  list.prepend(line);
  while (list.children.length > longest) list.lastChild.remove();
}

const readable = (path) => {
  try { return decodeURIComponent(path); } catch { return path; }
};

async function open(id) {
  await attempt(async () => {
    const entry = (await admin.get("requests?limit=1000")).find((entry) => entry.id === id);
    if (!entry) throw new Error("The server no longer remembers this request.");
    find("exchange-title").textContent = `${entry.method} ${readable(entry.path)}`;
    find("exchange-parts").replaceChildren(
      element("p", { class: "answer-line" },
        element("span", { class: "code-number", "data-class": String(entry.status)[0] }, String(entry.status)),
        `${entry.milliseconds} ms`, new Date(entry.time).toLocaleString()),
      ...part("Request", entry.requestHeaders, entry.requestBody),
      ...part("Response", entry.responseHeaders, entry.responseBody));
    find("exchange-again").onclick = () => tryAgain(entry);
    dialog.showModal();
  });
}

function part(title, headers, body) {
  const pairs = Object.entries(headers ?? {}).flatMap(([name, value]) =>
    [element("dt", {}, name), element("dd", {}, String(value))]);
  const text = element("pre", { class: "code", tabindex: 0, "aria-label": `${title} body` });
  if (body) show(text, pretty(body));
  return [
    element("h3", {}, title),
    element("details", {}, element("summary", {}, "Headers"), element("dl", { class: "pairs" }, ...pairs)),
    body ? text : element("p", { class: "quiet" }, "No body"),
  ];
}

function tryAgain({ method, path, requestBody }) {
  dialog.close();
  location.hash = `#try?${new URLSearchParams({ method, path, body: requestBody ?? "" })}`;
}

const showOwn = () => find("log-list").classList.toggle("with-own", find("log-own").checked);

find("log-own").addEventListener("change", () => {
  remember("log-own", find("log-own").checked);
  showOwn();
});

find("log-clear").addEventListener("click", async () => {
  if (!(await confirmLoss("Clear the request log?", "The server forgets the requests and answers it recorded.", "Clear"))) return;
  await attempt(() => admin.delete("requests"), "Log cleared");
  find("log-list").replaceChildren();
});

find("exchange-close").addEventListener("click", () => dialog.close());
