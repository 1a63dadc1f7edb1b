// One record. Its text is what is edited, so that numbers keep their digits, and is not lost without a question.

import { address, pathTo, readable, send } from "./api.js";
import { merge } from "./conflict.js";
import { remove } from "./deletion.js";
import { announce, ask, attempt, button, debounced, element, find, onSubmit } from "./dom.js";
import * as editor from "./editor.js";
import { compact, kind, parse, pretty, show } from "./json.js";
import * as records from "./records.js";
import { childrenOf, countChildren, counted, parentOf } from "./relations.js";

const dialog = find("record");
const text = find("record-text");
const form = find("record-form");
let current;
let isSaving = false;

const notice = (...content) => find("record-notice").replaceChildren(...content);
const isEditing = () => dialog.open && !form.hidden;

export const isDirty = () => isEditing() && text.value !== current.start;

/** Whether the form may go: nothing was changed, or the person agrees. */
export const mayClose = async () => !isDirty() || Boolean(await ask("Discard your changes?", "They are not saved.", "Discard"));

export const discard = () => showForm(false);

export function open(resource, id, resources) {
  if (dialog.open && current.resource.name === resource.name && current.id === id) return;
  start({ resource, id, resources, path: pathTo(resource.name, id), method: "PUT" }, `${resource.name} / ${id}`);
  const hasAddress = !["", ".", ".."].includes(id);
  find("record-actions").hidden = !hasAddress;
  if (hasAddress) read();
  else notice("No browser can address a record with this id. Change it in the file.");
}

export const openObject = (resource) => attempt(async () => {
  const path = pathTo(resource.name);
  const answer = await send("GET", path);
  find("object-title").textContent = resource.name;
  find("object-url").textContent = readable(path);
  find("object-url").href = address(path);
  show(find("object-json"), pretty(answer.text), resource.name);
  find("object-edit").onclick = () => {
    start({ resource, path, method: "PUT", text: pretty(answer.text), tag: answer.headers.get("ETag") }, resource.name);
    edit();
  };
});

function make(draft) {
  const { resource, draft: empty } = records.current();
  start({ resource, path: pathTo(resource.name), method: "POST", text: pretty(JSON.stringify(draft ?? empty)) }, `New in ${resource.name}`);
  edit();
  if (draft) current.start = "";
}

/** Closes the record, but not a form for a new one. */
export function close() {
  if (current?.id !== undefined) dialog.close();
}

/** Closes a form for a new record. */
export function closeForm() {
  if (dialog.open && current.id === undefined) dialog.close();
}

/** Follows a change that any client made. */
export function apply({ resource, kind: change, id }) {
  if (!find("object").hidden && find("object-title").textContent === resource) openObject({ name: resource });
  if (!dialog.open || isSaving || current.resource.name !== resource || current.id !== String(id)) return;
  if (change === "deleted") offerNew();
  else if (!isEditing()) read();
  else notice("Another client changed this record meanwhile; Save shows both versions.");
}

function offerNew() {
  notice("This record was deleted meanwhile. ", isEditing() ? button("Save as new", () => save("POST")) : "");
}

function start(next, title) {
  current = next;
  find("record-title").textContent = title;
  notice();
  find("record-json").replaceChildren();
  find("record-links").replaceChildren();
  showForm(false);
  if (!dialog.open) dialog.showModal();
}

async function read() {
  const reading = current;
  const waiting = setTimeout(notice, 300, "Reading …");
  try {
    const answer = await send("GET", reading.path);
    clearTimeout(waiting);
    if (reading !== current || isEditing()) return;
    notice();
    Object.assign(current, { text: pretty(answer.text), tag: answer.headers.get("ETag"), value: answer.value });
    show(find("record-json"), current.text, `${current.resource.name}-${current.id}`);
    await showLinks(answer.value);
  } catch (error) {
    if (reading === current) notice(error.message);
  } finally {
    clearTimeout(waiting);
  }
}

async function showLinks(value) {
  const reading = current;
  const { resource, id, resources } = reading;
  const parents = Object.entries(value)
    .filter(([member, key]) => ["string", "number"].includes(kind(key)) && parentOf(member, resources))
    .map(([member, key]) => pathTo(parentOf(member, resources).name, compact(key)))
    .map((path) => element("a", { href: `#records${path}` }, `↑ ${path.slice(1)}`));
  const children = await Promise.all((await childrenOf(resource, resources)).map(async (child) => {
    const count = (await countChildren(child, [id]))?.get(id);
    const label = count === undefined ? child.name : counted(count, child.name);
    return element("a", { href: `#records${pathTo(child.name)}?${new URLSearchParams({ [child.member]: id })}` }, `↓ ${label}`);
  }));
  if (reading === current) find("record-links").replaceChildren(...parents, ...children);
}

