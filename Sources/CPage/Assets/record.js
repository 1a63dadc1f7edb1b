// One record, in a panel beside its list. Users edit it as a form or as JSON. Only changes are saved; discarding them needs a confirmation.

import { changed, reach, update } from "./conflict.js";
import { childrenOf, idText, isKey, kind, longest, pathTo, pretty, send, showAddress, viewOf } from "./data.js";
import { remove } from "./deletion.js";
import { button, fill, focusOn, isLost, isTyping, node, onSubmit, refocus, ui } from "./dom.js";
import * as editor from "./editor.js";
import { makeForm } from "./form.js";
import * as list from "./list.js";
import { announce, ask, attempt } from "./messages.js";
import * as records from "./records.js";
import { after, alone, closed, showsForm, viewing } from "./states.js";
import * as table from "./table.js";
import { debounced } from "./timing.js";
import { show } from "./values.js";

/** @typedef {import("./data.js").Resource} Resource */
/**
 * What is open. `id` is undefined for a new record and for a single object, `text`, `tag` and `value` were read, `start` is the JSON field's first value.
 * @typedef {{ resource: Resource, id?: string, isNew?: boolean, text?: string, tag?: string | null, value?: any, start?: string, isCopy?: boolean }} Edited
 */

const { record: panel, recordText: text, recordForm: form, recordSave: saveButton, recordFields: fields, recordTabForm: formTab, recordTabJson: jsonTab } = ui;
/** @type {import("./states.js").State} */
let state = closed;
/** @type {Edited} */
let current;
/** The form; undefined while the JSON is shown. @type {import("./form.js").Form | undefined} */
let shownForm;
/** The element that had the focus before a save locked the form. @type {HTMLElement} */
let held;
/** The number of switches between form and JSON. A form that loads late does not replace the JSON. */
let choices = 0;
let reads = 0;
/** The newest read whose answer the panel shows. */
let shown = 0;

const isEditing = () => showsForm(state);

/** Whether there are unsaved changes. */
export function isDirty() {
  if (!isEditing()) return false;
  if (current.isCopy) return true;
  if (!shownForm) return text.value !== current.start;
  try { return differs(shownForm.read()); } catch { return true; }
}

export const mayClose = async () => state.name !== "saving" && (!isDirty() || ask("Discard your changes?", "They are not saved.", "Discard"));

/** Goes to another state, and shows it. @param {import("./states.js").State} next */
function become(next) {
  if (next === state) return;
  const before = state;
  state = next;
  const isLocked = state.name === "saving";
  if (isLocked) held = /** @type {HTMLElement} */ (document.activeElement);
  form.hidden = !isEditing();
  ui.recordView.hidden = isEditing();
  text.readOnly = saveButton.disabled = fields.disabled = isLocked;
  saveButton.textContent = isLocked ? "Saving …" : state.name === "gone" ? "Save as new" : "Save";
  if (state.name === "gone" && ui.recordActions.contains(document.activeElement)) ui.recordTitle.focus();
  ui.recordEdit.hidden = ui.recordDelete.hidden = state.name === "gone";
  fill(ui.recordNotice, state.notice);
  editor.mark(state.error);
  if (state.name === "closed") shut();
  // A field that is disabled loses the focus.
  if (before.name === "saving" && isEditing() && (document.activeElement === document.body || document.activeElement === held)) held.focus();
}

/** Closes the panel. The focus goes to the row of its record, if the table has it. */
function shut() {
  const hadFocus = isLost() || panel.contains(document.activeElement);
  panel.close();
  showPlace();
  // A view that replaces the record has an address of its own.
  if (/^#records\/[^?]*\//.test(location.hash)) leaveAddress();
  if (!hadFocus) return;
  refocus();
  if (ui.records.hidden) return;
  if (current.id !== undefined) table.cellOf(current.id, current.resource.idName)?.querySelector("a")?.focus();
  if (isLost()) focusOn(ui.recordsTitle);
}

/** @param {import("./states.js").Event} event @param {string} [error] */
const happened = (event, error) => become(after(state, event, error));

/** @param {Edited} next @param {string} title @param {import("./states.js").State} first */
function start(next, title, first) {
  current = next;
  shown = ++reads;
  ui.recordTitle.textContent = title;
  // show() would take the focus from a cell. Whoever follows a link goes on in the panel.
  const isFollowed = panel.open ? ui.recordView.contains(document.activeElement) : isLost() || document.activeElement.matches("a, #records-title");
  panel.open = true;
  if (isFollowed) ui.recordTitle.focus();
  fill(ui.recordJson);
  become({ ...first });
  showPlace();
}

/** @param {Resource} resource @param {string} id */
export function open(resource, id) {
  if (panel.open && current.resource.name === resource.name && current.id === id) return;
  start({ resource, id }, `${resource.name} / ${id}`, viewing);
  // Only a record that was read can be edited: otherwise nothing tells the changes.
  ui.recordActions.hidden = true;
  fill(ui.recordLinks);
  read();
}

let objectReads = 0;

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
    start({ resource: { idName: "", kind: "object", parents: {}, count: 1, ...resource }, ...answer }, resource.name, alone);
    edit();
  };
});

