// Several records at once: chosen in the table to be deleted or exported, or added from a file.

import { address, pathTo } from "./api.js";
import { remove } from "./deletion.js";
import { announce, ask, attempt, button, download, element, find } from "./dom.js";
import { compact, kind, parse } from "./json.js";
import * as records from "./records.js";
import { send } from "./api.js";

const chosen = new Map();
let resource;

/** Begins anew in another resource. */
export function begin(next) {
  resource = next;
  chosen.clear();
  show();
}

const toggle = (id, row, isChosen) => (isChosen ? chosen.set(id, row) : chosen.delete(id));

export function box(id, row) {
  const input = element("input", { type: "checkbox", "data-key": `pick ${id}`, "aria-label": `Select ${resource.name} ${id}` });
  input.checked = chosen.has(id);
  if (input.checked) chosen.set(id, row);
  input.onchange = () => {
    toggle(id, row, input.checked);
    show();
  };
  return input;
}

export function boxForAll(rows) {
  const input = element("input", { type: "checkbox", "data-key": "pick all", "aria-label": "Select all rows shown" });
  input.checked = rows.length > 0 && rows.every(([id]) => chosen.has(id));
  input.onchange = () => {
    for (const [id, row] of rows) toggle(id, row, input.checked);
    for (const other of find("rows").querySelectorAll(".pick input")) other.checked = input.checked;
    show();
  };
  return input;
}

const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function csv(rows) {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const lines = rows.map((row) => names.map((name) => (row[name] == null ? "" : compact(row[name]))));
  return [names, ...lines].map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
}

function show() {
  const rows = () => [...chosen.values()];
  find("selection").hidden = chosen.size === 0;
  find("selection").replaceChildren(element("strong", {}, `${chosen.size} selected`),
    button("Export JSON", () => download(`${resource.name}.json`, JSON.stringify(rows(), null, 2))),
    button("Export CSV", () => download(`${resource.name}.csv`, csv(rows()), "text/csv")),
    button("Delete", removeAll, { class: "danger writes" }),
    button("Clear", () => {
      chosen.clear();
      records.refresh();
      show();
    }));
}

async function removeAll() {
  const pairs = [...chosen].map(([id, row]) => [id, JSON.stringify(row)]);
  if (!(await remove(resource, pairs))) return;
  chosen.clear();
  show();
  records.refresh();
}

/** Adds the records of a JSON or CSV file, after asking. */
async function add(file) {
  await attempt(async () => {
    const text = await file.text();
    const isTable = /\.csv$/i.test(file.name) || file.type === "text/csv";
    const made = isTable ? undefined : parse(text);
    const list = made?.[resource.name] ?? made;
    if (made && !["array", "object"].includes(kind(list))) throw new Error(`${file.name} holds no records.`);
    const count = isTable ? "The records" : kind(list) === "array" ? `${list.length} records` : "One record";
    const question = `${count} of ${file.name} will be added; one whose ${resource.idName} is there already is changed.`;
    if (!(await ask(`Add to ${resource.name}?`, question, "Add"))) return;
    const { value } = await send("POST", pathTo(resource.name), isTable ? text : JSON.stringify(list), isTable ? { "Content-Type": "text/csv" } : {});
    announce(`Added ${[value].flat().length} to ${resource.name}`);
    records.goToEnd([value].flat().length);
  });
}

const view = find("records");
view.ondragover = (event) => {
  event.preventDefault();
  view.classList.add("dropping");
};
view.ondragleave = () => view.classList.remove("dropping");
view.ondrop = (event) => {
  event.preventDefault();
  view.classList.remove("dropping");
  if (event.dataTransfer.files[0]) add(event.dataTransfer.files[0]);
};
find("import").onclick = () => find("import-file").click();
find("import-file").onchange = ({ target }) => {
  if (target.files[0]) add(target.files[0]);
  target.value = "";
};
