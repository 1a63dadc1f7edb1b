// The running server: delay, read-only, snapshots, rules, sessions, and unexpected requests.

import { admin, brief, compact, counted, grouped, readable, tryParse } from "./data.js";
import { ask, attempt, button, fill, node, onSubmit, options, throttled, ui } from "./dom.js";
import * as log from "./log.js";

const kinds = {
  status: ["Respond with a status", "Status", 503], delay: ["Respond late", "Delay in ms", 500], retryAfter: ["Rate limit (429)", "Retry after, s", 5],
  hang: ["Never respond"], reset: ["Reset the connection"], truncate: ["Cut off the body"],
  stub: ["Stub: a fixed response", "Status", 200], hold: ["Hold: wait until released"],
};
/** @type {{ gone?: boolean, readOnly?: boolean, invalid?: { file: string, message: string } | null, delay?: number, rules?: Record<string, number> }} */
const state = {};
const { delay, readOnly, ruleKind, ruleNumber, ruleBody, ruleMethod, rulePath, ruleTimes } = ui;
let turn = 0;
/** The query that filled the form of a new rule, until the address changes. */
let opened;

/** Updates the state of the whole server, such as `{ gone: true }`, and shows it: in banners, and the number of rules in the head. */
export function note(news) {
  const { gone, readOnly, invalid, delay, rules } = Object.assign(state, news);
  const met = ["stubs", "holds", "faults"].filter((name) => rules?.[name] > 0).map((name) => counted(rules[name], name));
  ui.badge.textContent = [...met, delay > 0 && `${grouped(delay)} ms`].filter(Boolean).join(" · ");
  ui.badge.hidden = ui.badge.textContent === "";
  document.body.toggleAttribute("data-read-only", Boolean(readOnly));
  const shown = [
    gone && ["The server does not answer. This page may show old data."],
    invalid && [`${invalid.file} is invalid. The server uses its last valid content.`, invalid.message],
    readOnly && ["The server is read-only: it refuses every change."],
  ].filter(Boolean);
  // A screen reader would read out the same text again.
  if (ui.banners.textContent !== shown.flat().join("")) fill(ui.banners, shown.map(([text, detail]) => node("div", text, detail && node("pre", detail))));
}

const list = (place, none, items) => fill(place, items.length > 0 ? items : node("li.quiet", none));
const item = (title, detail, ...buttons) => node("li", node("strong", title), node("span.quiet", detail), buttons.map(([text, action]) => {
  const name = `${text} ${title}`;
  return button(text, action, { "aria-label": name, "data-key": name });
}));
const since = (time) => new Date(time).toLocaleString();
const act = (method, path, value, done) => attempt(() => admin(method, path, value), done).then(refresh);

async function actOnLoss(title, action, path, method = "POST") {
  if (await ask(title, "You cannot undo this.", action)) await act(method, path, undefined, `${action}: done`);
}

