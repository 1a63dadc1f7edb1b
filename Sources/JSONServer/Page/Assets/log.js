// The answered requests, newest first, without this page's own.

import { admin, isOwn, readable } from "./api.js";
import { attempt, confirmLoss, element, find, headerList, statusCode } from "./dom.js";
import { pretty, show } from "./json.js";

const longest = 100;
const list = find("log-list");
const dialog = find("exchange");

/** Reads what was answered before the page opened. */
export const start = () => attempt(async () => {
  for (const entry of await admin("GET", "requests?limit=100")) add(entry);
});

export function add(entry) {
  if (isOwn(entry)) return;
  const { id, time, method, status, milliseconds } = entry;
  const path = readable(entry.path);
  list.prepend(element("li", {}, element("button", { type: "button", title: path, onclick: () => open(id) },
    element("span", { class: "method", "data-method": method }, method), " ",
    element("span", { class: "path" }, path), " ", statusCode(status),
    element("time", { datetime: time }, `${new Date(time).toLocaleTimeString()} · ${milliseconds} ms`))));
  while (list.children.length > longest) list.lastChild.remove();
}

const open = (id) => attempt(async () => {
  const entry = (await admin("GET", "requests?limit=100")).find((entry) => entry.id === id);
  if (!entry) throw new Error("The server no longer remembers this request.");
  const { method, path, status, milliseconds, requestHeaders, requestBody, responseHeaders, responseBody } = entry;
  find("exchange-title").textContent = `${method} ${readable(path)}`;
  find("exchange-parts").replaceChildren(element("p", { class: "quiet" }, statusCode(status), ` ${milliseconds} ms`),
    ...part("Request", requestHeaders, requestBody), ...part("Response", responseHeaders, responseBody));
  find("exchange-again").onclick = () => {
    dialog.close();
    location.hash = `#try?${new URLSearchParams({ method, path, body: requestBody ?? "" })}`;
  };
  dialog.showModal();
});

function part(title, headers, body) {
  const text = element("pre", { tabindex: 0, "aria-label": `${title} body` });
  show(text, pretty(body ?? ""));
  return [element("h3", {}, title), headerList(Object.entries(headers)), body ? text : "No body"];
}

find("log-clear").onclick = async () => {
  const text = "The server forgets the requests and answers it recorded.";
  if (!(await confirmLoss("Clear the request log?", text, "Clear"))) return;
  if (await attempt(() => admin("DELETE", "requests"), "Log cleared")) list.replaceChildren();
};
