// One record, in a drawer beside its list. Users edit it as a form or as JSON. Only changes are saved; discarding them needs a confirmation.

import { merge, same } from "./conflict.js";
import { childrenOf, idText, isKey, kind, longest, pathTo, pretty, send, showAddress, viewOf } from "./data.js";
import { remove } from "./deletion.js";
import { announce, ask, attempt, button, debounced, fill, node, onSubmit, show, ui } from "./dom.js";
import * as editor from "./editor.js";
import { showForm as showFields } from "./form.js";
import * as records from "./records.js";
import * as route from "./route.js";
import * as store from "./store.js";

/** @typedef {import("./data.js").Resource} Resource */
/**
 * @typedef {object} Edited
 * @property {Resource} resource
 * @property {string} [id] Undefined for a new record and for a single object.
 * @property {string} path
 * @property {"POST" | "PATCH"} method
 * @property {string} [text] The record's text when it was read; `tag` is its ETag.
 * @property {string | null} [tag]
 * @property {any} [value]
 * @property {string} [start] The JSON field's first value.
 * @property {boolean} [isCopy]
 * @property {boolean} [isMade]
 */

const { record: dialog, recordText: text, recordForm: form, recordSave: saveButton, recordFields: fields, recordTabForm: formTab, recordTabJson: jsonTab } = ui;
/** @type {Edited} */
let current;
/** The form; undefined while the JSON is shown. @type {import("./form.js").Form | undefined} */
let shownForm;
let isSaving = false;
/** The number of switches between form and JSON. A form that loads late does not replace the JSON. */
let choices = 0;

const notice = (...content) => fill(ui.recordNotice, content);
const isEditing = () => dialog.open && !form.hidden;

/** Whether there are unsaved changes. */
export function isDirty() {
  if (!isEditing()) return false;
  if (current.isCopy) return true;
  if (!shownForm) return text.value !== current.start;
  try { return differs(shownForm.read()); } catch { return true; }
}

export const mayClose = async () => !isSaving && (!isDirty() || ask("Discard your changes?", "They are not saved.", "Discard"));

export function showForm(isShown) {
  form.hidden = !isShown;
  ui.recordView.hidden = isShown;
}

/** @param {Edited} next @param {string} title */
function start(next, title) {
  current = next;
  ui.recordTitle.textContent = title;
  notice();
  fill(ui.recordJson);
  showForm(false);
  if (!dialog.open) dialog.showModal();
}

/** @param {Resource} resource @param {string} id */
export function open(resource, id) {
  if (dialog.open && current.resource.name === resource.name && current.id === id) return;
  start({ resource, id, path: pathTo(resource.name, id), method: "PATCH" }, `${resource.name} / ${id}`);
  // Only a record that was read can be edited: otherwise nothing tells the changes.
  ui.recordActions.hidden = true;
  fill(ui.recordLinks);
  if (!/^\.{0,2}$/.test(id)) read();
  else notice("A browser cannot send a request for this id. Change the id in the file.");
}

/** @param {{ name: string }} resource */
export const openObject = (resource) => attempt(async () => {
  const path = pathTo(resource.name);
  const answer = await send("GET", path);
  ui.objectTitle.textContent = resource.name;
  showAddress(ui.objectUrl, path);
  show(ui.objectJson, pretty(answer.text), resource.name);
  ui.objectEdit.onclick = () => {
    start({ resource: { idName: "", kind: "object", parents: {}, count: 1, ...resource }, path, method: "PATCH", ...answer }, resource.name);
    edit();
  };
});

/** @param {any} [copy] */
function make(copy) {
  const { resource } = route;
  const value = copy ?? store.draft(resource);
  start({ resource, path: pathTo(resource.name), method: "POST", value, text: JSON.stringify(value), isCopy: copy !== undefined }, `New in ${resource.name}`);
  edit();
}

/** Closes a record when the address changes, and the form of a new record only when the user leaves. */
export function close(isLeaving = false) {
  if (dialog.open && (current.id === undefined) === isLeaving) dialog.close();
}

export function apply({ resource, kind: change, id }) {
  if (!ui.object.hidden && ui.objectTitle.textContent === resource) openObject({ name: resource });
  if (!dialog.open || isSaving || current.resource.name !== resource || current.id !== String(id)) return;
  if (change === "deleted") offerNew();
  else if (isEditing()) notice("Another client changed this record. Save shows both versions.");
  else read();
}

