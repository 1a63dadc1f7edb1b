// The table of a collection. Its search, order, page and filters are the query after # in the address.

import { address, pathTo, readable, send } from "./api.js";
import * as cells from "./cells.js";
import * as columns from "./columns.js";
import { attempt, button, debounced, element, find } from "./dom.js";
import { menu, showFilters } from "./filters.js";
import { brief, compact, kind } from "./json.js";
import { childrenOf, countChildren, forgetTitles, noteMembers, parentOf, titlesOf } from "./relations.js";
import * as selection from "./selection.js";

let shown;
let sizeName = "_limit";
let reading = 0;
let draft = {};
let byID = new Map();
const highlights = new Map();
const highlightTime = 2_500;

export function open(resource, query, resources) {
  const isOther = shown?.resource.name !== resource.name;
  const isSame = !isOther && String(shown.query) === String(query);
  shown = { resource, query, resources };
  if (isSame) return;
  find("records-title").textContent = resource.name;
  if (document.activeElement !== find("search")) find("search").value = query.get("q") ?? "";
  if (isOther) {
    find("columns").replaceChildren();
    find("rows").replaceChildren(...Array.from({ length: 6 }, () => element("tr", { class: "skeleton" }, element("td", {}))));
    find("records-frame").hidden = false;
    find("records-note").hidden = true;
    highlights.clear();
    draft = {};
    selection.begin(resource);
  }
  const list = new URLSearchParams(query);
  list.delete("_page");
  const path = pathTo(resource.name) + (list.size ? `?${list}` : "");
  find("records-url").textContent = readable(path.replaceAll("+", " "));
  find("records-url").href = address(path);
  showFilters(path, query);
  load();
}

export function update(resources) {
  const resource = resources.find(({ name }) => name === shown?.resource.name);
  if (resource) shown = { ...shown, resource, resources };
}

/** The collection on show, and a record to start a new one from. */
export const current = () => ({ ...shown, draft });

const emptyValues = { string: "", number: 0, boolean: false, array: [], object: {} };

const kindOf = (rows, name) => kind(rows.map((row) => row?.[name]).findLast((value) => value != null) ?? null);

