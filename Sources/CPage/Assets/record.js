// One record. Its text is what is edited, so that numbers keep their digits, and it is not lost without a question.

import { merge } from "./conflict.js";
import { childrenOf, compact, isKey, parse, pathTo, pretty, send, showAddress, viewOf } from "./data.js";
import { remove } from "./deletion.js";
import { announce, ask, attempt, button, debounced, fill, node, onSubmit, show, ui } from "./dom.js";
import * as editor from "./editor.js";
import * as records from "./records.js";

const { record: dialog, recordText: text, recordForm: form, recordSave: saveButton } = ui;
let current;
let isSaving = false;

const notice = (...content) => fill(ui.recordNotice, content);
const isEditing = () => dialog.open && !form.hidden;

export const isDirty = () => isEditing() && text.value !== current.start;

export const mayClose = async () => !isSaving && (!isDirty() || ask("Discard your changes?", "They are not saved.", "Discard"));

export function showForm(isShown) {
  form.hidden = !isShown;
  ui.recordView.hidden = isShown;
}

function start(next, title) {
  current = next;
  ui.recordTitle.textContent = title;
  notice();
  fill(ui.recordJson);
  showForm(false);
  if (!dialog.open) dialog.showModal();
}

export function open(resource, id) {
  if (dialog.open && current.resource.name === resource.name && current.id === id) return;
  start({ resource, id, path: pathTo(resource.name, id), method: "PUT" }, `${resource.name} / ${id}`);
  // What was not read yet is not edited: nobody could tell what it replaces.
  ui.recordActions.hidden = true;
  if (!/^\.{0,2}$/.test(id)) read();
  else notice("No browser can address this id. Change it in the file.");
}

export const openObject = (resource) => attempt(async () => {
  const path = pathTo(resource.name);
  const answer = await send("GET", path);
  ui.objectTitle.textContent = resource.name;
  showAddress(ui.objectUrl, path);
  show(ui.objectJson, pretty(answer.text), resource.name);
  ui.objectEdit.onclick = () => {
    start({ resource, path, method: "PUT", text: pretty(answer.text), tag: answer.tag }, resource.name);
    edit();
  };
});

function make(copy) {
  const { resource, draft } = records.current();
  start({ resource, path: pathTo(resource.name), method: "POST", text: pretty(JSON.stringify(copy ?? draft)) }, `New in ${resource.name}`);
  edit();
  if (copy) current.start = "";
}

/** Closes a record when the address is another's; a form for a new one only when the person leaves. */
export function close(isLeaving = false) {
  if (dialog.open && (current.id === undefined) === isLeaving) dialog.close();
}

export function apply({ resource, kind: change, id }) {
  if (!ui.object.hidden && ui.objectTitle.textContent === resource) openObject({ name: resource });
  if (!dialog.open || isSaving || current.resource.name !== resource || current.id !== String(id)) return;
  if (change === "deleted") offerNew();
  else if (isEditing()) notice("Another client changed this record meanwhile; Save shows both versions.");
  else read();
}

/** Reads it again, unless it is being edited: Save shows then what has changed. */
export const refresh = () => { if (dialog.open && !isEditing() && current.id !== undefined) read(); };

const offerNew = () => notice("This record was deleted meanwhile. ", isEditing() && button("Save as new", () => save("POST")));

/** Leads to the records that a record refers to, and to those that refer to it. */
function showLinks({ resource, id, value }) {
  const link = (text, ...place) => node("a", { href: viewOf(...place) }, text);
  fill(ui.recordLinks,
    Object.entries(resource.parents).flatMap(([name, parent]) => [value[name]].flat().filter(isKey).map((key) =>
      link(`${parent} / ${compact(key)}`, [parent, compact(key)]))),
    childrenOf(resource).map(({ name, member }) => link(`↓ ${name}`, [name], { [member]: id })));
}

async function read() {
  const reading = current;
  const waiting = setTimeout(notice, 300, "Reading …");
  try {
    const { text, tag, value } = await send("GET", reading.path);
    if (reading !== current || isEditing()) return;
    Object.assign(current, { text: pretty(text), tag, value });
    notice();
    ui.recordActions.hidden = false;
    showLinks(current);
    show(ui.recordJson, current.text, `${current.resource.name}-${current.id}`);
  } catch (error) {
    if (reading === current) notice(error.message);
  } finally {
    clearTimeout(waiting);
  }
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

text.oninput = debounced(400, () => {
  const { resource: { idName }, id, method } = current;
  if (!isEditing() || text.value.length > 500_000) return;
  const next = editor.read()?.[idName];
  if (method !== "PUT" || id === undefined || next === undefined || compact(next) === id) return;
  notice(`Save keeps the ${idName} ${id}; a record never changes it. `, button(`Save as new, with ${compact(next)}`, () => save("POST")));
});

async function save(method = current.method) {
  if (isSaving) return;
  editor.mark("");
  if (editor.read() === undefined) return editor.explain();
  const { path, tag, resource } = current;
  lock(true);
  try {
    const { value } = await send(method, method === "POST" ? pathTo(resource.name) : path, text.value, method === "PUT" && tag && { "If-Match": tag });
    lock(false);
    finish(value, method);
  } catch (error) {
    lock(false);
    if (error.status === 412) settle();
    else if (error.status === 404 && method === "PUT") offerNew();
    else editor.mark(error.message);
  }
}

function lock(isLocked) {
  isSaving = text.readOnly = saveButton.disabled = isLocked;
  saveButton.textContent = isLocked ? "Saving …" : "Save";
}

async function settle() {
  try {
    const { value, text: theirs, tag } = await send("GET", current.path);
    const merged = await merge(`Which version of ${ui.recordTitle.textContent}?`, parse(current.start), parse(text.value), value);
    if (!merged) return;
    Object.assign(current, { start: pretty(theirs), tag });
    text.value = pretty(JSON.stringify(merged));
    save();
  } catch (error) {
    if (error.status === 404) offerNew();
    else editor.mark(error.message);
  }
}

function finish(value, method) {
  const { resource, id } = current;
  const isNew = current.isMade = method === "POST";
  const made = [value].flat();
  const madeID = isNew ? compact(made.at(-1)?.[resource.idName] ?? "") : id ?? "";
  announce(made.length === 1 ? `Saved ${resource.name} ${madeID}` : `Saved ${made.length} records`);
  showForm(false);
  if (isNew || id === undefined) dialog.close();
  else {
    ui.recordEdit.focus();
    read();
  }
  if (isNew) records.goToEnd(made.length);
  records.apply({ resource: resource.name, id: madeID });
}

async function leave() {
  if (!(await mayClose())) return;
  showForm(false);
  dialog.close();
}

lock(false);
onSubmit(form, () => save());
ui.recordNew.onclick = () => make();
ui.recordEdit.onclick = edit;
ui.recordDuplicate.onclick = () => make(Object.fromEntries(Object.entries(current.value).filter(([name]) => name !== current.resource.idName)));
ui.recordDelete.onclick = async () => {
  if (await remove(current.resource, [current.id])) dialog.close();
};
ui.recordClose.onclick = ui.recordCancel.onclick = leave;
dialog.onkeydown = (event) => {
  if (event.key !== "Escape") return;
  event.preventDefault();
  leave();
};
dialog.oncancel = (event) => event.preventDefault();
dialog.onclose = () => {
  if (!current.isMade && !ui.records.hidden) history.replaceState(null, "", records.listAddress());
};
addEventListener("beforeunload", (event) => { if (isDirty()) event.preventDefault(); });
