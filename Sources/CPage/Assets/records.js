// The list of a collection. The query after # in the address has its search, order, page and filters.

import * as cells from "./cells.js";
import { childrenOf, forgetTitles, grouped, pathTo, resourceNamed, send, showAddress } from "./data.js";
import { button, debounced, fill, node, options, throttled, ui } from "./dom.js";
import * as filters from "./filters.js";
import * as route from "./route.js";
import * as selection from "./selection.js";
import * as store from "./store.js";
import * as table from "./table.js";
import { importFile } from "./transfer.js";

/** @typedef {import("./data.js").Resource} Resource */

const { rows: body, recordsFrame: frame, recordsNote: note, recordsRange: range, search, pageNumber, pageRows } = ui;
let reading = 0;
let isStale = false;

/** The path of the list, without the page. */
function listPath() {
  const list = new URLSearchParams(route.query);
  list.delete("_page");
  list.delete("_limit");
  return pathTo(route.resource.name) + (list.size > 0 ? `?${list}` : "");
}

/** @param {Resource} resource @param {URLSearchParams} query */
export function open(resource, query) {
  const isOther = route.resource?.name !== resource.name;
  if (!isOther && String(route.query) === String(query)) {
    route.go(resource);
    return isStale && refresh();
  }
  const narrowing = String(route.narrowing());
  route.go(resource, query);
  ui.recordsTitle.textContent = resource.name;
  if (isOther || document.activeElement !== search) search.value = query.get("q") ?? "";
  if (isOther) {
    store.begin();
    table.begin();
    showNote();
  }
  if (isOther || narrowing !== String(route.narrowing())) selection.clear();
  showAddress(ui.recordsUrl, listPath());
  filters.show(listPath());
  load();
}

/** Updates the resource from the server's last description. */
export function update() {
  if (route.resource) route.go(resourceNamed(route.resource.name) ?? route.resource);
}

