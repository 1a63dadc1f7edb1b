// The table of a collection. Its search, order, page and filters are the query after # in the address.

import * as cells from "./cells.js";
import * as columns from "./columns.js";
import { brief, childrenOf, compact, countChildren, forgetTitles, grouped, isKey, kind, parentOf, pathTo, resourceNamed, send, showAddress, titlesOf, viewOf } from "./data.js";
import { attempt, button, debounced, fill, node, ui } from "./dom.js";
import { menu, showFilters } from "./filters.js";
import * as selection from "./selection.js";

const { rows: body, columns: heads, recordsFrame: frame, recordsNote: note, recordsRange: range, search } = ui;
const pageSize = 20;
const highlights = new Set();
let shown;
let reading = 0;
let draft = {};
let byID = new Map();

export const current = () => ({ ...shown, draft });

export function open(resource, query) {
  const isOther = shown?.resource.name !== resource.name;
  const isSame = !isOther && String(shown.query) === String(query);
  shown = { resource, query };
  if (isSame) return;
  ui.recordsTitle.textContent = resource.name;
  if (document.activeElement !== search) search.value = query.get("q") ?? "";
  if (isOther) {
    fill(heads);
    fill(body, Array.from({ length: 6 }, () => node("tr.skeleton", node("td"))));
    showNote();
    highlights.clear();
    draft = {};
    selection.begin(resource);
  }
  const list = new URLSearchParams(query);
  list.delete("_page");
  const path = pathTo(resource.name) + (list.size > 0 ? `?${list}` : "");
  showAddress(ui.recordsUrl, path);
  showFilters(resource, path, list);
  load();
}

/** Takes over what the server says of the resource now. */
export function update() {
  if (shown) shown.resource = resourceNamed(shown.resource.name) ?? shown.resource;
}

function queryWith(changes) {
  const query = new URLSearchParams(shown.query);
  for (const [name, value] of Object.entries(changes)) value === null ? query.delete(name) : query.set(name, value);
  return query;
}

export const listAddress = (changes = {}, ...id) => viewOf([shown.resource.name, ...id], queryWith(changes));

const pageNumber = () => Math.max(1, Number(shown.query.get("_page")) || 1);
const lastPage = (total) => Math.max(1, Math.ceil(total / pageSize));

/** Reads the page. A slower, older answer never replaces a newer one. */
async function load() {
  const turn = ++reading;
  const first = (pageNumber() - 1) * pageSize;
  const query = queryWith({ _page: null, _start: first, _end: first + pageSize });
  const waiting = setTimeout(() => {
    frame.ariaBusy = true;
    range.textContent = "Reading rows …";
  }, 150);
  try {
    const { value, headers } = await send("GET", `${pathTo(shown.resource.name)}?${query}`);
    if (turn !== reading || cells.isEditing()) return;
    const total = Number(headers.get("X-Total-Count"));
    if (pageNumber() > lastPage(total)) return location.replace(listAddress({ _page: lastPage(total) }));
    showTable(value);
    showPages(first, value.length, total);
  } catch (error) {
    if (turn === reading) showNote("This list cannot be shown.", error.message, button("Read again", load));
  } finally {
    clearTimeout(waiting);
    if (turn === reading) frame.ariaBusy = false;
  }
}

export const refresh = debounced(120, () => { if (!ui.records.hidden && !cells.isEditing()) load(); });

export function apply({ resource, id, kind }) {
  forgetTitles(resource);
  if (ui.records.hidden || resource !== shown.resource.name) return;
  if (kind === "deleted") selection.drop(id);
  highlights.add(String(id));
  setTimeout(() => highlights.delete(String(id)), 2_500);
  refresh();
}

const rowOf = (id) => body.querySelector(`[data-id="${CSS.escape(id)}"]`);

export function goToEnd(added) {
  location.hash = viewOf([shown.resource.name], { _page: lastPage(shown.resource.count + added) });
}

