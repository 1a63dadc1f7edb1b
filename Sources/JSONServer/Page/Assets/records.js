// The table of a collection. Its state (search, order, page, filters) is the query after # in the address.

import { address, pathTo, send } from "./api.js";
import { debounced, element, find, remember, remembered } from "./dom.js";
import { compact, kind } from "./json.js";
import { noteMembers, parentOf } from "./relations.js";

let shown = null;
let sizeName = "_limit";
let reading = 0;
const highlights = new Set();

/** The name of the collection on show, if one is. */
export const shownName = () => (find("records").hidden ? undefined : shown?.resource.name);

/** Shows a collection. */
export function open(resource, query, resources) {
  const isOther = shown?.resource.name !== resource.name;
  const isSame = !isOther && shown.query.toString() === query.toString();
  shown = { resource, query, resources };
  if (isSame) return;
  find("records-title").textContent = resource.name;
  find("records-url").textContent = pathTo(resource.name);
  find("records-url").href = address(pathTo(resource.name));
  if (document.activeElement !== find("search")) find("search").value = query.get("q") ?? "";
  if (isOther) find("rows").replaceChildren();
  showFilters();
  load();
}

/** Takes over new counts. */
export function update(resources) {
  const resource = resources.find(({ name }) => name === shown?.resource.name);
  if (resource) shown = { ...shown, resource, resources };
}

/** The address of the shown list, with other parameters where given; null takes one out. */
export function listAddress(changes = {}, id) {
  const query = new URLSearchParams(shown.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name); else query.set(name, value);
  }
  const names = id === undefined ? [shown.resource.name] : [shown.resource.name, String(id)];
  return `#records${pathTo(...names)}${query.size ? `?${query}` : ""}`;
}

const pageSize = () => Number(find("page-size").value);
const pageNumber = () => Math.max(1, Number(shown.query.get("_page")) || 1);

/** Reads the page. A slower, older answer never replaces a newer one. */
async function load() {
  const turn = ++reading;
  const { resource, query, resources } = shown;
  const sent = new URLSearchParams(query);
  sent.set("_page", pageNumber());
  sent.set(sizeName, pageSize());
  try {
    const { value, headers } = await send("GET", `${pathTo(resource.name)}?${sent}`);
    if (turn !== reading) return;
    const isEnvelope = !Array.isArray(value);
    if (isEnvelope && sizeName === "_limit") {
      // json-server 1.0's dialect: a page is an envelope, and its size has another name.
      sizeName = "_per_page";
      return load();
    }
    const rows = isEnvelope ? value.data : value;
    const total = Number(headers.get("X-Total-Count") ?? (isEnvelope ? value.items : rows.length));
    if (rows.length === 0 && total > 0 && pageNumber() > 1) return location.replace(listAddress({ _page: lastPage(total) }));
    showTable(rows, resources);
    showPages(rows.length, total);
  } catch (error) {
    if (turn === reading) showNote("This list could not be read.", error.message, "Is a fault or a delay set? See Server.");
  }
}

/** Reads the page again, soon. */
export const refresh = debounced(120, () => { if (shownName()) load(); });

const lastPage = (total) => Math.max(1, Math.ceil(total / pageSize()));

/** Follows a change that any client made. */
export function apply({ resource, kind: change, id }) {
  if (resource !== shownName()) return;
  if (change === "deleted") rowOf(id)?.classList.add("leaving");
  else highlights.add(String(id));
  refresh();
}

const rowOf = (id) => find("rows").querySelector(`tr[data-id="${CSS.escape(String(id))}"]`);

/** Goes to where a new record is: the end, without search, filters and order. */
export function goToEnd(id, added) {
  const { name, count } = shown.resource;
  highlights.add(String(id));
  location.hash = `#records${pathTo(name)}?_page=${lastPage(count + added)}`;
  refresh();
}

