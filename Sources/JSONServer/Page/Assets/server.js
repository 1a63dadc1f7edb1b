// Switches of the running server: delay, read-only, snapshots, faults.

import { admin } from "./api.js";
import { ask, attempt, button, element, find, onSubmit } from "./dom.js";
import { note } from "./health.js";

export const refresh = () => attempt(async () => {
  const [settings, snapshots, faults] = await Promise.all(["settings", "snapshots", "faults"].map((path) => admin("GET", path)));
  find("delay").value = settings.delay;
  find("read-only").checked = settings.readOnly;
  note({ readOnly: settings.readOnly });
  fill("snapshots", "None. A snapshot keeps the data as it is now.", snapshots.map(({ name, time }) =>
    item(name, new Date(time).toLocaleString(),
      button("Restore", () => restore(name), { "aria-label": `Restore ${name}` }), button("Delete", () => forget(name), { "aria-label": `Delete ${name}` }))));
  fill("faults", "None. A fault shows how a client copes.", faults.map((fault) => {
    const title = `${fault.method ?? "Any method"} ${fault.path ?? "any path"}`;
    const remove = () => act("DELETE", `faults/${encodeURIComponent(fault.id)}`, undefined, "Fault removed");
    return item(title, effect(fault), button("Remove", remove, { "aria-label": `Remove the fault of ${title}` }));
  }));
});

const fill = (id, none, items) =>
  find(id).replaceChildren(...(items.length > 0 ? items : [element("li", { class: "quiet" }, none)]));

const item = (title, detail, ...buttons) =>
  element("li", {}, element("strong", {}, title), element("span", { class: "quiet" }, detail), ...buttons);

function effect({ delay, status, retryAfter, action, times }) {
  const parts = [
    { hang: "never answers", reset: "resets the connection", truncate: "cuts the body short" }[action],
    retryAfter != null ? `429, retry after ${retryAfter} s` : status != null && `answers ${status}`,
    delay != null && `${[delay].flat().join(" to ")} ms late`,
    times != null && `times: ${times}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** Changes something, then shows everything as it is now. */
async function act(method, path, value, done) {
  await attempt(() => admin(method, path, value), done);
  await refresh();
}

async function actOnLoss(title, text, action, method, path) {
  if (await ask(title, text, action)) await act(method, path, undefined, `${action}: done`);
}

const restore = (name) => actOnLoss(`Restore “${name}”?`, "What was changed since the snapshot was taken is lost.",
  "Restore", "POST", `snapshots/${encodeURIComponent(name)}`);

const forget = (name) => actOnLoss(`Delete the snapshot “${name}”?`, "The resources stay as they are.",
  "Delete", "DELETE", `snapshots/${encodeURIComponent(name)}`);

/** What the number in the fault form means, and its first value, by what happens. */
const numbers = { status: ["Status", 503], delay: ["Delay in ms", 500], retryAfter: ["Retry after, s", 5] };

function followFaultKind() {
  const number = numbers[find("fault-kind").value];
  find("fault-number-field").hidden = !number;
  if (number) [find("fault-label").textContent, find("fault-number").value] = number;
}

function addFault() {
  const kind = find("fault-kind").value;
  const fault = numbers[kind] ? { [kind]: Number(find("fault-number").value) } : { action: kind };
  const times = Number(find("fault-times").value) || undefined;
  return act("POST", "faults", {
    ...fault, times, method: find("fault-method").value || undefined, path: find("fault-path").value || undefined,
  }, "Fault added");
}

onSubmit("settings-form", () => act("PATCH", "settings", { delay: Number(find("delay").value) }, "Delay set"));
onSubmit("snapshot-form", () => act("POST", "snapshots", { name: find("snapshot-name").value.trim() || undefined }, "Snapshot taken"));
onSubmit("fault-form", addFault);
find("fault-kind").onchange = followFaultKind;
find("read-only").onchange = ({ target: { checked } }) =>
  act("PATCH", "settings", { readOnly: checked }, checked ? "Read-only" : "Writes allowed");
find("reset").onclick = () => actOnLoss("Reset everything?",
  "What was changed since the server started is lost.", "Reset", "POST", "reset");
