// The request log, newest first. The server leaves out the requests of this page.

import { codeView } from "./code.js";
import { admin, compact, grouped, pretty, readable, tryParse } from "./data.js";
import { button, fill, node, ui } from "./dom.js";
import { ask, attempt, openPanel } from "./messages.js";
import { throttled } from "./timing.js";
import { headerList, methodName, show, statusCode } from "./values.js";

const longest = 1_000;
/** The lines that are shown while requests come, since a browser lays out all lines for each of them. A pause shows all. */
const live = 200;
const { logList, logMethod, logStatus, logPath, logPause } = ui;
/** The entries by id, oldest first. */
let entries = new Map();
/** The entries that are not drawn yet. */
let fresh = [];
let held;

export const start = () => attempt(async () => {
  const added = entries = new Map();
  // What waits for the end of a pause is read again, or is cleared.
  held &&= [];
  const known = await admin("GET", `requests?limit=${longest}`);
  entries = new Map([...known.map((entry) => [entry.id, entry]), ...added]);
  showAll();
});

/** The text in place of a status, by the delivery of an incomplete response. */
const broken = { hang: "no response", reset: "reset", lose: "lost", truncate: "cut short" };

const group = ({ status, delivery }) => (broken[delivery] ? "broken" : String(status)[0]);

const fits = (entry) => (!logMethod.value || entry.method === logMethod.value)
  && (!logStatus.value || group(entry) === logStatus.value) && readable(entry.path).toLowerCase().includes(logPath.value.toLowerCase());

/** The result of a request: status, time, and the fault, hold, stub or rule that it met. */
function outcome(entry) {
  const { status, milliseconds, matched, unexpected, delivery, bytesPerSecond } = entry;
  const met = Object.entries(matched ?? {}).map(([kind, id]) => `${kind} ${id}`);
  const code = broken[delivery] ? node("span.status-code", { "data-class": group(entry) }, broken[delivery])
    : status == null ? node("span.status-code", "waits") : statusCode(status);
  const time = milliseconds == null ? NaN : Number(compact(milliseconds));
  return [code, [time >= 0 && `${time.toFixed(time < 10 ? 1 : 0)} ms`, bytesPerSecond && `${grouped(bytesPerSecond)} bytes/s`, ...met, unexpected && "unexpected"].filter(Boolean).join(" · ")];
}

// Creating a format for each line would take longer than the rest of the line.
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

function line(entry) {
  const path = readable(entry.path);
  const [code, text] = outcome(entry);
  return node("li", { "data-id": entry.id }, button([methodName(entry.method), " ", node("span.path", path), " ", code,
    node("time", { datetime: entry.time }, `${clock.format(new Date(entry.time))} · ${text}`)], () => open(entry.id), { title: path.slice(0, 500) }));
}

function showAll() {
  fill(logList, [...entries.values()].filter(fits).slice(held ? 0 : -live).reverse().map(line));
  showPause();
}

/** Shows the new entries; of very many, only the newest. */
function draw() {
  for (const entry of fresh.splice(0).slice(-longest)) {
    const old = logList.querySelector(`[data-id="${entry.id}"]`);
    entries.set(entry.id, entry);
    if (!fits(entry)) old?.remove();
    else if (old) old.replaceWith(line(entry));
    else logList.prepend(line(entry));
  }
  for (const id of [...entries.keys()].slice(0, -longest)) entries.delete(id);
  if (!held) for (const old of [...logList.children].slice(live)) old.remove();
  showPause();
}

// At a thousand requests a second, drawing them in every frame takes most of a core.
const drawSoon = throttled(250, draw);

export function add(entry) {
  (held ?? fresh).push(entry);
  drawSoon();
}

const showPause = () => { logPause.textContent = !held ? "Pause" : held.length > 0 ? `Resume (${held.length})` : "Resume"; };

/** The response of a stub. Its body is JSON if the text is JSON. */
export const response = (status, text, headers = undefined) => ({ status, headers, body: tryParse(text) ?? (text || undefined) });

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
    part("Request", sent, body), status != null && part(broken[entry.delivery] ? "Response without the fault" : "Response", Object.entries(responseHeaders), responseBody),
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
  fresh.push(...held ?? []);
  held = held ? undefined : [];
  draw();
  showAll();
};
ui.logClear.onclick = async () => {
  if (!(await ask("Clear the request log?", "The server deletes all entries.", "Clear"))) return;
  if (await attempt(() => admin("DELETE", "requests"), "Log cleared")) start();
};
