// The list of a collection. The query after # in the address has its search, order, page and filters.

import * as cells from "./cells.js";
import { childrenOf, forgetTitles, grouped, pathTo, resourceNamed, send, showAddress } from "./data.js";
import { button, fill, focusOn, node, options, ui } from "./dom.js";
import * as filters from "./filters.js";
import * as list from "./list.js";
import { openMenu } from "./menu.js";
import * as selection from "./selection.js";
import * as table from "./table.js";
import { debounced, throttled } from "./timing.js";
import { importFile } from "./transfer.js";

/** @typedef {import("./data.js").Resource} Resource */

const { rows: body, recordsFrame: frame, recordsNote: note, recordsRange: range, search, pageNumber, pageRows } = ui;
let reading = 0;
let isStale = false;

/** The path of the list, without the page. */
function listPath() {
  const query = list.queryWith({ _page: null, _limit: null });
  return pathTo(list.resource.name) + (query.size > 0 ? `?${query}` : "");
}

/** @param {Resource} resource @param {URLSearchParams} query @param {string | null} id The record beside the list. */
export function open(resource, query, id) {
  const isOther = list.resource?.name !== resource.name;
  if (!isOther && String(list.query) === String(query)) {
    list.go(resource, query, id);
    return isStale && refresh();
  }
  const narrowing = String(list.narrowing());
  list.go(resource, query, id);
  ui.recordsTitle.textContent = resource.name;
  if (isOther || document.activeElement !== search) search.value = query.get("q") ?? "";
  if (isOther) {
    list.begin(resource);
    table.begin();
    showNote();
  }
  if (isOther || narrowing !== String(list.narrowing())) selection.clear();
  showAddress(ui.recordsUrl, listPath());
  filters.show(listPath());
  load();
}

/** Updates the resource from the server's last description. */
export const update = () => { if (list.resource) list.go(resourceNamed(list.resource.name) ?? list.resource); };

/** Reads the page. A late response never replaces a newer one. */
async function load() {
  const turn = ++reading;
  const first = (list.pageNumber() - 1) * list.pageSize();
  const query = list.queryWith({ _page: null, _limit: null, _start: first, _end: first + list.pageSize() });
  const waiting = setTimeout(() => {
    frame.ariaBusy = "true";
    range.textContent = "Reading rows …";
  }, 150);
  try {
    const { value, headers } = await send("GET", `${pathTo(list.resource.name)}?${query}`);
    if (turn !== reading) return;
    list.take(value, headers);
    const last = list.lastPage(list.total);
    if (list.pageNumber() > last) {
      list.go(list.resource, list.queryWith({ _page: last }));
      if (!ui.records.hidden) history.replaceState(null, "", `${location.hash.split("?")[0]}?${list.query}`);
      return load();
    }
    table.show();
    // The panel shows what stands before and after its record.
    dispatchEvent(new Event("rows"));
    filters.show(listPath());
    showPages(first, value.length);
    showNote();
    if (value.length === 0) showNote(...(list.narrowing().size > 0 ? ["No records match."] : ["No records yet.", "Press “New record”, or drop a JSON or CSV file here."]));
  } catch (error) {
    if (turn === reading) showNote("The server did not return this list.", error.message, button("Read again", load));
  } finally {
    clearTimeout(waiting);
    if (turn === reading) frame.ariaBusy = "false";
  }
}

const loadAll = throttled(120, () => {
  isStale = ui.records.hidden;
  if (!isStale) return load();
});

export const refresh = () => { if (list.resource) loadAll(); };

/** Applies a change of a record. */
export function apply({ resource, id, kind }) {
  forgetTitles(resource);
  const shown = list.resource;
  if (resource === shown?.name) {
    if (kind === "deleted") selection.drop(String(id));
    table.highlight(String(id));
  } else if (!shown || !Object.values(shown.parents).concat(childrenOf(shown).map(({ name }) => name)).includes(resource)) return;
  refresh();
}

/** Shows the page with new records: the last one, if the list has neither an order nor filters. */
export function showAdded(count) {
  if (list.query.has("_sort") || list.narrowing().size > 0 || ui.records.hidden || ui.record.open) return refresh();
  location.hash = list.address({ _page: list.lastPage(list.total + count) });
  refresh();
}

/** @param {string} [title] */
function showNote(title, ...content) {
  const held = [frame, note].find((place) => place.contains(document.activeElement));
  frame.hidden = title !== undefined;
  note.hidden = !frame.hidden;
  fill(note, node("strong", title), content.map((part) => node("div", part)));
  if (title) range.textContent = "";
  if (title && held) focusOn(note);
  else if (held === note) frame.focus();
}

function showPages(first, count) {
  const { total } = list;
  const page = list.pageNumber();
  const last = list.lastPage(total);
  const [from, to, all] = [first + 1, first + count, total].map(grouped);
  range.textContent = last > 1 ? `${from}–${to} of ${all}` : total === 1 ? "1 record" : `${all} records`;
  ui.recordsPages.hidden = last === 1;
  ui.pageRowsField.hidden = total <= list.pageSizes[0];
  pageRows.value = String(list.pageSize());
  if (document.activeElement !== pageNumber) pageNumber.value = String(page);
  pageNumber.max = String(last);
  ui.pageLast.textContent = grouped(last);
  for (const [link, number] of /** @type {[HTMLAnchorElement, number][]} */ ([[ui.pagePrevious, page - 1], [ui.pageNext, page + 1]])) {
    link.inert = number < 1 || number > last;
    link.href = list.address({ _page: number }, null);
  }
}

