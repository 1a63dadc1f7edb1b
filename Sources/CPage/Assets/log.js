// The answered requests, newest first; the server leaves this page's own out.

import { admin, readable } from "./api.js";
import { codeView } from "./code.js";
import { ask, attempt, button, fill, headerList, node, openPanel, statusCode, ui } from "./dom.js";
import { pretty, show } from "./json.js";

const longest = 1_000;
const { logList, logMethod, logStatus, logPath, logPause } = ui;
let entries = [];
let held;

const read = () => admin("GET", `requests?limit=${longest}`);

export const start = () => attempt(async () => {
  entries = (await read()).reverse();
  showAll();
});

const fits = ({ method, status, path }) => (!logMethod.value || method === logMethod.value)
  && (!logStatus.value || String(status)[0] === logStatus.value) && readable(path).toLowerCase().includes(logPath.value.toLowerCase());

function line(entry) {
  const { id, time, method, status, milliseconds } = entry;
  const path = readable(entry.path);
  return node("li", button([node("span.method", { "data-method": method }, method), " ", node("span.path", path), " ", statusCode(status),
    node("time", { datetime: time }, `${new Date(time).toLocaleTimeString()} · ${milliseconds} ms`)], () => open(id), { title: path.slice(0, 500) }));
}

const showAll = () => fill(logList, entries.filter(fits).map(line));

export function add(entry) {
  if (entry.path.startsWith("/__admin")) return;
  if (held) held.push(entry);
  else {
    entries.unshift(entry);
    if (fits(entry)) logList.prepend(line(entry));
    if (entries.length > longest && fits(entries.pop())) logList.lastChild.remove();
  }
  showPause();
}

function showPause() {
  logPause.textContent = !held ? "Pause" : held.length > 0 ? `Resume (${held.length})` : "Resume";
}

const open = (id) => attempt(async () => {
  const entry = (await read()).find((entry) => entry.id === id);
  if (!entry) throw new Error("The server no longer remembers this request.");
  const { method, path, status, milliseconds, requestHeaders, requestBody, responseHeaders, responseBody } = entry;
  const sent = Object.entries(requestHeaders);
  const got = Object.entries(responseHeaders);
  const body = requestBody ?? "";
  const headers = sent.filter(([name]) => !/^(host|connection|content-length|accept-encoding|user-agent)$/i.test(name));
  openPanel(`${method} ${readable(path)}`, node("p.quiet", statusCode(status), ` ${milliseconds} ms`),
    part("Request", sent, body), part("Response", got, responseBody), codeView("curl", "Swift", "Swift test").show({ method, path, body, headers }),
    node("p.line.end", button("Try it again", () => {
      ui.panel.close();
      location.hash = `#try?${new URLSearchParams({ method, path, body })}`;
    }, { class: "primary" })));
});

function part(title, headers, body) {
  const text = node("pre", { tabindex: 0, "aria-label": `${title} body` });
  show(text, pretty(body ?? ""), title);
  return [node("h3", title), headerList(headers), body ? text : "No body"];
}

for (const field of [logMethod, logStatus, logPath]) field.oninput = showAll;
logPause.onclick = () => {
  const waiting = held ?? [];
  held = held ? undefined : [];
  for (const entry of waiting) add(entry);
  showPause();
};
ui.logClear.onclick = async () => {
  if (!(await ask("Clear the request log?", "The server forgets the requests and answers it recorded.", "Clear"))) return;
  if (await attempt(() => admin("DELETE", "requests"), "Log cleared")) start();
};
