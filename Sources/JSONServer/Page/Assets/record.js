// One record: reading, editing, making and deleting it. Its text is never parsed and written again, so numbers keep their digits.

import { address, pathTo, send } from "./api.js";
import { announce, attempt, confirmLoss, element, find } from "./dom.js";
import { compact, kind, parse, pretty, problem, show } from "./json.js";
import { childrenOf, parentOf } from "./relations.js";
import * as records from "./records.js";

const dialog = find("record");
let current = null;

/** Shows a record of a collection. */
export async function open(resource, id, resources) {
  if (dialog.open && current?.resource.name === resource.name && current.id === id) return;
  current = { resource, id, resources, path: pathTo(resource.name, id), method: "PUT" };
  present(`${resource.name} / ${id}`);
  await read();
}

/** Shows a resource that is one object. */
export async function openObject(resource) {
  find("object-title").textContent = resource.name;
  find("object-url").textContent = pathTo(resource.name);
  find("object-url").href = address(pathTo(resource.name));
  await attempt(async () => {
    const { text } = await send("GET", pathTo(resource.name));
    show(find("object-json"), pretty(text));
    find("object-edit").onclick = () => edit({ resource, path: pathTo(resource.name), method: "PUT", text }, `Edit ${resource.name}`);
  });
}

/** Opens the form for a new record. */
function make(resource, columns) {
  const draft = Object.fromEntries(columns.filter((name) => name !== resource.idName).map((name) => [name, ""]));
  edit({ resource, path: pathTo(resource.name), method: "POST", text: JSON.stringify(draft, null, 2) }, `New in ${resource.name}`);
}

export function close() {
  if (dialog.open && current.id !== undefined) dialog.close();
}

/** Follows a change that any client made. */
export function apply({ resource, kind: change, id }) {
  if (!find("object").hidden && find("object-title").textContent === resource) openObject({ name: resource });
  if (!dialog.open || current.resource.name !== resource || current.id !== String(id)) return;
  if (change === "deleted") find("record-notice").textContent = "Another client deleted this record.";
  else if (find("record-form").hidden) read();
  else find("record-notice").textContent = "Another client changed this record meanwhile; Save replaces that.";
}

function present(title) {
  find("record-title").textContent = title;
  find("record-notice").textContent = "";
  find("record-error").textContent = "";
  find("record-json").replaceChildren();
  find("record-links").replaceChildren();
  showForm(false);
  if (!dialog.open) dialog.showModal();
}

async function read() {
  const reading = current;
  try {
    const { text, value } = await send("GET", reading.path);
    if (reading !== current) return;
    current.text = pretty(text);
    show(find("record-json"), current.text);
    await showLinks(value);
  } catch (error) {
    if (reading === current) find("record-notice").textContent = error.message;
  }
}

async function showLinks(value) {
  const { resource, id, resources } = current;
  const parents = Object.entries(value)
    .filter(([, key]) => ["string", "number"].includes(kind(key)))
    .map(([member, key]) => ({ parent: parentOf(member, resources), key: compact(key) }))
    .filter(({ parent }) => parent)
    .map(({ parent, key }) => element("a", { href: `#records${pathTo(parent.name, key)}` }, `↑ ${parent.name} / ${key}`));
  find("record-links").replaceChildren(...parents);
  const children = await childrenOf(resource, resources);
  if (current.id !== id || current.resource !== resource) return;
  find("record-links").replaceChildren(...parents, ...children.map(({ child, member }) =>
    element("a", { href: `#records${pathTo(child.name)}?${new URLSearchParams({ [member]: id })}` }, `↓ ${child.name} of ${id}`)));
}

function edit(next, title) {
  current = next;
  present(title);
  startEditing();
}

function startEditing() {
  find("record-hint").textContent = current.method === "POST" ? "JSON of the new record; the server gives it an id" : "JSON";
  find("record-text").value = current.text ?? "";
  showForm(true);
  find("record-text").focus();
  find("record-text").setSelectionRange(0, 0);
}

function showForm(isEditing) {
  find("record-form").hidden = !isEditing;
  find("record-view").hidden = isEditing;
}

async function save() {
  const text = find("record-text").value;
  const complaint = problem(text);
  find("record-error").textContent = complaint ?? "";
  find("record-text").setAttribute("aria-invalid", complaint !== null);
  if (complaint) return find("record-text").focus();
  const { resource, path, method } = current;
  try {
    const { value } = await send(method, path, text);
    finish(resource, method, value);
  } catch (error) {
    find("record-error").textContent = error.message;
  }
}

function finish(resource, method, value) {
  if (method === "POST") {
    dialog.close();
    const made = [value].flat();
    const id = compact(made.at(-1)?.[resource.idName] ?? "");
    announce(made.length === 1 ? `Created ${resource.name} / ${id}` : `Created ${made.length} records`);
    records.goToEnd(id, made.length);
  } else if (current.id === undefined) {
    dialog.close();
    announce(`Saved ${resource.name}`);
    openObject(resource);
  } else {
    announce(`Saved ${resource.name} / ${current.id}`);
    showForm(false);
    find("record-edit").focus();
    read();
    records.apply({ resource: resource.name, kind: "updated", id: current.id });
  }
}

async function remove() {
  const { resource, id, path } = current;
  const text = "Records that depend on it go too. Only a snapshot or a reset brings them back.";
  if (!(await confirmLoss(`Delete ${resource.name} / ${id}?`, text, "Delete"))) return;
  try {
    await send("DELETE", path);
    dialog.close();
    announce(`Deleted ${resource.name} / ${id}`);
    records.apply({ resource: resource.name, kind: "deleted", id });
  } catch (error) {
    find("record-notice").textContent = error.message;
  }
}

find("record-new").addEventListener("click", () => {
  const columns = [...find("columns").querySelectorAll("button")].map((button) => button.textContent);
  make({ name: find("records-title").textContent, idName: columns[0] ?? "id" }, columns);
});
find("record-edit").addEventListener("click", startEditing);
find("record-delete").addEventListener("click", remove);
find("record-close").addEventListener("click", () => dialog.close());
find("record-cancel").addEventListener("click", () => { if (current.id === undefined) dialog.close(); else showForm(false); });
find("record-form").addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
find("record-text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
});
dialog.addEventListener("close", () => {
  if (current.id !== undefined && !find("records").hidden) history.replaceState(null, "", records.listAddress());
});
