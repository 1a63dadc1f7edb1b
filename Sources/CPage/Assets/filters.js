// Narrowing a list: the filters of its address, one to add, and the menu of a cell.

import { viewOf } from "./api.js";
import { codeView } from "./code.js";
import { button, copy, fill, node, onSubmit, openPanel, options, ui } from "./dom.js";
import { compact, kind } from "./json.js";
import * as records from "./records.js";

const operators = Object.entries({
  "": "=", _ne: "≠", _contains: "contains", _startsWith: "starts with", _endsWith: "ends with", _like: "matches",
  _gte: "≥", _gt: ">", _lte: "≤", _lt: "<", _in: "one of",
});

export function showFilters(resource, path, query) {
  const entries = [...query].filter(([name]) => name !== "_page");
  fill(ui.filters, entries.map(([name, value], index) => {
    if (/^(q|_sort)$/.test(name)) return null;
    const [end, sign] = operators.findLast(([end]) => name.endsWith(end) && name !== end);
    const text = `${name.slice(0, name.length - end.length)} ${sign} ${value}`;
    const href = viewOf([resource.name], entries.toSpliced(index, 1));
    return node("a", { href, "aria-label": `Take away the filter ${text}` }, `${text} ✕`);
  }));
  ui.recordsCode.onclick = () => openPanel("This list", codeView("URL", "curl", "Swift").show({ method: "GET", path, headers: [], body: "" }));
}

function add(name, value) {
  const { resource, query } = records.current();
  location.hash = viewOf([resource.name], [...query].filter(([name]) => name !== "_page").concat([[name, value]]));
}

export function menu(cell, name, value, edit) {
  const text = compact(value ?? "");
  const isPlain = /string|number|boolean/.test(kind(value)) && text.length < 2_000;
  const item = (text, action, more) => button(text, () => {
    list.hidePopover();
    action();
  }, { role: "menuitem", ...more });
  const list = node("div.menu", {
    role: "menu", popover: "auto", "aria-label": name, ontoggle: ({ newState }) => { if (newState === "closed") list.remove(); },
    onkeydown: ({ key }) => {
      const items = [...list.children];
      const step = { ArrowDown: 1, ArrowUp: -1 }[key] ?? 0;
      items.at((items.indexOf(document.activeElement) + step) % items.length).focus();
    },
  }, isPlain && [item("Filter by this value", () => add(name, text)), item("Leave this value out", () => add(`${name}_ne`, text))],
  item("Copy value", () => copy(text)), item("Edit", edit, { class: "writes" }));
  ui.main.append(list);
  list.showPopover();
  const { left, bottom } = cell.getBoundingClientRect();
  list.style.left = `${Math.max(8, Math.min(left, innerWidth - list.offsetWidth - 8))}px`;
  list.style.top = `${Math.min(bottom, innerHeight - list.offsetHeight - 8)}px`;
  list.firstChild.focus();
}

fill(ui.filterOperator, options(operators));
onSubmit(ui.filterForm, () => {
  add(ui.filterName.value + ui.filterOperator.value, ui.filterValue.value);
  ui.filterValue.value = "";
});