/** Reads the record again, unless it is being edited. Save then finds changes of other clients. */
export const refresh = () => { if (dialog.open && !isEditing() && current.id !== undefined) read(); };

const offerNew = () => notice("Another client deleted this record. ", isEditing() && button("Save as new", () => save("POST")));

/** Shows links to the record's parents and children. @param {Edited} edited */
function showLinks(edited) {
  const { resource, id, value } = edited;
  const link = (text, ...place) => node("a", { href: viewOf(...place) }, text);
  fill(ui.recordLinks,
    Object.entries(resource.parents).flatMap(([name, parent]) => [value[name]].flat().filter(isKey).map((key) =>
      link(`${parent} / ${idText(key)}`, [parent, idText(key)]))),
    childrenOf(resource).map(({ name, member }) => link(`↓ ${name}`, [name], { [member]: id })));
}

async function read() {
  const reading = current;
  const waiting = setTimeout(notice, 300, "Reading …");
  try {
    const { text, tag, value } = await send("GET", reading.path);
    if (reading !== current || isEditing()) return;
    Object.assign(current, { text, tag, value });
    notice();
    ui.recordActions.hidden = false;
    showLinks(current);
    show(ui.recordJson, pretty(text), `${current.resource.name}-${current.id}`);
  } catch (error) {
    if (reading === current) notice(error.message);
  } finally {
    clearTimeout(waiting);
  }
}

/** Shows the JSON, with the changes made in the form. */
function editJSON(value = current.value) {
  shownForm = undefined;
  mark();
  const isAsRead = value === current.value || !differs(value);
  text.value = pretty(isAsRead ? current.text : JSON.stringify(value));
  // The field may change line endings.
  if (isAsRead) current.start = text.value;
}

/** Shows the form, with the changes made in the JSON. */
async function editFields(value = current.value) {
  const [edited, choice] = [current, ++choices];
  const made = await showFields(fields, edited.resource, value, { kindOf: store.kindOf, isNew: edited.method === "POST" });
  if (edited !== current || choice !== choices || !isEditing()) return;
  shownForm = made;
  mark();
}

function mark() {
  editor.mark("");
  const isForm = shownForm !== undefined;
  ui.recordFormPanel.hidden = !isForm;
  ui.recordJsonPanel.hidden = ui.recordFormat.hidden = isForm;
  for (const [tab, isSelected] of /** @type {[HTMLElement, boolean][]} */ ([[formTab, isForm], [jsonTab, !isForm]])) {
    tab.ariaSelected = String(isSelected);
    tab.tabIndex = isSelected ? 0 : -1;
  }
}

async function edit() {
  showForm(true);
  editJSON();
  const choice = choices + 1;
  if (kind(current.value) === "object" && current.text.length <= longest) {
    await editFields();
    if (shownForm) return shownForm.focus();
    // The user has already switched to the JSON.
    if (choice !== choices) return;
  }
  text.focus();
  text.setSelectionRange(0, 0);
}

/** Switches between form and JSON. */
const change = (isForm) => attempt(async () => {
  if (isSaving || (isForm && shownForm)) return;
  choices += 1;
  if (!isForm) return shownForm && editJSON(contents());
  const value = editor.read();
  if (value === undefined) await editor.explain(pathTo(current.resource.name));
  else if (kind(value) !== "object") editor.mark("The form shows one record. This JSON is a list or a single value.");
  else await editFields(value);
});

text.oninput = debounced(400, () => {
  const { resource: { idName }, id, method } = current;
  if (!isEditing() || text.value.length > 500_000) return;
  const next = editor.read()?.[idName];
  if (method !== "PATCH" || id === undefined || next === undefined || idText(next) === id) return;
  notice(`Save keeps the ${idName} ${id}, which never changes. `, button(`Save as new, with ${idText(next)}`, () => save("POST")));
});

/** The edited record; undefined when the text is not JSON. Throws the error of a field. */
const contents = () => (shownForm ? shownForm.read() : editor.read());

/** The names of the members that differ between two versions of a record, regardless of their order. */
const changed = (before, after) => Object.keys({ ...before, ...after }).filter((name) => !same(before[name], after[name]));

const differs = (value) => changed(current.value, value).length > 0;

