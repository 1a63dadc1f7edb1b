// Narrowing a list: the filters of its address, one to add, and the menu of a cell.

import { codeView } from "./code.js";
import { compact, isKey, pathTo, viewOf } from "./data.js";
import { button, copy, fill, node, onSubmit, openPanel, options, ui } from "./dom.js";
import * as records from "./records.js";

const operators = Object.entries({
  "": "=", _ne: "≠", _contains: "contains", _startsWith: "starts with", _endsWith: "ends with", _like: "matches",
  _gte: "≥", _gt: ">", _lte: "≤", _lt: "<", _in: "one of",
});

export function showFilters(resource, path, query) {
  const entries = [...query];
  fill(ui.filters, entries.map(([name, value], index) => {
    if (/^(q|_sort)$/.test(name)) return null;
    const [end, sign] = operators.findLast(([end]) => name.endsWith(end) && name !== end);
    const text = `${name.slice(0, name.length - end.length)} ${sign} ${value}`;
    const href = viewOf([resource.name], entries.toSpliced(index, 1));
    return node("a", { href, "aria-label": `Remove ${text}` }, `${text} ✕`);
  }));
  ui.recordsCode.onclick = () => openPanel("This list", codeView("URL", "curl", "Swift").show({ method: "GET", path, headers: [], body: "" }));
}

function add(name, value) {
  const { resource, query } = records.current();
  location.hash = viewOf([resource.name], [...query].filter(([name]) => name !== "_page").concat([[name, value]]));
}

/** What can be done with a cell. */
export function menu(id, name, value, edit) {
  const path = pathTo(records.current().resource.name, id);
  const text = compact(value ?? "");
  const item = (text, action, more) => node("p.switch", button(text, () => {
    ui.panel.close();
    action();
  }, more));
  openPanel(`${name} of ${path}`, isKey(value ?? null) || typeof value === "boolean" 
    ? [item("Filter by this value", () => add(name, text)), item("Leave this value out", () => add(`${name}_ne`, text))] : null,
    item("Copy value", () => copy(text)), item("Edit", edit, { class: "writes" }),
    item("Make the record fail …", () => { location.hash = `#server?${new URLSearchParams({ path })}`; }));
}

fill(ui.filterOperator, options(operators));
onSubmit(ui.filterForm, () => {
  add(ui.filterName.value + ui.filterOperator.value, ui.filterValue.value);
  ui.filterValue.value = "";
});
