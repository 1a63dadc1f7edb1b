// Narrowing a list: the filters of its address, one to add, and the menu of a cell.

import { codeView } from "./code.js";
import { button, copy, element, find, onSubmit, openPanel, options } from "./dom.js";
import { compact, kind } from "./json.js";
import * as records from "./records.js";

const operators = [
  ["", "="], ["_ne", "≠"], ["_contains", "contains"], ["_startsWith", "starts with"], ["_endsWith", "ends with"], ["_like", "matches"],
  ["_gt", ">"], ["_gte", "≥"], ["_lt", "<"], ["_lte", "≤"], ["_in", "one of"],
];
const suffix = /^(.+?)(_ne|_contains|_startsWith|_endsWith|_like|_gte?|_lte?|_in)$/;

/** Shows the filters of a query, and what the list's path is as code. */
export function showFilters(path, query) {
  const entries = [...query];
  const chips = entries.map(([name, value], index) => {
    if (["q", "_page", "_sort"].includes(name)) return "";
    const [, member, end] = suffix.exec(name) ?? [name, name, ""];
    const text = `${member} ${operators.find(([operator]) => operator === end)[1]} ${value}`;
    const others = entries.filter(([other], place) => place !== index && other !== "_page");
    return element("a", { href: records.addressOf(new URLSearchParams(others)), "aria-label": `Take away the filter ${text}` }, `${text} ✕`);
  });
  find("filters").replaceChildren(...chips);
  find("records-code").onclick = () => {
    const view = codeView("url", "curl", "swift");
    view.show({ method: "GET", path, headers: [] });
    openPanel("This list", view);
  };
}

function add(name, value) {
  const query = new URLSearchParams(records.current().query);
  query.delete("_page");
  query.append(name, value);
  location.hash = records.addressOf(query);
}

/** Opens what can be done with a cell's value. */
export function menu(cell, name, value, edit) {
  const text = compact(value ?? "");
  const isPlain = ["string", "number", "boolean"].includes(kind(value ?? null)) && text.length < 2_000;
  const close = () => list.hidePopover();
  const item = (text, action, more) => button(text, () => {
    close();
    action();
  }, { role: "menuitem", ...more });
  const list = element("div", { class: "menu", role: "menu", popover: "auto", "aria-label": name, ontoggle: ({ newState }) => { if (newState === "closed") list.remove(); } },
    ...(isPlain ? [item("Filter by this value", () => add(name, text)), item("Leave this value out", () => add(`${name}_ne`, text))] : []),
    item("Copy value", () => copy(text)), item("Edit", edit, { class: "writes" }));
  list.onkeydown = ({ key }) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) [...list.children].at(([...list.children].indexOf(document.activeElement) + step) % list.children.length).focus();
  };
  document.body.append(list);
  list.showPopover();
  const { left, bottom } = cell.getBoundingClientRect();
  list.style.left = `${Math.max(8, Math.min(left, innerWidth - list.offsetWidth - 8))}px`;
  list.style.top = `${Math.min(bottom, innerHeight - list.offsetHeight - 8)}px`;
  list.firstChild.focus();
}

find("filter-operator").replaceChildren(...options(operators));
onSubmit("filter-form", () => {
  add(find("filter-name").value + find("filter-operator").value, find("filter-value").value);
  find("filter-value").value = "";
});