/** The request that turns one version of a record into another: the changed members, or a patch if members are removed. */
function patch({ idName }, before, after) {
  const names = changed(before, after).filter((name) => name !== idName);
  const gone = names.filter((name) => !(name in after));
  if (gone.length === 0) return { count: names.length, body: Object.fromEntries(names.map((name) => [name, after[name]])), type: "application/json" };
  const place = (name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const body = names.map((name) => (name in after ? { op: "add", path: place(name), value: after[name] } : { op: "remove", path: place(name) }));
  return { count: names.length, body, type: "application/json-patch+json" };
}

async function save(method = current.method) {
  if (isSaving) return;
  editor.mark("");
  let next;
  try { next = contents(); } catch (error) {
    editor.mark(error.message);
    error.field?.closest("details")?.setAttribute("open", "");
    return error.field?.focus();
  }
  const { path, tag, resource, value: before } = current;
  if (next === undefined) return editor.explain(pathTo(resource.name));
  const isNew = method === "POST";
  if (!isNew && kind(next) !== "object") return editor.mark("A record must be an object: { … }.");
  const { count, body, type } = isNew ? { count: 1, body: next, type: "application/json" } : patch(resource, before, next);
  if (count === 0) {
    announce("Nothing has changed");
    return endEditing();
  }
  lock(true);
  try {
    const sent = isNew && !shownForm ? text.value : JSON.stringify(body);
    const { value } = await send(method, isNew ? pathTo(resource.name) : path, sent, { "Content-Type": type, ...(!isNew && tag ? { "If-Match": tag } : {}) });
    lock(false);
    finish(value, method);
  } catch (error) {
    lock(false);
    if (error.status === 412) settle(next);
    else if (error.status === 404 && !isNew) offerNew();
    else editor.mark(error.message);
  }
}

function lock(isLocked) {
  isSaving = text.readOnly = saveButton.disabled = fields.disabled = isLocked;
  saveButton.textContent = isLocked ? "Saving …" : "Save";
}

/** Merges the edited version with the server's and saves the result. */
async function settle(mine) {
  try {
    const { value, text: theirs, tag } = await send("GET", current.path);
    const merged = await merge(`Which version of ${ui.recordTitle.textContent}?`, current.value, mine, value);
    if (!merged) return;
    Object.assign(current, { value, tag, text: theirs });
    const isForm = shownForm !== undefined;
    editJSON(merged);
    if (isForm) await editFields(merged);
    save();
  } catch (error) {
    if (error.status === 404) offerNew();
    else editor.mark(error.message);
  }
}

/** Returns from the form to the record, or from a new record to the list. */
function endEditing() {
  showForm(false);
  if (current.isMade || current.id === undefined) return dialog.close();
  ui.recordEdit.focus();
  read();
}

function finish(value, method) {
  const { resource, id } = current;
  const isNew = current.isMade = method === "POST";
  const made = [value].flat();
  const madeID = isNew ? idText(made.at(-1)?.[resource.idName]) : id ?? "";
  // The list may show the record on another page, or not at all.
  const action = isNew && made.length === 1 && button("Show", () => { location.hash = route.listAddress({}, madeID); });
  announce(made.length === 1 ? `Saved ${resource.name} ${madeID}` : `Saved ${made.length} records`, { action });
  endEditing();
  if (isNew) records.showAdded(made.length);
  records.apply({ resource: resource.name, id: madeID, kind: "updated" });
}

async function leave() {
  if (!(await mayClose())) return;
  showForm(false);
  dialog.close();
}

lock(false);
onSubmit(form, () => save());
form.onkeydown = (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  save();
};
formTab.onclick = () => change(true);
jsonTab.onclick = () => change(false);
formTab.onkeydown = jsonTab.onkeydown = (event) => {
  if (!/^Arrow(Left|Right)$/.test(event.key)) return;
  const other = event.target === formTab ? jsonTab : formTab;
  other.click();
  other.focus();
};
ui.recordFormat.onclick = () => {
  if (editor.read() === undefined) editor.explain(pathTo(current.resource.name));
  else editor.format();
};
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
  if (!current.isMade && !ui.records.hidden) history.replaceState(null, "", route.listAddress());
};
addEventListener("beforeunload", (event) => { if (isDirty()) event.preventDefault(); });
