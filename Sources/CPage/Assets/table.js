// The table: a head for each column, a row for each record. An unchanged row keeps its element.

import * as cells from "./cells.js";
import * as columns from "./columns.js";
import { brief, childrenOf, compact, countChildren, idText, isKey, kind, parentOf, titlesOf, viewOf } from "./data.js";
import { button, fill, isLost, node, refocus, ui } from "./dom.js";
import * as list from "./list.js";
import * as selection from "./selection.js";

const { rows: body, columns: heads } = ui;
/** The ids of rows that have just changed. @type {Set<string>} */
const highlights = new Set();
/** A description of the head. When it changes, all rows are made again. */
let look;
/** The JSON from which each row was made. @type {WeakMap<Element, string>} */
let texts = new WeakMap();
let turn = 0;
/** The id of the row whose controls the Tab key reaches. @type {string} */
let reached;

/** @typedef {{ name: string, isNumeric: boolean, parent?: import("./data.js").Resource }} Column */

/** @returns {HTMLElement | null} */
const rowOf = (id) => body.querySelector(`[data-id="${CSS.escape(id)}"]`);
/** @returns {HTMLElement | null | undefined} */
export const cellOf = (id, name) => rowOf(id)?.querySelector(`[data-name="${CSS.escape(name)}"]`);

/** Shows a placeholder while the rows of another resource are read. */
export function begin() {
  cells.leave();
  look = undefined;
  highlights.clear();
  fill(heads);
  fill(body, Array.from({ length: 6 }, () => node("tr.skeleton", node("td"))));
}

/** Makes a row again when it is drawn next. */
export const renew = (id) => { texts.delete(rowOf(id)); };

/** Marks the row of the record beside the list. @param {string} [id] */
export const mark = (id) => { for (const row of body.children) row.ariaCurrent = row.dataset.id === id ? "true" : null; };

/** Lets the Tab key reach the controls of one row, and the arrow keys the other rows. */
function rove() {
  const row = rowOf(reached) ?? body.firstElementChild;
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll("a, input"))) {
    const wanted = row.contains(each) ? 0 : -1;
    if (each.tabIndex !== wanted) each.tabIndex = wanted;
  }
}

body.addEventListener("focusin", ({ target }) => {
  const { id } = /** @type {Element} */ (target).closest("tr")?.dataset ?? {};
  if (id === reached || id === undefined) return;
  reached = id;
  rove();
});

/** Marks a row as changed for some seconds. */
export function highlight(id) {
  highlights.add(id);
  setTimeout(() => {
    highlights.delete(id);
    rowOf(id)?.classList.remove("changed");
  }, 2_500);
}

/**
 * Makes the children of an element those of the items, by key. A child whose text is unchanged stays.
 * @param {Element} place
 * @param {[string, string, () => HTMLElement][]} items A key, a text, and a function that makes the element.
 */
function keyed(place, items) {
  const old = new Map([...place.children].map((child) => [/** @type {HTMLElement} */ (child).dataset.id, child]));
  const hadFocus = place.contains(document.activeElement);
  const held = hadFocus && document.activeElement.closest("tr").sectionRowIndex;
  let next = place.firstElementChild;
  for (const [key, text, make] of items) {
    let child = old.get(key);
    // A row that is being edited stays.
    if (!child || (texts.get(child) !== text && !cells.isEditing(child))) {
      const made = make();
      made.dataset.id = key;
      texts.set(made, text);
      if (child) child.replaceWith(made);
      if (child === next) next = made;
      child = made;
    }
    if (child === next) next = next.nextElementSibling;
    else place.insertBefore(child, next);
  }
  const kept = new Set(items.map(([key]) => key));
  for (const child of [...place.children]) if (!kept.has(/** @type {HTMLElement} */ (child).dataset.id) && !cells.isEditing(child)) child.remove();
  if (!hadFocus || place.contains(document.activeElement)) return;
  refocus();
  // In place of a deleted row the next one gets the focus.
  if (isLost()) (body.children[Math.min(Number(held), body.children.length - 1)]?.querySelector(/** @type {"a"} */ ("a, input")) ?? ui.recordsFrame).focus();
}

