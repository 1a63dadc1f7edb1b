// The table of a collection. Its search, order, page and filters are the query after # in the address.

import { address, pathTo, readable, send } from "./api.js";
import { debounced, element, find } from "./dom.js";
import { compact, kind } from "./json.js";
import { noteMembers, parentOf } from "./relations.js";

let shown;
let sizeName = "_limit";
let reading = 0;
const highlights = new Map();
const highlightTime = 2_500;

export function open(resource, query, resources) {
  const isOther = shown?.resource.name !== resource.name;
  const isSame = !isOther && String(shown.query) === String(query);
  shown = { resource, query, resources };
  if (isSame) return;
  find("records-title").textContent = resource.name;
  find("records-url").textContent = readable(pathTo(resource.name));
  find("records-url").href = address(pathTo(resource.name));
  if (document.activeElement !== find("search")) find("search").value = query.get("q") ?? "";
  if (isOther) {
    find("rows").replaceChildren();
    highlights.clear();
    draft = {};
  }
  showFilters();
  load();
}

export function update(resources) {
  const resource = resources.find(({ name }) => name === shown?.resource.name);
  if (resource) shown = { ...shown, resource, resources };
}

let draft = {};

/** The collection on show, and a record to start a new one from. */
export const current = () => ({ ...shown, draft });

const emptyValues = { string: "", number: 0, boolean: false, array: [], object: {} };

function draftLike(rows, names) {
  const kinds = names.map((name) => kind(rows.map((row) => row?.[name]).findLast((value) => value != null) ?? null));
  return Object.fromEntries(names.map((name, index) => [name, emptyValues[kinds[index]] ?? null]));
}

/** The address of the shown list with parameters changed; null takes one out. */
export function listAddress(changes = {}, ...id) {
  const query = new URLSearchParams(shown.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return `#records${pathTo(shown.resource.name, ...id)}${query.size ? `?${query}` : ""}`;
}

const pageSize = 20;
const pageNumber = () => Math.max(1, Number(shown.query.get("_page")) || 1);
const lastPage = (total) => Math.max(1, Math.ceil(total / pageSize));

/** Reads the page. A slower, older answer never replaces a newer one. */
async function load() {
  const turn = ++reading;
  const query = new URLSearchParams(shown.query);
  query.set("_page", pageNumber());
  query.set(sizeName, pageSize);
  try {
    const { value, headers } = await send("GET", `${pathTo(shown.resource.name)}?${query}`);
    if (turn !== reading) return;
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
    if (turn === reading) showNote("This list could not be read.", `${error.message} Is a fault set? See Server.`);
  }
}

export const refresh = debounced(120, () => { if (!find("records").hidden) load(); });

/** Follows a change that any client made. */
export function apply({ resource, kind: change, id }) {
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
  const { idName, name } = shown.resource;
  const others = rows.flatMap((row) => (kind(row) === "object" ? Object.keys(row) : []));
  const columns = [...new Set([idName, ...others])];
  const numeric = new Set(columns.filter((name) => rows.every((row) => kind(row?.[name] ?? 0) === "number")));
  const focused = document.activeElement?.dataset.key;
  noteMembers(name, columns);
  if (rows.length > 0) draft = draftLike(rows, columns.filter((name) => name !== idName));

  find("columns").replaceChildren(...columns.map((name) => columnHead(name, numeric.has(name))));
  find("rows").replaceChildren(...rows.map((row) => element("tr", { "data-id": compact(row?.[idName] ?? "") },
    ...columns.map((name) => cell(row, name)))));
  for (const [id, time] of highlights) highlight(id, performance.now() - time);

  find("records-frame").hidden = rows.length === 0;
  find("records-note").hidden = true;
  if (rows.length === 0) showEmpty();
  if (focused) find("records-frame").querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
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

function cell(row, name) {
  const { resource, resources } = shown;
  const value = row?.[name];
  const text = value === undefined ? "" : compact(value);
  const properties = { class: kind(value), title: text };
  const id = compact(row?.[resource.idName] ?? "");
  const parent = ["string", "number"].includes(kind(value)) && parentOf(name, resources);
  const href = name === resource.idName ? listAddress({}, id) : parent && `#records${pathTo(parent.name, text)}`;
  if (!href) return element("td", properties, text);
  const label = `${parent ? parent.name : resource.name} ${text}`;
  return element("td", properties, element("a", { href, "data-key": `${id} ${name}`, "aria-label": label }, text));
}

function showEmpty() {
  const isNarrowed = shown.query.has("q") || filters().length > 0;
  if (isNarrowed) return showNote("Nothing matches.", "Try fewer letters, or take a filter away.");
  const url = address(pathTo(shown.resource.name));
  showNote("No records yet.", "Press “New record”, or send one:",
    element("pre", { tabindex: 0, "aria-label": "Command" }, `curl '${url}' -H 'Content-Type: application/json' -d '{}'`));
}

function showNote(title, text, ...more) {
  find("records-frame").hidden = true;
  find("records-note").hidden = false;
  find("records-note").replaceChildren(element("strong", {}, title), element("p", {}, text), ...more);
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

const filters = () => [...shown.query].filter(([name]) => !["q", "_page", "_sort"].includes(name));

function showFilters() {
  find("filters").replaceChildren(...filters().map(([name, value]) => element("a", {
    href: listAddress({ [name]: null, _page: null }), "aria-label": `Take away the filter ${name} = ${value}`,
  }, `${name} = ${value} ✕`)));
}

find("search").oninput = debounced(250, () => {
  location.replace(listAddress({ q: find("search").value || null, _page: null }));
});

find("rows").onclick = ({ target }) => {
  if (!target.closest("a") && !String(getSelection())) target.closest("tr").querySelector("a").click();
};
