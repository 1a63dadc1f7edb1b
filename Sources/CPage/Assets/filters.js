// The filters of a list, the form that adds a filter, and the menu of a cell.

import { copy } from "./browser.js";
import { codeView } from "./code.js";
import { brief, compact, isKey, pathTo, viewOf } from "./data.js";
import { fill, node, onSubmit, options, ui } from "./dom.js";
import * as list from "./list.js";
import { openMenu } from "./menu.js";
import { openPanel } from "./messages.js";

const operators = Object.entries({
  "": "=", _ne: "≠", _contains: "contains", _startsWith: "starts with", _endsWith: "ends with", _like: "matches",
  _gte: "≥", _gt: ">", _lte: "≤", _lt: "<", _in: "one of",
});
const { filterBox: box, filterName, filterOperator, filterValue } = ui;

/** Shows the filters and marks those that the server ignored. @param {string} path The list's path. */
export function show(path) {
  const entries = [...list.query];
  fill(ui.filters, entries.map(([name, value], index) => {
    if (/^(q|_sort|_page|_limit)$/.test(name)) return null;
    const [end, sign] = operators.findLast(([end]) => name.endsWith(end) && name !== end);
    const isIdle = list.ignored.includes(name);
    const text = `${name.slice(0, name.length - end.length)} ${sign} ${value}${isIdle ? " has no effect" : ""}`;
    const href = viewOf([list.resource.name], entries.toSpliced(index, 1).filter(([name]) => name !== "_page"));
    return node(isIdle ? "a.idle" : "a", { href, "aria-label": `Remove ${text}` }, `${text} ✕`);
  }));
  ui.recordsCode.onclick = () => openPanel("This list", codeView("URL", "curl", "Swift").show({ method: "GET", path, headers: [], body: "" }));
}

const add = (name, value) => { location.hash = viewOf([list.resource.name], [...list.query].filter(([name]) => name !== "_page").concat([[name, value]])); };

/** Opens the form that adds a filter, with the records' members. */
export function open() {
  const { value } = filterName;
  const paths = list.paths();
  fill(filterName, options(paths.map((path) => [path])));
  if (paths.includes(value)) filterName.value = value;
  box.showPopover();
  const { left, bottom } = ui.filterAdd.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(left, innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${bottom + 6}px`;
  filterName.focus();
}

/** Opens the menu of a cell; `edit` begins to edit it. */
export function openCellMenu(event, id, name, value, edit) {
  const { resource } = list;
  const path = list.isId(id) && pathTo(resource.name, id);
  const text = compact(value ?? "");
  const isPlain = isKey(value ?? null) || typeof value === "boolean";
  openMenu(event, `${name} of ${path || resource.name}`, [
    isPlain && { text: "Filter by this value", hint: brief(text, 24), action: () => add(name, text) },
    isPlain && { text: "Exclude this value", action: () => add(`${name}_ne`, text) },
    { text: "Copy value", action: () => copy(text) },
    path && name !== resource.idName && !("readOnly" in document.body.dataset) && { text: "Edit", hint: "double click, F2", action: edit },
    path && { text: "Make the record fail …", action: () => { location.hash = `#server?${new URLSearchParams({ path })}`; } },
  ]);
}

fill(filterOperator, options(operators));
ui.filterAdd.onclick = open;
onSubmit(ui.filterForm, () => {
  box.hidePopover();
  add(filterName.value + filterOperator.value, filterValue.value);
  filterValue.value = "";
  ui.filterAdd.focus();
});
