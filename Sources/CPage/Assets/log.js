// The requests, newest first; the server leaves this page's own out.

import { codeView } from "./code.js";
import { admin, pretty, readable, tryParse } from "./data.js";
import { ask, attempt, button, fill, headerList, node, openPanel, show, statusCode, ui } from "./dom.js";

const longest = 1_000;
const { logList, logMethod, logStatus, logPath, logPause } = ui;
let entries = [];
let held;

export const start = () => attempt(async () => {
  entries = [];
  const known = (await admin("GET", `requests?limit=${longest}`)).reverse();
  const meanwhile = entries.reverse();
  entries = known;
  showAll();
  meanwhile.forEach(add);
});

const fits = ({ method, status, path }) => (!logMethod.value || method === logMethod.value)
  && (!logStatus.value || String(status)[0] === logStatus.value) && readable(path).toLowerCase().includes(logPath.value.toLowerCase());

/** What a request came to: its status and time, and the fault, hold, stub or rule that it met. */
function outcome({ status, milliseconds, matched, unexpected }) {
  const met = Object.entries(matched ?? {}).map(([kind, id]) => `${kind} ${id}`);
  const code = status == null ? node("span.status-code", "waits") : statusCode(status);
  return [code, [milliseconds != null && `${milliseconds} ms`, ...met, unexpected && "unexpected"].filter(Boolean).join(" · ")];
}

function line(entry) {
  const path = readable(entry.path);
  const [code, text] = outcome(entry);
  return node("li", button([node("span.method", { "data-method": entry.method }, entry.method), " ", node("span.path", path), " ", code,
    node("time", { datetime: entry.time }, `${new Date(entry.time).toLocaleTimeString()} · ${text}`)], () => open(entry.id), { title: path.slice(0, 500) }));
}

const showAll = () => fill(logList, entries.filter(fits).map(line));

export function add(entry) {
  if (entry.path.startsWith("/__admin")) return;
  const place = entries.findIndex(({ id }) => id === entry.id);
  if (held) held.push(entry);
  else if (place >= 0) {
    entries[place] = entry;
    showAll();
  } else {
    entries.unshift(entry);
    if (fits(entry)) logList.prepend(line(entry));
    if (entries.length > longest && fits(entries.pop())) logList.lastChild.remove();
  }
  showPause();
}

function showPause() {
  logPause.textContent = !held ? "Pause" : held.length > 0 ? `Resume (${held.length})` : "Resume";
}

/** The response of a stub: JSON where the text is JSON. */
export const response = (status, text, headers) => ({ status, headers, body: tryParse(text) ?? (text || undefined) });

export const open = (id) => attempt(async () => {
  const entry = await admin("GET", `requests/${id}`);
  const { method, path, status, matched, requestHeaders, requestBody, responseHeaders, responseBody } = entry;
  const sent = Object.entries(requestHeaders);
  const body = requestBody ?? "";
  const headers = sent.filter(([name]) => !/^(host|connection|content-length|accept-encoding|user-agent)$/i.test(name));
  const act = (text, action, more) => button(text, () => attempt(async () => {
    ui.panel.close();
    await action();
  }), more);
  const goTo = (view, query) => { location.hash = `#${view}?${new URLSearchParams(query)}`; };
  const type = Object.entries(responseHeaders).filter(([name]) => /^content-type$/i.test(name));
  const release = (end, text) => act(text, () => admin("DELETE", `holds/${matched.hold}${end}`));
  const stub = () => admin("POST", "stubs", { request: { method, path }, response: response(status, responseBody ?? "", Object.fromEntries(type)) })
    .then(() => goTo("server"));
  openPanel(`${method} ${readable(path)}`, node("p.quiet", outcome(entry).flatMap((part) => [part, " "])),
    part("Request", sent, body), status != null && part("Response", Object.entries(responseHeaders), responseBody),
    codeView("curl", "Swift", "Swift test").show({ method, path, body, headers }),
    node("p.line.end", status == null ? [release("?status=503", "Fail it"), release("", "Release it")] : act("Make it a stub", stub),
      act("Make it fail …", () => goTo("server", { method, path })), act("Try it again", () => goTo("try", { method, path, body }), { class: "primary" })));
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
  if (!(await ask("Clear the request log?", "The server forgets them.", "Clear"))) return;
  if (await attempt(() => admin("DELETE", "requests"), "Log cleared")) start();
};
