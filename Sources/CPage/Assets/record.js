// One record, in a drawer beside its list. Users edit it as a form or as JSON. Only changes are saved; discarding them needs a confirmation.

import { changed, reach, update } from "./conflict.js";
import { childrenOf, idText, isKey, kind, longest, pathTo, pretty, send, showAddress, viewOf } from "./data.js";
import { remove } from "./deletion.js";
import { announce, ask, attempt, button, debounced, fill, node, onSubmit, show, ui } from "./dom.js";
import * as editor from "./editor.js";
import { makeForm } from "./form.js";
import * as records from "./records.js";
import * as route from "./route.js";
import * as store from "./store.js";

/** @typedef {import("./data.js").Resource} Resource */
/**
 * @typedef {object} Edited
 * @property {Resource} resource
 * @property {string} [id] Undefined for a new record and for a single object.
 * @property {"POST" | "PATCH"} method
 * @property {string} [text] The record's text when it was read; `tag` is its ETag.
 * @property {string | null} [tag]
 * @property {any} [value]
 * @property {string} [start] The JSON field's first value.
 * @property {boolean} [isCopy]
 */

const { record: dialog, recordText: text, recordForm: form, recordSave: saveButton, recordFields: fields, recordTabForm: formTab, recordTabJson: jsonTab } = ui;
/** @type {Edited} */
let current;
/** The form; undefined while the JSON is shown. @type {import("./form.js").Form | undefined} */
let shownForm;
let isSaving = false;
/** The number of switches between form and JSON. A form that loads late does not replace the JSON. */
let choices = 0;
let reads = 0;
/** The newest read whose answer the drawer shows. */
let shown = 0;
let objectReads = 0;

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
  shown = ++reads;
  ui.recordTitle.textContent = title;
  notice();
  fill(ui.recordJson);
  showForm(false);
  if (!dialog.open) dialog.showModal();
}

/** @param {Resource} resource @param {string} id */
export function open(resource, id) {
  if (dialog.open && current.resource.name === resource.name && current.id === id) return;
  start({ resource, id, method: "PATCH" }, `${resource.name} / ${id}`);
  // Only a record that was read can be edited: otherwise nothing tells the changes.
  ui.recordActions.hidden = true;
  fill(ui.recordLinks);
  read();
}

/** @param {{ name: string }} resource */
export const openObject = (resource) => attempt(async () => {
  const path = pathTo(resource.name);
  const mine = ++objectReads;
  const answer = await reach("GET", resource);
  if (mine !== objectReads) return;
  ui.objectTitle.textContent = resource.name;
  showAddress(ui.objectUrl, path);
  show(ui.objectJson, pretty(answer.text), resource.name);
  ui.objectEdit.onclick = () => {
    start({ resource: { idName: "", kind: "object", parents: {}, count: 1, ...resource }, method: "PATCH", ...answer }, resource.name);
    edit();
  };
});

/** @param {any} [copy] */
function make(copy) {
  const { resource } = route;
  const value = copy ?? store.draft(resource);
  start({ resource, method: "POST", value, text: JSON.stringify(value), isCopy: copy !== undefined }, `New in ${resource.name}`);
  edit();
}

/** Closes a record when the address changes, and the form of a new record only when the user leaves. */
export function close(isLeaving = false) {
  if (dialog.open && (current.id === undefined) === isLeaving) dialog.close();
}