const emptyValues = { string: "", number: 0, boolean: false, array: [], object: {} };

function showTable(rows) {
  const { resource } = shown;
  const { idName, name: listName } = resource;
  const names = [...new Set([idName, ...rows.flatMap((row) => (kind(row) === "object" ? Object.keys(row) : []))])];
  const visible = names.filter((name) => name === idName || !columns.isHidden(listName, name));
  const kinds = (name) => rows.map((row) => kind(row?.[name] ?? null)).filter((kind) => kind !== "null");
  const isNumeric = (name) => kinds(name).filter((kind) => kind === "number").length * 2 > kinds(name).length;
  if (rows.length > 0) draft = Object.fromEntries(names.slice(1).map((name) => [name, emptyValues[kinds(name).at(-1)] ?? null]));
  const pairs = rows.map((row) => [compact(row?.[idName] ?? ""), row]);
  byID = new Map(pairs);
  fill(ui.filterNames, names.map((value) => node("option", { value })));
  ui.columnsChoose.onclick = () => columns.choose(listName, names.slice(1), () => showTable(rows));

  fill(heads, node("th.pick", selection.box([...byID.keys()], "all rows shown")), visible.map((name) => head(name, isNumeric(name))));
  fill(body, pairs.map(([id, row]) => node("tr", { "data-id": id }, node("td.pick", selection.box([id], `${listName} ${id}`)),
    visible.map((name) => cell(id, name, row?.[name], isNumeric(name))))));
  visible.forEach((name, index) => columns.widen(heads.children[index + 1], listName, name));
  for (const id of highlights) rowOf(id)?.classList.add("changed");
  showNote();
  if (rows.length === 0) showEmpty();
  columns.showEdges();
  for (const name of visible) showTitles(parentOf(name, resource), name);
  showCounts([...byID.keys()]);
}

function head(name, isNumeric) {
  const sort = shown.query.get("_sort");
  const order = { [name]: "ascending", [`-${name}`]: "descending" }[sort] ?? "none";
  const next = { none: name, ascending: `-${name}`, descending: null }[order];
  return node("th", { scope: "col", "aria-sort": order, class: isNumeric && "number" },
    button(name || '""', () => { location.hash = listAddress({ _sort: next, _page: null }); }, { "data-key": `sort ${name}` }));
}

function cell(id, name, value, isNumeric) {
  const { resource } = shown;
  const text = brief(compact(value ?? ""));
  const keys = [value].flat();
  const parent = keys.every(isKey) && parentOf(name, resource);
  const key = { "data-key": `${id} ${name}` };
  const content = name === resource.idName ? node("a", { ...key, href: listAddress({}, id), "aria-label": `${resource.name} ${text}` }, text)
    : parent ? keys.flatMap((id, index) => [index > 0 && ", ", node("a", { "data-key": `${key["data-key"]}${index || ""}`, href: viewOf([parent.name, compact(id)]), "data-parent": name }, brief(compact(id)))])
    : cells.content(value);
  return node("td", { class: `${kind(value)}${isNumeric ? " number" : ""}`, title: text, "data-name": name, "data-key": `cell ${id} ${name}`, tabindex: -1 }, content);
}

async function showTitles(parent, name) {
  const links = parent ? [...body.querySelectorAll(`[data-parent="${CSS.escape(name)}"]`)] : [];
  if (links.length === 0) return;
  const titles = await titlesOf(parent, new Set(links.map((link) => link.textContent)));
  for (const link of links) {
    const id = link.textContent;
    if (typeof titles.get(id) === "string") fill(link, titles.get(id), node("small.quiet", ` ${id}`));
  }
  columns.showEdges();
}

