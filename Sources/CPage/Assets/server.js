// Switches of the running server: delay, read-only, snapshots, faults.

import { admin } from "./api.js";
import { ask, attempt, button, fill, node, onSubmit, ui } from "./dom.js";
import { note } from "./health.js";

let turn = 0;

export const refresh = () => attempt(async () => {
  const mine = ++turn;
  const [settings, snapshots, faults] = await Promise.all(["settings", "snapshots", "faults"].map((path) => admin("GET", path)));
  if (mine !== turn) return;
  ui.delay.value = settings.delay;
  ui.readOnly.checked = settings.readOnly;
  note({ readOnly: settings.readOnly });
  list(ui.snapshots, "None. A snapshot keeps the data as it is now.", snapshots.map(({ name, time }) =>
    item(name, new Date(time).toLocaleString(),
      button("Restore", () => restore(name), { "aria-label": `Restore ${name}` }), button("Delete", () => forget(name), { "aria-label": `Delete ${name}` }))));
  list(ui.faults, "None. A fault shows how a client copes.", faults.map((fault) => {
    const title = `${fault.method ?? "Any method"} ${fault.path ?? "any path"}`;
    const remove = () => act("DELETE", `faults/${encodeURIComponent(fault.id)}`, undefined, "Fault removed");
    return item(title, effect(fault), button("Remove", remove, { "aria-label": `Remove the fault of ${title}` }));
  }));
});

const list = (place, none, items) => fill(place, items.length > 0 ? items : node("li.quiet", none));

const item = (title, detail, ...buttons) => node("li", node("strong", title), node("span.quiet", detail), buttons);

function effect({ delay, status, retryAfter, action, times }) {
  const parts = [
    { hang: "never answers", reset: "resets the connection", truncate: "cuts the body short" }[action],
    retryAfter != null ? `429, retry after ${retryAfter} s` : status != null && `answers ${status}`,
    delay != null && `${[delay].flat().join(" to ")} ms late`,
    times != null && `times: ${times}`,
  ];
  return parts.filter(Boolean).join(", ");
}

const act = (method, path, value, done) => attempt(() => admin(method, path, value), done).then(refresh);

async function actOnLoss(title, text, action, method, path) {
  if (await ask(title, text, action)) await act(method, path, undefined, `${action}: done`);
}

const restore = (name) => actOnLoss(`Restore “${name}”?`, "What was changed since the snapshot was taken is lost.",
  "Restore", "POST", `snapshots/${encodeURIComponent(name)}`);

const forget = (name) => actOnLoss(`Delete the snapshot “${name}”?`, "The resources stay as they are.",
  "Delete", "DELETE", `snapshots/${encodeURIComponent(name)}`);

const numbers = { status: ["Status", 503], delay: ["Delay in ms", 500], retryAfter: ["Retry after, s", 5] };

function followFaultKind() {
  const number = numbers[ui.faultKind.value];
  ui.faultNumberField.hidden = !number;
  if (number) [ui.faultLabel.textContent, ui.faultNumber.value] = number;
}

function addFault() {
  const [kind, number, times, method, path] = ["Kind", "Number", "Times", "Method", "Path"].map((name) => ui[`fault${name}`].value || undefined);
  const fault = numbers[kind] ? { [kind]: Number(number) } : { action: kind };
  return act("POST", "faults", { ...fault, times: times && Number(times), method, path }, "Fault added");
}

onSubmit(ui.settingsForm, () => act("PATCH", "settings", { delay: Number(ui.delay.value) }, "Delay set"));
onSubmit(ui.snapshotForm, () => act("POST", "snapshots", { name: ui.snapshotName.value.trim() || undefined }, "Snapshot taken"));
onSubmit(ui.faultForm, addFault);
ui.faultKind.onchange = followFaultKind;
ui.readOnly.onchange = ({ target: { checked } }) =>
  act("PATCH", "settings", { readOnly: checked }, checked ? "Read-only" : "Writes allowed");
ui.reset.onclick = () => actOnLoss("Reset everything?",
  "What was changed since the server started is lost.", "Reset", "POST", "reset");