export function apply({ resource, kind: change, id }) {
  if (change !== "reloaded" && !ui.object.hidden && ui.objectTitle.textContent === resource) openObject({ name: resource });
  if (!dialog.open || isSaving || current.method === "POST" || current.resource.name !== resource) return;
  // A single object has no id.
  if (![undefined, String(id)].includes(current.id)) return;
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
  const mine = ++reads;
  const waiting = setTimeout(() => { if (mine === reads) notice("Reading …"); }, 300);
  try {
    const { text, tag, value } = await reach("GET", current.resource, current.id);
    // Where changes are frequent, a newer read is always on its way.
    if (mine < shown || isEditing()) return;
    shown = mine;
    Object.assign(current, { text, tag, value });
    notice();
    ui.recordActions.hidden = false;
    showLinks(current);
    show(ui.recordJson, pretty(text), `${current.resource.name}-${current.id}`);
  } catch (error) {
    if (mine === reads) notice(error.message);
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
  const made = await makeForm(edited.resource, value, { kindOf: store.kindOf, isNew: edited.method === "POST" });
  if (edited !== current || choice !== choices || !isEditing()) return;
  fill(fields, made.content);
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
  const [edited, choice] = [current, choices + 1];
  if (kind(current.value) === "object" && current.text.length <= longest) await attempt(() => editFields());
  // The user has already switched to the JSON or to another record.
  if (edited !== current || choice < choices) return;
  if (shownForm) return shownForm.focus();
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
  if (method !== "PATCH" || id === undefined) return;
  ui.recordNotice.querySelector(".other-id")?.remove();
  if (next === undefined || idText(next) === id) return;
  notice(node("span.other-id", `Save keeps the ${idName} ${id}, which never changes. `, button(`Save as new, with ${idText(next)}`, () => save("POST"))));
});

/** The edited record; undefined when the text is not JSON. Throws the error of a field. */
const contents = () => (shownForm ? shownForm.read() : editor.read());

const differs = (value) => changed(current.value, value).length > 0;

async function save(method = current.method) {
  if (isSaving) return;
  editor.mark("");
  let next;
  try { next = contents(); } catch (error) {
    editor.mark(error.message);
    error.field?.closest("details")?.setAttribute("open", "");
    return error.field?.focus();
  }
  const { resource, value: before } = current;
  if (next === undefined) return editor.explain(pathTo(resource.name));
  const isNew = method === "POST";
  if (!isNew && kind(next) !== "object") return editor.mark("A record must be an object: { … }.");
  if (!isNew && changed(before, next).every((name) => name === resource.idName)) {
    announce("Nothing has changed");
    return endEditing();
  }
  lock(true);
  try {
    const answer = isNew ? await send(method, pathTo(resource.name), shownForm ? JSON.stringify(next) : text.value) : await update(current, next);
    if (answer) finish(answer.value, isNew);
  } catch (error) {
    if (error.status === 404 && !isNew) offerNew();
    else editor.mark(error.message);
  } finally {
    lock(false);
  }
}

function lock(isLocked) {
  isSaving = text.readOnly = saveButton.disabled = fields.disabled = isLocked;
  saveButton.textContent = isLocked ? "Saving …" : "Save";
}

/** Returns from the form to the record, or from a new record to the list. */
function endEditing(isNew = current.id === undefined) {
  showForm(false);
  if (isNew) return dialog.close();
  ui.recordEdit.focus();
  read();
}

function finish(value, isNew) {
  const { resource, id } = current;
  const made = [value].flat();
  const madeID = isNew ? idText(made.at(-1)?.[resource.idName]) : id ?? "";
  // The list may show the record on another page, or not at all.
  const action = isNew && made.length === 1 && button("Show", () => {
    location.hash = viewOf([resource.name, madeID], resource.name === route.resource.name ? route.query : []);
  });
  announce(made.length === 1 ? `Saved ${resource.name} ${madeID}` : `Saved ${made.length} records`, { action });
  endEditing(isNew || id === undefined);
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
  const mine = current;
  if (await remove(mine.resource, [mine.id]) && mine === current && !isDirty()) dialog.close();
};
ui.recordClose.onclick = ui.recordCancel.onclick = leave;
dialog.onkeydown = (event) => {
  if (event.key !== "Escape" || event.isComposing) return;
  event.preventDefault();
  leave();
};
dialog.oncancel = (event) => event.preventDefault();
dialog.onclose = () => {
  if (!dialog.open && !ui.records.hidden && /^#records\/[^?]*\//.test(location.hash)) history.replaceState(null, "", route.listAddress());
};
addEventListener("beforeunload", (event) => { if (isDirty()) event.preventDefault(); });
