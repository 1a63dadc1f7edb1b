// One record. Its text is what is edited, so that numbers keep their digits.

import { address, pathTo, readable, send } from "./api.js";
import { announce, attempt, confirmLoss, element, find, onSubmit } from "./dom.js";
import { compact, kind, pretty, show } from "./json.js";
import * as records from "./records.js";
import { childrenOf, parentOf } from "./relations.js";

const dialog = find("record");
const text = find("record-text");
let current;

export function open(resource, id, resources) {
  if (dialog.open && current.resource.name === resource.name && current.id === id) return;
  start({ resource, id, resources, path: pathTo(resource.name, id), method: "PUT" }, `${resource.name} / ${id}`);
  const hasAddress = !["", ".", ".."].includes(id);
  find("record-actions").hidden = !hasAddress;
  if (hasAddress) read();
  else find("record-notice").textContent = "No browser can address a record with this id. Change it in the file.";
}

export const openObject = (resource) => attempt(async () => {
  const path = pathTo(resource.name);
  const answer = await send("GET", path);
  find("object-title").textContent = resource.name;
  find("object-url").textContent = readable(path);
  find("object-url").href = address(path);
  show(find("object-json"), pretty(answer.text));
  find("object-edit").onclick = () => {
    start({ resource, path, method: "PUT", text: pretty(answer.text) }, resource.name);
    edit();
  };
});

function make() {
  const { resource, draft } = records.current();
  start({ resource, path: pathTo(resource.name), method: "POST", text: pretty(JSON.stringify(draft)) }, `New in ${resource.name}`);
  edit();
}

/** Closes the record, but not a form for a new one. */
export function close() {
  if (current?.id !== undefined) dialog.close();
}

/** Follows a change that any client made. */
export function apply({ resource, kind: change, id }) {
  if (!find("object").hidden && find("object-title").textContent === resource) openObject({ name: resource });
  if (!dialog.open || current.resource.name !== resource || current.id !== String(id)) return;
  if (change === "deleted") find("record-notice").textContent = "Another client deleted this record.";
  else if (find("record-form").hidden) read();
  else find("record-notice").textContent = "Another client changed this record meanwhile; Save replaces that.";
}

function start(next, title) {
  current = next;
  find("record-title").textContent = title;
  find("record-notice").textContent = "";
  find("record-json").replaceChildren();
  find("record-links").replaceChildren();
  showForm(false);
  if (!dialog.open) dialog.showModal();
}

async function read() {
  const reading = current;
  try {
    const answer = await send("GET", reading.path);
    if (reading !== current) return;
    current.text = pretty(answer.text);
    show(find("record-json"), current.text);
    await showLinks(answer.value);
  } catch (error) {
    if (reading === current) find("record-notice").textContent = error.message;
  }
}

async function showLinks(value) {
  const reading = current;
  const { resource, id, resources } = reading;
  const parents = Object.entries(value)
    .filter(([member, key]) => ["string", "number"].includes(kind(key)) && parentOf(member, resources))
    .map(([member, key]) => pathTo(parentOf(member, resources).name, compact(key)))
    .map((path) => element("a", { href: `#records${path}` }, `↑ ${path.slice(1)}`));
  const children = (await childrenOf(resource, resources)).map(({ name, member }) =>
    element("a", { href: `#records${pathTo(name)}?${new URLSearchParams({ [member]: id })}` }, `↓ ${name} of ${id}`));
  if (reading === current) find("record-links").replaceChildren(...parents, ...children);
}

function edit() {
  text.value = current.text ?? "";
  text.ariaInvalid = false;
  find("record-error").textContent = "";
  showForm(true);
  text.focus();
  text.setSelectionRange(0, 0);
}

function showForm(isEditing) {
  find("record-form").hidden = !isEditing;
  find("record-view").hidden = isEditing;
}

async function save() {
  const { path, method } = current;
  try {
    JSON.parse(text.value);
    finish((await send(method, path, text.value)).value);
  } catch (error) {
    const isSyntax = error instanceof SyntaxError;
    text.ariaInvalid = isSyntax;
    find("record-error").textContent = isSyntax ? `This is not JSON yet: ${error.message}` : error.message;
    text.focus();
  }
}

function finish(value) {
  const { resource, method, id } = current;
  const made = [value].flat();
  const madeID = method === "POST" ? compact(made.at(-1)?.[resource.idName] ?? "") : id;
  announce(made.length === 1 ? `Saved ${resource.name} ${madeID ?? ""}` : `Saved ${made.length} records`);
  if (id === undefined) dialog.close();
  else {
    showForm(false);
    find("record-edit").focus();
    read();
  }
  if (method === "POST") records.goToEnd(made.length);
  const change = { resource: resource.name, kind: "updated", id: madeID };
  records.apply(change);
  apply(change);
}

async function remove() {
  const { resource, id, path } = current;
  const text = "Records that depend on it go too.";
  if (!(await confirmLoss(`Delete ${resource.name} / ${id}?`, text, "Delete"))) return;
  try {
    await send("DELETE", path);
    dialog.close();
    announce(`Deleted ${resource.name} ${id}`);
    records.apply({ resource: resource.name, kind: "deleted", id });
  } catch (error) {
    find("record-notice").textContent = error.message;
  }
}

onSubmit("record-form", save);
find("record-new").onclick = make;
find("record-edit").onclick = edit;
find("record-delete").onclick = remove;
find("record-close").onclick = () => dialog.close();
find("record-cancel").onclick = () => (current.id === undefined ? dialog.close() : showForm(false));
dialog.onclose = () => {
  if (current.id !== undefined && !find("records").hidden) history.replaceState(null, "", records.listAddress());
};