async function showCounts(ids) {
  const turn = reading;
  for (const child of ids.length > 0 ? childrenOf(shown.resource) : []) {
    const counts = await countChildren(child, ids).catch(() => {});
    if (turn !== reading) return;
    if (!counts) continue;
    heads.append(node("th.children", { scope: "col" }, `↓ ${child.name}`));
    for (const row of body.children) {
      const { id } = row.dataset;
      row.append(node("td.number", node("a", { href: viewOf([child.name], { [child.member]: id }), "aria-label": `${child.name} of ${id}: ${counts.get(id)}` }, counts.get(id))));
    }
    columns.showEdges();
  }
}

function showEmpty() {
  const isFiltered = [...shown.query.keys()].some((name) => !/^_(page|sort)$/.test(name));
  showNote(...(isFiltered ? ["Nothing matches."] : ["No records yet.", "Press “New record”, or drop a JSON or CSV file here."]));
}

function showNote(title, ...content) {
  frame.hidden = title !== undefined;
  note.hidden = !frame.hidden;
  fill(note, node("strong", title), content.map((part) => node("div", part)));
  if (title) range.textContent = "";
}

function showPages(first, count, total) {
  const page = pageNumber();
  const last = lastPage(total);
  const [from, to, all] = [first + 1, first + count, total].map(grouped);
  range.textContent = last > 1 ? `${from}–${to} of ${all}` : total === 1 ? "1 record" : `${all} records`;
  ui.recordsPages.hidden = last === 1;
  ui.pageNumber.textContent = `${page} / ${last}`;
  for (const [link, number] of [[ui.pagePrevious, page - 1], [ui.pageNext, page + 1]]) {
    link.inert = number < 1 || number > last;
    link.href = listAddress({ _page: number });
  }
}

function editCell(cell) {
  const { resource } = shown;
  const { id } = cell.parentElement.dataset;
  const { name } = cell.dataset;
  if (name === resource.idName || "readOnly" in document.body.dataset) return;
  const done = (isSaved) => {
    if (isSaved) apply({ resource: resource.name, id });
    attempt(async () => {
      await load();
      rowOf(id)?.querySelector(`[data-name="${CSS.escape(name)}"]`)?.focus();
    });
  };
  const openRecord = () => { location.hash = listAddress({}, id); };
  cells.edit(cell, { resource, id, name, type: kind(draft[name] ?? null), done, openRecord });
}

search.oninput = debounced(250, () => location.replace(listAddress({ q: search.value || null, _page: null })));

let opening;

body.onclick = (event) => {
  const { target, detail, ctrlKey, metaKey, shiftKey } = event;
  clearTimeout(opening);
  const link = target.closest("a") ?? target.closest("tr").querySelector("td:nth-child(2) a");
  // The keyboard clicks without a count; a second click edits the cell.
  const isPlain = detail > 0 && !ctrlKey && !metaKey && !shiftKey && !link?.target;
  if (!isPlain || !link || target.closest(".in-cell, .pick") || String(getSelection())) return;
  event.preventDefault();
  if (detail === 1) opening = setTimeout(() => link.click(), 250);
};

body.ondblclick = ({ target }) => {
  clearTimeout(opening);
  getSelection().empty();
  const cell = target.closest("[data-name]");
  if (cell) editCell(cell);
};

body.onkeydown = (event) => {
  const cell = event.target.closest("td");
  const [across, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [];
  if (across !== undefined) {
    const next = body.children[cell.parentElement.sectionRowIndex + down]?.children[cell.cellIndex + across];
    (next?.querySelector("a, input") ?? next)?.focus();
  } else if (cell.dataset.name && (event.key === "F2" || (event.key === "Enter" && event.target === cell))) editCell(cell);
  else return;
  event.preventDefault();
};

body.oncontextmenu = (event) => {
  const cell = event.target.closest("[data-name]");
  if (!cell || cell.querySelector("input")) return;
  event.preventDefault();
  const { id } = cell.parentElement.dataset;
  menu(id, cell.dataset.name, byID.get(id)?.[cell.dataset.name], () => editCell(cell));
};