/** Removes the record from the address. */
function leaveAddress() {
  if (ui.records.hidden || list.openID === null) return;
  list.go(list.resource, list.query, null);
  history.replaceState(null, "", list.address());
}

/** @param {any} [copy] */
function make(copy) {
  const { resource } = list;
  leaveAddress();
  const value = copy ?? list.draft();
  start({ resource, isNew: true, value, text: JSON.stringify(value), isCopy: copy !== undefined }, `New in ${resource.name}`, alone);
  edit();
}

/** Closes a record when the address changes, and the form of a new record only when the user leaves. */
export const close = (isLeaving = false) => { if (panel.open && (current.id === undefined) === isLeaving) become(closed); };

/** Closes the form without a question. */
export const discard = () => happened("leave");

export function apply({ resource, kind: change, id }) {
  if (change !== "reloaded" && !ui.object.hidden && ui.objectTitle.textContent === resource) openObject({ name: resource });
  if (change === "reloaded" || !panel.open || current.isNew || current.resource.name !== resource) return;
  // A single object has no id.
  if (![undefined, String(id)].includes(current.id)) return;
  if (change === "deleted") happened("deleted");
  else refresh();
}

/** Reads the record again; a form keeps its text, and says that the record has changed. */
export async function refresh() {
  if (!panel.open || current.isNew || ["saving", "conflict"].includes(state.name)) return;
  if (state.name === "viewing") return current.id !== undefined && read();
  const mine = current;
  const answer = await reach("GET", mine.resource, mine.id).catch((error) => error);
  if (mine !== current) return;
  if (answer.status === 404) happened("deleted");
  else if (state.name === "gone" && answer.tag) {
    happened("restored");
    if (!isEditing()) read();
  } else if (answer.tag && answer.tag !== mine.tag) happened("changed");
}

/** Shows links to the record's parents and children. */
function showLinks(/** @type {any} */ { resource, id, value }) {
  const link = (text, ...place) => node("a", { href: viewOf(...place) }, text);
  fill(ui.recordLinks,
    Object.entries(resource.parents).flatMap(([name, parent]) => [value[name]].flat().filter(isKey).map((key) =>
      link(`${parent} / ${idText(key)}`, [parent, idText(key)]))),
    childrenOf(resource).map(({ name, member }) => link(`↓ ${name}`, [name], { [member]: id })));
}

async function read() {
  const mine = ++reads;
  const notice = (text) => { if (state.name === "viewing") fill(ui.recordNotice, text); };
  const waiting = setTimeout(() => { if (mine === reads) notice("Reading …"); }, 300);
  try {
    const { text, tag, value } = await reach("GET", current.resource, current.id);
    // Where changes are frequent, a newer read is always on its way.
    if (mine < shown || state.name !== "viewing") return;
    shown = mine;
    Object.assign(current, { text, tag, value });
    notice("");
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
  const made = await makeForm(edited.resource, value, { kindOf: list.kindOf, isNew: edited.isNew });
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
  happened("edit");
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
  if (state.name === "saving" || (isForm && shownForm)) return;
  choices += 1;
  if (!isForm) return shownForm && editJSON(contents());
  const value = editor.read();
  if (value === undefined) await editor.explain(pathTo(current.resource.name));
  else if (kind(value) !== "object") editor.mark("The form shows one record. This JSON is a list or a single value.");
  else await editFields(value);
});

text.oninput = debounced(400, () => {
  const { resource: { idName }, id } = current;
  if (!isEditing() || id === undefined || text.value.length > 500_000) return;
  const next = editor.read()?.[idName];
  ui.recordNotice.querySelector(".other-id")?.remove();
  if (next === undefined || idText(next) === id) return;
  fill(ui.recordNotice, node("span.other-id", `Save keeps the ${idName} ${id}, which never changes. `, button(`Save as new, with ${idText(next)}`, () => save("saveAsNew"))));
});