/** @param {HTMLElement} cell */
const canEdit = ({ dataset: { name }, parentElement: { dataset: { id } } }) =>
  name !== undefined && name !== list.resource.idName && list.isId(id) && !("readOnly" in document.body.dataset);

function editCell(cell, typed = "") {
  if (!canEdit(cell)) return;
  const { resource } = list;
  const { id } = cell.parentElement.dataset;
  const { name } = cell.dataset;
  const find = () => (list.resource.name === resource.name ? table.cellOf(id, name) : undefined);
  const done = async (isSaved) => {
    if (!find()) return;
    table.renew(id);
    if (isSaved) table.highlight(id);
    await load();
    if (document.activeElement === document.body) find()?.focus();
  };
  const openRecord = () => { location.hash = list.address({}, id); };
  const all = /** @type {HTMLElement[]} */ ([...body.querySelectorAll("[data-name]:not(.array, .object)")]).filter(canEdit);
  const place = all.indexOf(cell);
  const move = (step) => {
    const other = all[place + step];
    const next = other && table.cellOf(other.parentElement.dataset.id, other.dataset.name);
    if (next) editCell(next);
  };
  cells.edit(find, { resource, id, name, type: list.kindOf(name), done, openRecord, move, typed });
}

search.oninput = debounced(250, () => {
  const current = list.query.get("q") ?? "";
  if (ui.records.hidden || search.value === current) search.value = current;
  else location.replace(list.address({ q: search.value || null, _page: null }));
});
fill(pageRows, options(list.pageSizes.map((size) => [size, `${size} rows`])));
pageRows.onchange = () => {
  const query = list.setPageSize(Number(pageRows.value));
  if (String(query) === String(list.query)) load();
  else location.hash = list.address({ _limit: null, _page: null }, null);
};
pageNumber.onchange = () => { location.hash = list.address({ _page: pageNumber.value }, null); };

/** The cell that was clicked first. The panel that opens may move the table before the second click of two. @type {Element} */
let clicked;

body.onclick = (event) => {
  const { detail, ctrlKey, metaKey, shiftKey } = event;
  const target = /** @type {Element} */ (event.target);
  if (detail === 1) clicked = target.closest("[data-name]");
  const link = target.closest("a") ?? target.closest("tr").querySelector(/** @type {"a"} */ ("td:nth-child(2) a"));
  // A click by keyboard has detail 0. The browser follows a link by itself.
  const isPlain = detail === 1 && !ctrlKey && !metaKey && !shiftKey && !target.closest("a, .in-cell, .pick");
  if (isPlain && link && !String(getSelection())) link.click();
};

body.ondblclick = (event) => {
  getSelection().empty();
  const cell = clicked?.isConnected ? clicked : /** @type {Element} */ (event.target).closest("[data-name]");
  clicked = undefined;
  // In an open editor, a double click selects a word.
  if (cell && !cell.querySelector(".in-cell")) editCell(cell);
};

body.onkeydown = (event) => {
  const target = /** @type {Element} */ (event.target);
  const cell = /** @type {HTMLTableCellElement} */ (target.closest("td"));
  const row = /** @type {HTMLTableRowElement} */ (cell.parentElement);
  const [across, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Home: [-cell.cellIndex, 0], End: [row.cells.length - 1 - cell.cellIndex, 0] }[event.key] ?? [];
  if (across !== undefined) {
    const next = /** @type {HTMLElement} */ (body.children[row.sectionRowIndex + down]?.children[cell.cellIndex + across]);
    (next?.querySelector(/** @type {"a"} */ ("a, input")) ?? next)?.focus();
    // Beside the table, the record follows; a form stays.
    const id = next?.parentElement.dataset.id;
    if (down && ui.record.open && ui.recordForm.hidden && list.isId(id ?? "")) location.replace(list.address({}, id));
  } else if (cell.dataset.name && (event.key === "F2" || (event.key === "Enter" && target === cell))) editCell(cell);
  else if (target === cell && /^[^ ]$/u.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) cells.isEditing(cell) ? cells.take(event.key) : editCell(cell, event.key);
  else return;
  event.preventDefault();
};

body.oncontextmenu = (event) => {
  const cell = /** @type {HTMLElement} */ (/** @type {Element} */ (event.target).closest("[data-name]"));
  if (!cell || cell.querySelector("input, select, textarea")) return;
  const { id } = cell.parentElement.dataset;
  filters.openCellMenu(event, id, cell.dataset.name, list.rows.get(id)?.[cell.dataset.name], () => editCell(table.cellOf(id, cell.dataset.name)));
};

const { records: view, importFile: chooser } = ui;
const add = async (file) => {
  const { resource } = list;
  const count = await importFile(resource, file);
  if (count > 0 && resource.name === list.resource.name) showAdded(count);
};
view.ondragover = view.ondragleave = view.ondrop = (event) => {
  event.preventDefault();
  view.classList.toggle("dropping", event.type === "dragover");
  const file = event.type === "drop" && event.dataTransfer.files[0];
  if (file) add(file);
};
ui.recordsMore.onclick = (event) => openMenu(event, "More actions", [
  { text: "Copy as …", action: () => ui.recordsCode.click() },
  { text: "Columns", action: () => ui.columnsChoose.click() },
  !("readOnly" in document.body.dataset) && { text: "Import", action: () => ui.import.click() },
]);
ui.import.onclick = () => chooser.click();
chooser.onchange = () => {
  if (chooser.files[0]) add(chooser.files[0]);
  chooser.value = "";
};
