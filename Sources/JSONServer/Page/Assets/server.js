// Switches of the running server: delay, read-only, snapshots, faults.

import { admin } from "./api.js";
import { attempt, confirmLoss, element, find } from "./dom.js";

/** Reads all switches and shows them. */
export const refresh = () => attempt(async () => {
  const [settings, snapshots, faults] = await Promise.all(["settings", "snapshots", "faults"].map(admin.get));
  showSettings(settings);
  showMode(settings, faults);
  showSnapshots(snapshots);
  showFaults(faults);
});

function showSettings({ delay, readOnly }) {
  if (document.activeElement !== find("delay")) find("delay").value = delay;
  find("read-only").checked = readOnly;
}

/** Says in the header what makes the server behave unusually. */
function showMode({ delay, readOnly }, faults) {
  const parts = [readOnly && "read-only", delay > 0 && `delay ${delay} ms`, faults.length > 0 && `${faults.length} fault${faults.length > 1 ? "s" : ""}`];
  find("mode").textContent = parts.filter(Boolean).join(" · ");
  find("mode").hidden = find("mode").textContent === "";
}

function showSnapshots(snapshots) {
  find("snapshots").replaceChildren(...snapshots.map(({ name, time }) =>
    item(name, new Date(time).toLocaleString(),
      element("button", { type: "button", "aria-label": `Restore ${name}`, onclick: () => restore(name) }, "Restore"),
      element("button", { type: "button", "aria-label": `Delete ${name}`, onclick: () => forget(name) }, "Delete"))));
  if (snapshots.length === 0) find("snapshots").append(element("li", { class: "quiet" }, "None. A snapshot keeps all resources as they are now."));
}

function showFaults(faults) {
  find("faults").replaceChildren(...faults.map((fault) =>
    item(`${fault.method ?? "Any method"} ${fault.path ?? "any path"}`, effect(fault),
      element("button", { type: "button", "aria-label": `Remove the fault ${fault.path ?? ""}`, onclick: () =>
        act(() => admin.delete(`faults/${encodeURIComponent(fault.id)}`), "Fault removed") }, "Remove"))));
  if (faults.length === 0) find("faults").append(element("li", { class: "quiet" }, "None. A fault shows how a client copes with errors and slowness."));
}

const item = (title, detail, ...buttons) =>
  element("li", {}, element("strong", {}, title), element("span", { class: "quiet" }, detail), ...buttons);

function effect({ delay, status, retryAfter, action, times }) {
  const parts = [
    action && { hang: "never answers", reset: "resets the connection", truncate: "cuts the body short" }[action],
    retryAfter != null ? `429, retry after ${retryAfter} s` : status != null && `answers ${status}`,
    delay != null && `${[delay].flat().join(" to ")} ms late`,
    times != null && `${times} more time${times === 1 ? "" : "s"}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** Changes something, then shows everything as it is now. */
async function act(action, done) {
  const succeeded = await attempt(action, done);
  await refresh();
  return succeeded;
}

async function restore(name) {
  const text = "What was changed since the snapshot was taken is lost.";
  if (!(await confirmLoss(`Restore “${name}”?`, text, "Restore"))) return;
  await act(() => admin.post(`snapshots/${encodeURIComponent(name)}`), `Restored ${name}`);
}

async function forget(name) {
  if (!(await confirmLoss(`Delete the snapshot “${name}”?`, "The resources stay as they are.", "Delete"))) return;
  await act(() => admin.delete(`snapshots/${encodeURIComponent(name)}`), `Deleted ${name}`);
}

/** The fields of the fault form that depend on what happens: label and first value of the number, or null for none. */
const values = { status: ["Status", 503], delay: ["Delay in ms", 500], retryAfter: ["Retry after, s", 5], hang: null, reset: null, truncate: null };

function followFaultKind() {
  const [label, value] = values[find("fault-kind").value] ?? [];
  find("fault-value-field").hidden = label === undefined;
  if (label === undefined) return;
  find("fault-value-label").textContent = label;
  find("fault-value").value = value;
}

function faultInForm() {
  const kind = find("fault-kind").value;
  const fault = values[kind] ? { [kind]: Number(find("fault-value").value) } : { action: kind };
  if (find("fault-method").value) fault.method = find("fault-method").value;
  if (find("fault-path").value) fault.path = find("fault-path").value;
  if (find("fault-times").value) fault.times = Number(find("fault-times").value);
  return fault;
}

function onSubmit(id, action) {
  find(id).addEventListener("submit", (event) => {
    event.preventDefault();
    action();
  });
}

onSubmit("settings-form", () => act(() => admin.patch("settings", { delay: Number(find("delay").value) }), "Delay set"));
onSubmit("fault-form", () => act(() => admin.post("faults", faultInForm()), "Fault added"));
onSubmit("snapshot-form", async () => {
  const name = find("snapshot-name").value.trim();
  if (await act(() => admin.post("snapshots", name ? { name } : {}), "Snapshot taken")) find("snapshot-name").value = "";
});
find("fault-kind").addEventListener("change", followFaultKind);
find("read-only").addEventListener("change", () =>
  act(() => admin.patch("settings", { readOnly: find("read-only").checked }), find("read-only").checked ? "Read-only" : "Writes allowed"));
find("reset").addEventListener("click", async () => {
  const text = "All resources go back to the state they had when the server started. Later changes are lost.";
  if (await confirmLoss("Reset everything?", text, "Reset")) await act(() => admin.post("reset"), "Reset");
});
