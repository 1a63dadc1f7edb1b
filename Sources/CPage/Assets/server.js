// The running server: delay, speed, time, read-only, snapshots, sessions, and unexpected requests.

import { address, admin, counted, grouped, readable, readHealth, session } from "./data.js";
import { button, fill, node, onSubmit, ui } from "./dom.js";
import * as log from "./log.js";
import { announce, ask, attempt, undoButton } from "./messages.js";
import * as rules from "./rules.js";
import { throttled } from "./timing.js";
import { outside } from "./values.js";

/** @type {{ gone?: boolean, readOnly?: boolean, invalid?: { file: string, message: string } | null, delay?: number, rules?: Record<string, number> }} */
const state = {};
const { delay, speed, now, readOnly } = ui;
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
    session && [`This is the session ${session}, with data of its own.`],
    gone && ["The server does not answer. This page may show old data."],
    invalid && [`${invalid.file} is invalid. The server uses its last valid content.`, invalid.message],
    readOnly && ["The server is read-only: it refuses every change."],
  ].filter(Boolean);
  // A screen reader would read out the same text again.
  if (ui.banners.textContent !== shown.flat().join("")) fill(ui.banners, shown.map(([text, detail]) => node("div", text, detail && node("pre", detail))));
}

const list = (place, none, items) => fill(place, items.length > 0 ? items : node("li.quiet", none));
/** @param {string} title @param {Node | string} shown The title as a text or a link. */
const item = (title, detail, buttons, shown = title) => node("li", node("strong", shown), node("span.quiet", detail), buttons.map(([text, action]) => {
  const name = `${text} ${title}`;
  return button(text, action, { "aria-label": name, "data-key": name });
}));
const since = (time) => new Date(time).toLocaleString();
const act = (method, path, value, done) => attempt(() => admin(method, path, value), done).then(refresh);

const actOnLoss = async (title, action, path, method = "POST") => await ask(title, "You cannot undo this.", action) && act(method, path, undefined, `${action}: done`);

const snapshot = (name) => `snapshots/${encodeURIComponent(name)}`;

/** Replaces all data after a confirmation. A snapshot named `kept`, which stays in the list, undoes it. */
async function replaceData(title, action, text, path, kept) {
  if (!(await ask(title, `${text} The snapshot “${kept}” keeps the present data.`, action))) return;
  await attempt(async () => {
    await admin("POST", "snapshots", { name: kept });
    await admin("POST", path);
    announce(`${action}: done`, { action: undoButton(() => act("POST", snapshot(kept), undefined, "The data is as before")) });
  });
  refresh();
}

export const refresh = () => attempt(async () => {
  const mine = ++turn;
  const [settings, set, snapshots, faults, stubs, holds, unexpected] = await Promise.all([
    readHealth(), ...["settings", "snapshots", "faults", "stubs", "holds", "requests?unexpected=true"].map((path) => admin("GET", path))]);
  const copies = settings.sessions && await admin("GET", "sessions");
  if (mine !== turn) return;
  for (const [field, value] of [[delay, settings.delay], [speed, set.bytesPerSecond ?? ""], [now, set.now ?? ""]]) if (document.activeElement !== field) field.value = value;
  readOnly.checked = settings.readOnly;
  note(settings);
  list(ui.snapshots, "None. A snapshot stores the current data.", snapshots.map(({ name, time }) => item(name, since(time), [
    // The snapshot that is restored has another name than the one that undoes it.
    ["Restore", () => replaceData(`Restore “${name}”?`, "Restore", "All records become those of this snapshot.", snapshot(name), `before ${name}`)],
    ["Delete", () => actOnLoss(`Delete “${name}”?`, "Delete", snapshot(name), "DELETE")]])));
  rules.show({ faults, holds, stubs });
  ui.sessions.parentElement.hidden = !copies;
  list(ui.sessions, "None.", (copies || []).map(({ name, requests, lastUsed }) =>
    item(name, `${counted(requests, "requests")}, last ${since(lastUsed)}`, [["End", () => actOnLoss(`End “${name}”?`, "End", `sessions/${name}`, "DELETE")]],
      outside(address(`__session/${name}/`), name))));
  list(ui.unexpected, "None. With --strict, requests that nothing matches are listed here.", unexpected.reverse().map(({ id, method, path, time }) =>
    item(`${method} ${readable(path)}`, since(time), [["Show", () => log.open(id)]])));
});

/** Shows the server's state. A query with a method or a path fills the form of a new rule. */
export function open(query) {
  refresh();
  if (query.size === 0 || String(query) === opened) return;
  opened = String(query);
  rules.begin(query);
}

/** Refreshes after a request, which may have met a rule. */
export const refreshSoon = throttled(300, () => ui.server.hidden || refresh());

onSubmit(ui.settingsForm, () => act("PATCH", "settings", { delay: Number(delay.value) }, "Delay set"));
onSubmit(ui.speedForm, () => act("PATCH", "settings", { bytesPerSecond: Number(speed.value) || null }, "Speed set"));
onSubmit(ui.timeForm, () => act("PATCH", "settings", { now: now.value.trim() || null }, "Time set"));
onSubmit(ui.snapshotForm, () => act("POST", "snapshots", { name: ui.snapshotName.value.trim() || undefined }, "Snapshot taken"));
addEventListener("hashchange", () => { opened = undefined; });
addEventListener("rules", refresh);
readOnly.onchange = () => act("PATCH", "settings", { readOnly: readOnly.checked }, readOnly.checked ? "Read-only" : "Writes allowed");
ui.reset.onclick = () => replaceData("Reset the data?", "Reset",
  "All records become those that the server last read: at the start, or at the last edit of the file. Delay, faults, holds and stubs stay.", "reset", "before reset");