/** The address of the shown list with parameters changed; null takes one out. */
export function listAddress(changes = {}, ...id) {
  const query = new URLSearchParams(shown.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return addressOf(query, ...id);
}

export const addressOf = (query, ...id) => `#records${pathTo(shown.resource.name, ...id)}${query.size ? `?${query}` : ""}`;

const pageSize = 20;
const pageNumber = () => Math.max(1, Number(shown.query.get("_page")) || 1);
const lastPage = (total) => Math.max(1, Math.ceil(total / pageSize));

/** Reads the page. A slower, older answer never replaces a newer one. */
async function load() {
  const turn = ++reading;
  const query = new URLSearchParams(shown.query);
  query.set("_page", pageNumber());
  query.set(sizeName, pageSize);
  const waiting = setTimeout(() => {
    find("records-frame").ariaBusy = true;
    find("records-range").textContent = "Reading rows …";
  }, 150);
  try {
    const { value, headers } = await send("GET", `${pathTo(shown.resource.name)}?${query}`);
    if (turn !== reading || cells.isEditing()) return;
    const rows = value.data ?? value;
    if (value.data && sizeName === "_limit") {
      // json-server 1.0's dialect.
      sizeName = "_per_page";
      return load();
    }
    const total = Number(headers.get("X-Total-Count") ?? value.items ?? rows.length);
    if (pageNumber() > lastPage(total)) return location.replace(listAddress({ _page: lastPage(total) }));
    showTable(rows);
    showPages(rows.length, total);
  } catch (error) {
    if (turn === reading) showNote(error.title ?? "This list cannot be shown.", error.message, button("Read again", load));
  } finally {
    clearTimeout(waiting);
    if (turn === reading) find("records-frame").ariaBusy = false;
  }
}

/** Reads again, but not under the hands of someone who edits a cell. */
export const refresh = debounced(120, () => { if (!find("records").hidden && !cells.isEditing()) load(); });

/** Follows a change that any client made. */
export function apply({ resource, kind: change, id }) {
  forgetTitles(resource);
  if (find("records").hidden || resource !== shown.resource.name) return;
  if (change === "deleted") rowOf(id)?.classList.add("leaving");
  else highlights.set(String(id), performance.now());
  refresh();
}

const rowOf = (id) => find("rows").querySelector(`[data-id="${CSS.escape(id)}"]`);

/** Goes to where new records are: the end, without search, filters and order. */
export function goToEnd(added) {
  location.hash = `#records${pathTo(shown.resource.name)}?_page=${lastPage(shown.resource.count + added)}`;
}

function showTable(rows) {
  const { resource, resources } = shown;
  const { idName, name: listName } = resource;
  const others = rows.flatMap((row) => (kind(row) === "object" ? Object.keys(row) : []));
  const names = [...new Set([idName, ...others])];
  const visible = names.filter((name) => name === idName || !columns.isHidden(listName, name));
  const focused = document.activeElement?.dataset.key;
  noteMembers(listName, names);
  if (rows.length > 0) {
    draft = Object.fromEntries(names.filter((name) => name !== idName).map((name) => [name, emptyValues[kindOf(rows, name)] ?? null]));
  }
  find("filter-names").replaceChildren(...names.map((value) => element("option", { value })));
  find("columns-choose").onclick = () => columns.choose(listName, names.slice(1), () => showTable(rows));

  const numeric = new Set(visible.filter((name) => {
    const kinds = rows.map((row) => kind(row?.[name] ?? null)).filter((kind) => kind !== "null");
    return kinds.length > 0 && kinds.filter((kind) => kind === "number").length * 2 > kinds.length;
  }));
  const ids = rows.map((row) => compact(row?.[idName] ?? ""));
  byID = new Map(rows.map((row, index) => [ids[index], row]));
  const pick = element("th", { class: "pick" }, selection.boxForAll([...byID]));
  find("rows").replaceChildren(...rows.map((row, index) => element("tr", { "data-id": ids[index] },
    element("td", { class: "pick" }, selection.box(ids[index], row)), ...visible.map((name) => cell(row, ids[index], name, numeric.has(name))))));
  find("columns").replaceChildren(pick, ...visible.map((name) => columnHead(name, numeric.has(name))));
  visible.forEach((name, index) => columns.widen(find("columns").children[index + 1], listName, name));
  for (const [id, time] of highlights) highlight(id, performance.now() - time);

  find("records-frame").hidden = rows.length === 0;
  find("records-note").hidden = true;
  if (rows.length === 0) showEmpty();
  if (focused) find("records-frame").querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  columns.showEdges();
  for (const name of visible) showTitles(parentOf(name, resources), name);
  showCounts(ids);
}

/** Puts titles in the place of ids that point to another resource. */
async function showTitles(parent, name) {
  const links = parent ? [...find("rows").querySelectorAll(`[data-parent="${CSS.escape(name)}"]`)] : [];
  if (links.length === 0) return;
  const titles = await titlesOf(parent, new Set(links.map((link) => link.textContent))).catch(() => new Map());
  for (const link of links) {
    const id = link.textContent;
    if (titles.get(id)) link.replaceChildren(titles.get(id), element("small", { class: "quiet" }, ` ${id}`));
  }
  columns.showEdges();
}

/** Adds, behind the members, how many records of other resources point to each row. */
async function showCounts(ids) {
  const turn = reading;
  const { resource, resources } = shown;
  for (const child of ids.length > 0 ? await childrenOf(resource, resources).catch(() => []) : []) {
    const counts = await countChildren(child, ids).catch(() => undefined);
    if (turn !== reading) return;
    if (!counts) continue;
    find("columns").append(element("th", { scope: "col", class: "children" }, `↓ ${child.name}`));
    for (const row of find("rows").children) {
      const id = row.dataset.id;
      const href = `#records${pathTo(child.name)}?${new URLSearchParams({ [child.member]: id })}`;
      const label = `${child.name} of ${id}: ${counts.get(id)}`;
      row.append(element("td", { class: "number" }, element("a", { href, "aria-label": label }, counts.get(id))));
    }
  }
  columns.showEdges();
}

/** Marks a row, from where the table before left off. */
function highlight(id, age) {
  if (age >= highlightTime) return highlights.delete(id);
  const row = rowOf(id);
  if (!row) return;
  row.classList.add("changed");
  row.style.animationDelay = `-${age}ms`;
  setTimeout(() => row.classList.remove("changed"), highlightTime - age);
}

function columnHead(name, isNumeric) {
  const sort = shown.query.get("_sort");
  const order = { [name]: "ascending", [`-${name}`]: "descending" }[sort] ?? "none";
  const next = { none: name, ascending: `-${name}`, descending: null }[order];
  const onclick = () => { location.hash = listAddress({ _sort: next, _page: null }); };
  return element("th", { scope: "col", "aria-sort": order, class: isNumeric && "number" },
    element("button", { "data-key": `sort ${name}`, onclick }, name || '""'));
}

function cell(row, id, name, isNumeric) {
  const { resource, resources } = shown;
  const value = row?.[name];
  const properties = { class: `${kind(value)}${isNumeric ? " number" : ""}`, "data-name": name, tabindex: -1 };
  const parent = ["string", "number"].includes(kind(value)) && parentOf(name, resources);
  const isID = name === resource.idName;
  if (!isID && !parent) return element("td", { title: value === undefined ? undefined : brief(compact(value)), ...properties }, cells.content(value));
  const text = brief(compact(value ?? ""));
  const link = element("a", {
    href: isID ? listAddress({}, id) : `#records${pathTo(parent.name, text)}`, "data-key": `${id} ${name}`,
    "data-parent": isID ? undefined : name, "aria-label": isID ? `${resource.name} ${text}` : undefined,
  }, text);
  return element("td", properties, link);
}

function showEmpty() {
  const isNarrowed = [...shown.query.keys()].some((name) => !["_page", "_sort"].includes(name));
  if (isNarrowed) return showNote("Nothing matches.", "Try fewer letters, or take a filter away.");
  const url = address(pathTo(shown.resource.name));
  showNote("No records yet.", "Press “New record”, drop a JSON or CSV file here, or send one:",
    element("pre", { tabindex: 0, "aria-label": "Command" }, `curl '${url}' -H 'Content-Type: application/json' -d '{}'`));
}

function showNote(title, text, ...more) {
  find("records-frame").hidden = true;
  find("records-note").hidden = false;
  find("records-note").replaceChildren(element("strong", {}, title), element("p", {}, text), ...more);
  find("records-range").textContent = "";
}

function showPages(count, total) {
  const page = pageNumber();
  const last = lastPage(total);
  const first = (page - 1) * pageSize;
  const range = `${(first + 1).toLocaleString("en")}–${(first + count).toLocaleString("en")} of ${total.toLocaleString("en")}`;
  find("records-range").textContent = last > 1 ? range : total === 1 ? "1 record" : `${total} records`;
  find("records-pages").hidden = last === 1;
  find("page-number").textContent = `${page} / ${last}`;
  const numbers = { previous: page - 1, next: page + 1 };
  for (const [name, number] of Object.entries(numbers)) {
    find(`page-${name}`).toggleAttribute("inert", number < 1 || number > last);
    find(`page-${name}`).href = listAddress({ _page: number });
  }
}

function editCell(cell) {
  const { resource, resources } = shown;
  const id = cell.parentElement.dataset.id;
  const { name } = cell.dataset;
  const isFixed = name === undefined || name === resource.idName || document.body.dataset.readOnly !== undefined;
  if (isFixed) return;
  const done = (isSaved) => {
    if (isSaved) apply({ resource: resource.name, kind: "updated", id });
    attempt(async () => {
      await load();
      rowOf(id)?.querySelector(`[data-name="${CSS.escape(name)}"]`)?.focus();
    });
  };
  const openRecord = () => { location.hash = listAddress({}, id); };
  cells.edit(cell, { resource, resources, id, name, type: kind(draft[name] ?? null), done, openRecord });
}

find("search").oninput = debounced(250, () => {
  location.replace(listAddress({ q: find("search").value || null, _page: null }));
});

const rows = find("rows");
let opening;

rows.onclick = (event) => {
  const { target, detail, ctrlKey, metaKey, shiftKey } = event;
  clearTimeout(opening);
  const link = target.closest("a") ?? target.closest("tr").querySelector("td:nth-child(2) a");
  // The keyboard clicks without a count.
  const isPlain = detail > 0 && !ctrlKey && !metaKey && !shiftKey && !link?.target;
  if (!isPlain || !link || target.closest("input, select, .pick") || String(getSelection()) || cells.isEditing()) return;
  event.preventDefault();
  // A second click edits the cell instead.
  if (detail === 1) opening = setTimeout(() => link.click(), 250);
};

rows.ondblclick = ({ target }) => {
  clearTimeout(opening);
  getSelection().empty();
  const cell = target.closest("td[data-name]");
  if (cell) editCell(cell);
};

rows.onkeydown = (event) => {
  const cell = event.target.closest("td");
  const [across, down] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [];
  if (event.target.matches("select, input:not([type=checkbox])")) return;
  if (across !== undefined) {
    event.preventDefault();
    const row = down ? rows.children[cell.parentElement.sectionRowIndex + down] : cell.parentElement;
    const next = row?.children[cell.cellIndex + across];
    (next?.querySelector("a, input") ?? next)?.focus();
  } else if (event.key === "F2" || (event.key === "Enter" && event.target === cell)) {
    event.preventDefault();
    editCell(cell);
  }
};

rows.oncontextmenu = (event) => {
  const cell = event.target.closest("td[data-name]");
  if (!cell || event.target.closest("input")) return;
  event.preventDefault();
  menu(cell, cell.dataset.name, byID.get(cell.parentElement.dataset.id)?.[cell.dataset.name], () => editCell(cell));
};