function showTable(rows, resources) {
  const columns = columnsOf(rows);
  const { idName } = shown.resource;
  noteMembers(shown.resource.name, columns);
  const focused = document.activeElement?.closest("#records-frame [data-key]")?.dataset.key;

  const numeric = new Set(columns.filter((name) => rows.every((row) => kind(row?.[name] ?? 0) === "number")));
  find("columns").replaceChildren(...columns.map((name) => columnHead(name, numeric.has(name))));
  find("rows").replaceChildren(...rows.map((row) => element("tr", { "data-id": compact(row?.[idName] ?? "") },
    ...columns.map((name) => cell(row, name, numeric.has(name), resources)))));

  for (const id of highlights) rowOf(id)?.classList.add("changed");
  highlights.clear();
  find("records-frame").hidden = rows.length === 0;
  find("records-note").hidden = rows.length > 0;
  if (rows.length === 0) showEmpty();
  if (focused) find("records-frame").querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function columnsOf(rows) {
  const { idName } = shown.resource;
  const names = new Set(rows.flatMap((row) => (kind(row) === "object" ? Object.keys(row) : [])));
  return [idName, ...[...names].filter((name) => name !== idName)];
}

function columnHead(name, isNumeric) {
  const sort = shown.query.get("_sort");
  const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none";
  const next = { none: name, ascending: `-${name}`, descending: null }[order];
  const sortBy = () => { location.hash = listAddress({ _sort: next, _page: null }); };
  return element("th", { scope: "col", "aria-sort": order, class: isNumeric && "number" },
    element("button", { type: "button", "data-key": `sort ${name}`, onclick: sortBy }, name));
}

function cell(row, name, isNumeric, resources) {
  const value = row?.[name];
  const type = value === undefined ? "missing" : kind(value);
  const text = value === undefined ? "" : compact(value);
  const properties = { class: `${type}${isNumeric ? " number" : ""}`, title: text.length > 40 && text };
  const id = compact(row?.[shown.resource.idName] ?? "");
  const parent = ["string", "number"].includes(type) && parentOf(name, resources);
  const place = name === shown.resource.idName ? listAddress({}, id) : parent && `#records${pathTo(parent.name, text)}`;
  if (!place) return element("td", properties, text);
  const label = parent ? `${parent.name} ${text}` : `Open ${shown.resource.name} ${text}`;
  return element("td", properties, element("a", { href: place, "data-key": `${id} ${name}`, "aria-label": label }, text));
}

function showEmpty() {
  const isNarrowed = shown.query.has("q") || filters().length > 0;
  if (isNarrowed) showNote("Nothing matches.", "Try fewer letters, or take a filter away.");
  else showNote("No records yet.", `Press “New record”, or: curl -X POST ${address(pathTo(shown.resource.name))} -H 'Content-Type: application/json' -d '{}'`);
}

function showNote(title, ...texts) {
  find("records-frame").hidden = true;
  find("records-note").hidden = false;
  find("records-note").replaceChildren(element("strong", {}, title), ...texts.map((text) => element("p", {}, text)));
}

function showPages(count, total) {
  const page = pageNumber();
  const last = lastPage(total);
  const first = (page - 1) * pageSize() + 1;
  const number = (value) => value.toLocaleString("en");
  find("records-range").textContent = count ? `${number(first)}–${number(first + count - 1)} of ${number(total)}` : "0 records";
  find("page-number").textContent = `${number(page)} / ${number(last)}`;
  link("page-first", page > 1 && 1);
  link("page-prev", page > 1 && page - 1);
  link("page-next", page < last && page + 1);
  link("page-last", page < last && last);
}

function link(id, page) {
  if (page) find(id).href = listAddress({ _page: page });
  else find(id).removeAttribute("href");
}

const filters = () => [...shown.query].filter(([name]) => name !== "q" && !["_page", "_sort"].includes(name));

function showFilters() {
  find("filters").replaceChildren(...filters().map(([name, value]) =>
    element("a", { href: listAddress({ [name]: null, _page: null }), "aria-label": `Take away the filter ${name} = ${value}` },
      `${name} = ${value} ✕`)));
}

find("search").addEventListener("input", debounced(250, () => {
  history.replaceState(null, "", listAddress({ q: find("search").value || null, _page: null }));
  dispatchEvent(new HashChangeEvent("hashchange"));
}));

find("search").addEventListener("keydown", (event) => {
  if (event.key === "Escape" && find("search").value === "") find("search").blur();
});

find("rows").addEventListener("click", (event) => {
  if (event.target.closest("a") || String(getSelection())) return;
  const id = event.target.closest("tr")?.dataset.id;
  if (id) location.hash = listAddress({}, id);
});

find("page-size").value = remembered("page-size", 20);
find("page-size").addEventListener("change", () => {
  remember("page-size", pageSize());
  location.hash = listAddress({ _page: null });
  load();
});