export const refresh = () => attempt(async () => {
  const mine = ++turn;
  const [settings, snapshots, faults, stubs, holds, unexpected, copies] = await Promise.all([
    ...["settings", "snapshots", "faults", "stubs", "holds", "requests?unexpected=true"].map((path) => admin("GET", path)),
    admin("GET", "sessions").catch(() => {})]);
  if (mine !== turn) return;
  if (document.activeElement !== delay) delay.value = settings.delay;
  readOnly.checked = settings.readOnly;
  note({ ...settings, rules: { stubs: stubs.length, faults: faults.length, holds: holds.length } });
  list(ui.snapshots, "None. A snapshot stores the current data.", snapshots.map(({ name, time }) => {
    const path = `snapshots/${encodeURIComponent(name)}`;
    return item(name, since(time),
      ["Restore", () => actOnLoss(`Restore “${name}”?`, "Restore", path)], ["Delete", () => actOnLoss(`Delete “${name}”?`, "Delete", path, "DELETE")]);
  }));
  const rule = (kind, { id, request, ...more }, ...texts) => {
    const { method = "Any method", path = "any path", query = undefined, ...rest } = { ...more, ...request };
    return item(`${method} ${path} ${query ? compact(query) : ""}`, brief(compact(rest), 120), ...texts.map((text) =>
      [text, () => act("DELETE", `${kind}/${id}${text === "Fail" ? "?status=503" : ""}`, undefined, `${text}: done`)]));
  };
  list(ui.rules, "None.", [
    ...faults.map((fault) => rule("faults", fault, "Remove")),
    ...holds.map((hold) => rule("holds", { ...hold, requests: undefined, waiting: hold.requests.length }, "Release", "Fail")),
    ...stubs.map((stub) => rule("stubs", stub, "Remove")),
  ]);
  ui.sessions.parentElement.hidden = !copies;
  list(ui.sessions, "None.", (copies ?? []).map(({ name, requests, lastUsed }) =>
    item(name, `${grouped(requests)} requests, last ${since(lastUsed)}`, ["End", () => actOnLoss(`End “${name}”?`, "End", `sessions/${name}`, "DELETE")])));
  list(ui.unexpected, "None. With --strict, requests that nothing matches are listed here.", unexpected.reverse().map(({ id, method, path, time }) =>
    item(`${method} ${readable(path)}`, since(time), ["Show", () => log.open(id)])));
});

function followKind() {
  const [, label, number] = kinds[ruleKind.value];
  ui.ruleNumberField.hidden = !label;
  ui.ruleBodyField.hidden = ruleKind.value !== "stub";
  if (label) [ui.ruleLabel.textContent, ruleNumber.value] = [label, number];
}

/** Whether a stub's body may be a text. A text that only looks like JSON needs a confirmation. */
async function isMeant(text) {
  if (!/^\s*["[{]/.test(text) || tryParse(text) !== undefined) return true;
  let fault;
  try { JSON.parse(text); } catch ({ message }) { fault = message; }
  return ask("This body is not JSON. Add it as text?", node("p", fault), "Add as text");
}

async function addRule() {
  const kind = ruleKind.value;
  const number = Number(ruleNumber.value);
  const times = Number(ruleTimes.value) || undefined;
  const request = { method: ruleMethod.value || undefined, path: rulePath.value || undefined };
  if (kind === "stub" && !(await isMeant(ruleBody.value))) return ruleBody.focus();
  if (kind === "stub") return act("POST", "stubs", { request, times, response: log.response(number, ruleBody.value) }, "Stub added");
  if (kind === "hold") return act("POST", "holds", { ...request, times }, "Hold added");
  return act("POST", "faults", { ...(kinds[kind][1] ? { [kind]: number } : { action: kind }), ...request, times }, "Fault added");
}

/** Shows the server's state. A query with a method or a path fills the form of a new rule. */
export function open(query) {
  refresh();
  if (query.size === 0 || String(query) === opened) return;
  opened = String(query);
  ruleMethod.value = query.get("method") ?? "";
  rulePath.value = query.get("path");
  ruleTimes.value = "1";
  ruleKind.focus();
}

/** Refreshes after a request, which may have met a rule. */
export const refreshSoon = throttled(300, () => ui.server.hidden || refresh());

fill(ruleKind, options(Object.entries(kinds).map(([kind, [text]]) => [kind, text])));
followKind();
onSubmit(ui.settingsForm, () => act("PATCH", "settings", { delay: Number(delay.value) }, "Delay set"));
onSubmit(ui.snapshotForm, () => act("POST", "snapshots", { name: ui.snapshotName.value.trim() || undefined }, "Snapshot taken"));
onSubmit(ui.ruleForm, addRule);
ruleKind.onchange = followKind;
addEventListener("hashchange", () => { opened = undefined; });
readOnly.onchange = () => act("PATCH", "settings", { readOnly: readOnly.checked }, readOnly.checked ? "Read-only" : "Writes allowed");
ui.reset.onclick = () => actOnLoss("Reset the server to its state at the start?", "Reset", "reset");