function edit() {
  text.value = current.text ?? "";
  // As the field has it: it may change the ends of lines.
  current.start = text.value;
  editor.mark("");
  showForm(true);
  text.focus();
  text.setSelectionRange(0, 0);
}

function showForm(isShown) {
  form.hidden = !isShown;
  find("record-view").hidden = isShown;
}

/** Says what a change of the id comes to. */
function warnOfID(value) {
  const { resource, id, method } = current;
  const next = value?.[resource.idName];
  if (method !== "PUT" || id === undefined || next === undefined || compact(next) === id) return;
  notice(`Save keeps the ${resource.idName} ${id}; a record never changes it. `, button(`Save as new, with ${compact(next)}`, () => save("POST")));
}

const checkSoon = debounced(400, () => {
  if (!isEditing() || text.value.length > 500_000) return;
  const value = editor.read();
  if (value === undefined) return;
  notice();
  warnOfID(value);
});

async function save(method = current.method) {
  if (isSaving) return;
  if (editor.read() === undefined) return editor.goToMark();
  const path = method === "POST" ? pathTo(current.resource.name) : current.path;
  lock(true);
  try {
    const { value } = await send(method, path, text.value, method === "PUT" && current.tag ? { "If-Match": current.tag } : {});
    finish(value, method);
  } catch (error) {
    lock(false);
    if (error.status === 412) await settle();
    else if (error.status === 404 && method === "PUT") offerNew();
    else editor.mark(error.message);
  } finally {
    lock(false);
  }
}

function lock(isLocked) {
  isSaving = isLocked;
  text.readOnly = isLocked;
  find("record-save").disabled = isLocked;
  find("record-save").textContent = isLocked ? "Saving …" : "Save";
}

/** Another client was faster: puts both versions together and saves that. */
async function settle() {
  try {
    const { value, text: theirs, headers } = await send("GET", current.path);
    const merged = await merge(`Which version of ${find("record-title").textContent}?`, parse(current.start), parse(text.value), value);
    if (!merged) return;
    Object.assign(current, { start: pretty(theirs), tag: headers.get("ETag") });
    text.value = pretty(JSON.stringify(merged));
    save();
  } catch (error) {
    if (error.status === 404) offerNew();
    else editor.mark(error.message);
  }
}

function finish(value, method) {
  const { resource, id } = current;
  const made = [value].flat();
  const madeID = method === "POST" ? compact(made.at(-1)?.[resource.idName] ?? "") : id;
  announce(made.length === 1 ? `Saved ${resource.name} ${madeID ?? ""}` : `Saved ${made.length} records`);
  showForm(false);
  notice();
  if (id === undefined || method === "POST") dialog.close();
  else {
    find("record-edit").focus();
    read();
  }
  if (method === "POST") records.goToEnd(made.length);
  const change = { resource: resource.name, kind: "updated", id: madeID };
  records.apply(change);
  if (id === undefined) apply(change);
}

async function leave() {
  if (await mayClose()) {
    showForm(false);
    dialog.close();
  }
}

onSubmit("record-form", () => save());
text.oninput = checkSoon;
find("record-new").onclick = () => make();
find("record-edit").onclick = edit;
find("record-format").onclick = editor.format;
find("record-duplicate").onclick = () => {
  const { [current.resource.idName]: _, ...copy } = current.value;
  make(copy);
};
find("record-delete").onclick = async () => {
  const { resource, id, text } = current;
  if (!(await remove(resource, [[id, text]]))) return;
  dialog.close();
  records.apply({ resource: resource.name, kind: "deleted", id });
};
find("record-close").onclick = leave;
find("record-cancel").onclick = async () => {
  if (current.id === undefined) leave();
  else if (await mayClose()) {
    showForm(false);
    read();
  }
};
dialog.onkeydown = (event) => {
  if (event.key !== "Escape") return;
  event.preventDefault();
  leave();
};
dialog.oncancel = (event) => event.preventDefault();
dialog.onclose = () => {
  if (current.id !== undefined && !find("records").hidden) history.replaceState(null, "", records.listAddress());
};
addEventListener("beforeunload", (event) => { if (isDirty()) event.preventDefault(); });