/** Reads the page. A late response never replaces a newer one. */
async function load() {
  const turn = ++reading;
  const first = (route.pageNumber() - 1) * route.pageSize();
  const query = route.queryWith({ _page: null, _limit: null, _start: first, _end: first + route.pageSize() });
  const waiting = setTimeout(() => {
    frame.ariaBusy = "true";
    range.textContent = "Reading rows …";
  }, 150);
  try {
    const { value, headers } = await send("GET", `${pathTo(route.resource.name)}?${query}`);
    if (turn !== reading) return;
    store.take(route.resource, value, headers);
    const last = route.lastPage(store.total);
    if (route.pageNumber() > last) {
      route.go(route.resource, route.queryWith({ _page: last }));
      if (!ui.records.hidden) history.replaceState(null, "", `${location.hash.split("?")[0]}?${route.query}`);
      return load();
    }
    table.show();
    filters.show(listPath());
    showPages(first, value.length);
    showNote();
    if (value.length === 0) showEmpty();
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

export const refresh = () => { if (route.resource) loadAll(); };

/** Applies a change of a record. */
export function apply({ resource, id, kind }) {
  forgetTitles(resource);
  const shown = route.resource;
  if (resource === shown?.name) {
    if (kind === "deleted") selection.drop(String(id));
    table.highlight(String(id));
  } else if (!shown || !Object.values(shown.parents).concat(childrenOf(shown).map(({ name }) => name)).includes(resource)) return;
  refresh();
}

/** Shows the page with new records: the last one, if the list has neither an order nor filters. */
export function showAdded(count) {
  if (route.query.has("_sort") || route.narrowing().size > 0 || ui.records.hidden || ui.record.open) return refresh();
  location.hash = route.listAddress({ _page: route.lastPage(store.total + count) });
  refresh();
}

function showEmpty() {
  showNote(...(route.narrowing().size > 0 ? ["No records match."] : ["No records yet.", "Press “New record”, or drop a JSON or CSV file here."]));
}

/** @param {string} [title] */
function showNote(title, ...content) {
  frame.hidden = title !== undefined;
  note.hidden = !frame.hidden;
  fill(note, node("strong", title), content.map((part) => node("div", part)));
  if (title) range.textContent = "";
}

function showPages(first, count) {
  const { total } = store;
  const page = route.pageNumber();
  const last = route.lastPage(total);
  const [from, to, all] = [first + 1, first + count, total].map(grouped);
  range.textContent = last > 1 ? `${from}–${to} of ${all}` : total === 1 ? "1 record" : `${all} records`;
  ui.recordsPages.hidden = last === 1;
  ui.pageRowsField.hidden = total <= route.pageSizes[0];
  pageRows.value = String(route.pageSize());
  if (document.activeElement !== pageNumber) pageNumber.value = String(page);
  pageNumber.max = String(last);
  ui.pageLast.textContent = grouped(last);
  for (const [link, number] of /** @type {[HTMLAnchorElement, number][]} */ ([[ui.pagePrevious, page - 1], [ui.pageNext, page + 1]])) {
    link.inert = number < 1 || number > last;
    link.href = route.listAddress({ _page: number });
  }
}

function editCell(cell) {
  const { resource } = route;
  const { id } = cell.parentElement.dataset;
  const { name } = cell.dataset;
  if (name === resource.idName || !store.isId(id) || "readOnly" in document.body.dataset) return;
  const find = () => (route.resource.name === resource.name ? table.cellOf(id, name) : undefined);
  const done = async (isSaved) => {
    if (!find()) return;
    table.renew(id);
    if (isSaved) table.highlight(id);
    await load();
    if (document.activeElement === document.body) find()?.focus();
  };
  const openRecord = () => { location.hash = route.listAddress({}, id); };
  cells.edit(find, { resource, id, name, type: store.kindOf(name), done, openRecord });
}

search.oninput = debounced(250, () => {
  const isElsewhere = ui.record.open || ui.records.hidden || search.value === (route.query.get("q") ?? "");
  if (!isElsewhere) return location.replace(route.listAddress({ q: search.value || null, _page: null }));
  search.value = route.query.get("q") ?? "";
});
fill(pageRows, options(route.pageSizes.map((size) => [size, `${size} rows`])));
pageRows.onchange = () => {
  const query = route.setPageSize(Number(pageRows.value));
  if (String(query) === String(route.query)) load();
  else location.hash = route.listAddress({ _limit: null, _page: null });
};
pageNumber.onchange = () => { location.hash = route.listAddress({ _page: pageNumber.value }); };

let opening;

body.onclick = (event) => {
  const { detail, ctrlKey, metaKey, shiftKey } = event;
  const target = /** @type {Element} */ (event.target);
  clearTimeout(opening);
  const link = target.closest("a") ?? target.closest("tr").querySelector(/** @type {"a"} */ ("td:nth-child(2) a"));
  // A click by keyboard has detail 0; a second click edits the cell.
  const isPlain = detail > 0 && !ctrlKey && !metaKey && !shiftKey && !link?.target;
  if (!isPlain || !link || target.closest(".in-cell, .pick") || String(getSelection())) return;
  event.preventDefault();
  if (detail === 1) opening = setTimeout(() => link.click(), 250);
};

body.ondblclick = (event) => {
  clearTimeout(opening);
  getSelection().empty();
  const cell = /** @type {Element} */ (event.target).closest("[data-name]");
  // In an open editor, a double click selects a word.
  if (cell && !cell.querySelector(".in-cell")) editCell(cell);
};

body.onkeydown = (event) => {
  const target = /** @type {Element} */ (event.target);
  const cell = /** @type {HTMLTableCellElement} */ (target.closest("td"));
  const row = /** @type {HTMLTableRowElement} */ (cell.parentElement);
  const [across, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [];
  if (across !== undefined) {
    const next = /** @type {HTMLElement} */ (body.children[row.sectionRowIndex + down]?.children[cell.cellIndex + across]);
    (next?.querySelector(/** @type {"a"} */ ("a, input")) ?? next)?.focus();
  } else if (cell.dataset.name && (event.key === "F2" || (event.key === "Enter" && target === cell))) editCell(cell);
  else return;
  event.preventDefault();
};

body.oncontextmenu = (event) => {
  const cell = /** @type {HTMLElement} */ (/** @type {Element} */ (event.target).closest("[data-name]"));
  if (!cell || cell.querySelector("input, select, textarea")) return;
  const { id } = cell.parentElement.dataset;
  filters.openCellMenu(event, id, cell.dataset.name, store.rows.get(id)?.[cell.dataset.name], () => editCell(table.cellOf(id, cell.dataset.name)));
};

const { records: view, importFile: chooser } = ui;
const add = async (file) => {
  const { resource } = route;
  const count = await importFile(resource, file);
  if (count > 0 && resource.name === route.resource.name) showAdded(count);
};
view.ondragover = view.ondragleave = view.ondrop = (event) => {
  event.preventDefault();
  view.classList.toggle("dropping", event.type === "dragover");
  const file = event.type === "drop" && event.dataTransfer.files[0];
  if (file) add(file);
};
ui.import.onclick = () => chooser.click();
chooser.onchange = () => {
  if (chooser.files[0]) add(chooser.files[0]);
  chooser.value = "";
};