/** The edited record; undefined when the text is not JSON. Throws the error of a field. */
const contents = () => (shownForm ? shownForm.read() : editor.read());

const differs = (value) => changed(current.value, value).length > 0;

/** @param {"save" | "saveAsNew"} event */
async function save(event = "save") {
  if (state.name === "saving") return;
  let next;
  try { next = contents(); } catch (error) {
    happened("refused", error.message);
    for (let place = error.field?.closest("details"); place; place = place.parentElement.closest("details")) place.open = true;
    return error.field?.focus();
  }
  const { resource, value: before, isNew: wasNew } = current;
  if (next === undefined) return editor.explain(pathTo(resource.name));
  const saving = after(state, event);
  const isNew = Boolean(wasNew || saving.adds);
  if (!isNew && kind(next) !== "object") return happened("refused", "A record must be an object: { … }.");
  if (!isNew && changed(before, next).every((name) => name === resource.idName)) {
    announce("Nothing has changed");
    return endEditing("leave");
  }
  become(saving);
  try {
    const answer = isNew ? await send("POST", pathTo(resource.name), shownForm ? JSON.stringify(next) : text.value) : await update(current, next);
    if (answer) finish(answer.value, isNew);
    else happened("cancelled");
  } catch (error) {
    if (error.status === 404 && !isNew) happened("deleted");
    else happened("refused", error.message);
  }
}

/** Returns from the form to the record, or from a form without a record to the list. @param {"leave" | "saved"} event */
function endEditing(event) {
  happened(event);
  if (state.name !== "viewing") return;
  ui.recordEdit.focus();
  read();
}

function finish(value, isNew) {
  const { resource, id } = current;
  const made = [value].flat();
  const madeID = isNew ? idText(made.at(-1)?.[resource.idName]) : id ?? "";
  // The list may show the record on another page, or not at all.
  const action = isNew && made.length === 1 && button("Show", () => {
    location.hash = viewOf([resource.name, madeID], resource.name === list.resource.name ? list.query : []);
  });
  announce(made.length === 1 ? `Saved ${resource.name} ${madeID}` : `Saved ${made.length} records`, { action });
  endEditing("saved");
  if (isNew) records.showAdded(made.length);
  records.apply({ resource: resource.name, id: madeID, kind: "updated" });
}

const leave = async () => { if (await mayClose()) become(closed); };

/** Shows which of the rows is open, and which ones are beside it. */
function showPlace() {
  const isOpen = panel.open && current.resource.name === list.resource?.name;
  table.mark(isOpen ? current.id : undefined);
  for (const [link, step] of /** @type {[HTMLButtonElement, number][]} */ ([[ui.recordPrevious, -1], [ui.recordNext, 1]])) {
    const id = isOpen ? list.neighbor(current.id, step) : undefined;
    link.disabled = id === undefined;
    link.onclick = () => location.replace(list.address({}, id));
  }
}

onSubmit(form, () => save());
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
ui.recordNew.onclick = async () => { if (await mayClose()) make(); };
ui.recordEdit.onclick = edit;
ui.recordDuplicate.onclick = () => make(Object.fromEntries(Object.entries(current.value).filter(([name]) => name !== current.resource.idName)));
ui.recordDelete.onclick = async () => {
  const mine = current;
  if (await remove(mine.resource, [mine.id]) && mine === current && !isDirty()) become(closed);
};
ui.recordClose.onclick = ui.recordCancel.onclick = leave;

addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, isComposing, defaultPrevented } = event;
  const target = /** @type {Element} */ (event.target);
  const isHere = target === document.body || panel.contains(target);
  if (!panel.open || isComposing || defaultPrevented || document.querySelector("dialog:modal, [popover]:not([popover=manual]):popover-open")) return;
  const shown = { ArrowUp: ui.recordPrevious, ArrowDown: ui.recordNext, F2: ui.recordEdit, Delete: ui.recordDelete }[key];
  if (key === "Escape" && (isHere || !isTyping(event))) leave();
  else if (key === "Enter" && (ctrlKey || metaKey) && isHere && isEditing()) save();
  else if (shown?.checkVisibility() && isHere && !isTyping(event)) shown.click();
  else return;
  event.preventDefault();
});
addEventListener("rows", showPlace);
addEventListener("beforeunload", (event) => { if (isDirty()) event.preventDefault(); });