/** Shows the rows of the list. */
export function show() {
  const { resource } = list;
  const { idName, name: listName } = resource;
  const rows = [...list.rows.values()];
  const names = [...new Set([idName, ...rows.flatMap((row) => (kind(row) === "object" ? Object.keys(row) : []))])];
  const shown = names.filter((name) => name === idName || !columns.isHidden(listName, name)).map((name) => {
    const kinds = rows.map((row) => kind(row?.[name] ?? null)).filter((kind) => kind !== "null");
    const parent = parentOf(name, resource);
    return { name, isNumeric: !parent && kinds.filter((kind) => kind === "number").length * 2 > kinds.length, parent };
  });
  const children = childrenOf(resource);
  ui.columnsChoose.onclick = () => columns.choose(listName, names.slice(1), show);

  const next = JSON.stringify([listName, shown.map(({ name, isNumeric, parent }) => [name, isNumeric, parent?.name]), children, list.query.get("_sort")]);
  if (look !== next) {
    texts = new WeakMap();
    fill(heads, node("th.pick", selection.box(undefined, "all rows shown")), shown.map((column) => head(column)), children.map(({ name }) =>
      node("th.children", { scope: "col" }, `↓ ${name}`)));
    shown.forEach(({ name }, index) => columns.widen(/** @type {HTMLElement} */ (heads.children[index + 1]), listName, name));
    makeRoving();
  }
  look = next;
  keyed(body, [...list.rows].map(([id, row]) => [id, JSON.stringify(row), () => line(id, row, shown, children)]));
  for (const id of highlights) rowOf(id)?.classList.add("changed");
  rove();
  selection.show();
  columns.showEdges();
  for (const { name, parent } of shown) if (parent) showTitles(parent, name);
  showCounts(children, list.ids());
}

/** @param {Column} column */
function head({ name, isNumeric }) {
  const sort = list.query.get("_sort");
  const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none";
  const next = { none: name, ascending: `-${name}`, descending: null }[order];
  const made = node("th", { scope: "col", "aria-sort": order, class: isNumeric && "number" },
    button(name || '""', () => { location.hash = list.address({ _sort: next, _page: null }); }, { "data-key": `sort ${name}` }));
  return columns.size(made, list.resource.name, name);
}

/** Lets the Tab key reach one head, and the arrow keys the others. */
function makeRoving() {
  const buttons = [...heads.querySelectorAll("button")];
  const leave = (wanted) => { for (const each of buttons) each.tabIndex = each === wanted ? 0 : -1; };
  leave(buttons[0]);
  buttons.forEach((each, index) => {
    each.onfocus = () => leave(each);
    each.onkeydown = ({ key, shiftKey }) => {
      const step = !shiftKey && { ArrowLeft: -1, ArrowRight: 1 }[key];
      if (step) buttons[index + step]?.focus();
    };
  });
}

/** @param {string} id @param {Record<string, any>} row @param {Column[]} shown */
function line(id, row, shown, children) {
  return node("tr", node("td.pick", list.isId(id) && selection.box(id, `${list.resource.name} ${id}`)), shown.map((column) => cell(id, column, row?.[column.name])),
    children.map(({ name, member }) => node("td.number.count-cell", { "data-child": `${name} ${member}`, "data-label": `↓ ${name}` })));
}

/** @param {string} id @param {Column} column */
function cell(id, { name, isNumeric, parent }, value) {
  const { resource } = list;
  const text = brief(compact(value ?? ""));
  const key = { "data-key": `${id} ${name}` };
  // A list of ids refers to several records.
  const keys = [value ?? null].flat();
  const link = (parentID, index) => node("a", {
    "data-key": `${id} ${name}${index || ""}`, href: viewOf([parent.name, idText(parentID)]), "data-parent": name, "data-parent-id": idText(parentID),
  }, brief(compact(parentID)));
  const content = name === resource.idName && list.isId(id) ? node("a", { ...key, href: list.address({}, id), "aria-label": `${resource.name} ${text}` }, text)
    : parent && keys.every(isKey) ? keys.flatMap((parentID, index) => [index > 0 && ", ", link(parentID, index)])
    : cells.content(value);
  const made = node("td", {
    class: `${parent ? "" : kind(value)}${isNumeric ? " number" : ""}${name === resource.idName ? " id" : ""}`, title: text, dir: typeof value === "string" && "auto",
    "data-name": name, "data-label": name, "data-key": `cell ${id} ${name}`, tabindex: -1,
  }, content);
  return columns.size(made, resource.name, name);
}

async function showTitles(parent, name) {
  /** @type {HTMLElement[]} */
  const links = [...body.querySelectorAll(/** @type {"a"} */ (`[data-parent="${CSS.escape(name)}"]`))];
  if (links.length === 0) return;
  const titles = await titlesOf(parent, new Set(links.map((link) => link.dataset.parentId)));
  for (const link of links) {
    const { parentId: id, title } = link.dataset;
    const next = titles.get(id);
    if (typeof next !== "string" || next === title) continue;
    link.dataset.title = next;
    fill(link, next, node("small.quiet", ` ${id}`));
  }
  columns.showEdges();
}

async function showCounts(children, ids) {
  const mine = ++turn;
  for (const child of ids.length > 0 ? children : []) {
    const counts = await countChildren(child, ids).catch(() => undefined);
    if (turn !== mine) return;
    for (const id of counts ? ids : []) {
      const place = rowOf(id)?.querySelector(`[data-child="${CSS.escape(`${child.name} ${child.member}`)}"]`);
      const count = String(counts.get(id));
      if (!place || place.textContent === count) continue;
      fill(place, node("a", { href: viewOf([child.name], { [child.member]: id }), "aria-label": `${child.name} of ${id}: ${count}`, "data-key": `${child.name} of ${id}` }, count));
    }
  }
  rove();
  columns.showEdges();
}
