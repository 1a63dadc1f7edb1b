// Several records at once: chosen in the table to be deleted or exported, or added from a file.

import { compact, kind, parse, pathTo, send } from "./data.js";
import { remove } from "./deletion.js";
import { announce, ask, attempt, button, checkbox, download, fill, node, ui } from "./dom.js";
import * as records from "./records.js";

const chosen = new Map();
let resource;

export function begin(next = resource) {
  resource = next;
  chosen.clear();
  show();
}

/** A box that chooses rows, given as pairs of id and record. */
export function box(rows, label) {
  return checkbox(rows.length > 0 && rows.every(([id]) => chosen.has(id)), {
    "data-key": `pick ${label}`, "aria-label": `Select ${label}`,
    onchange: ({ target }) => {
      for (const [id, row] of rows) target.checked ? chosen.set(id, row) : chosen.delete(id);
      for (const other of ui.rows.querySelectorAll(".pick input")) other.checked = chosen.has(other.closest("tr").dataset.id);
      show();
    },
  });
}

const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function csv(rows) {
  const names = Object.keys(Object.assign({}, ...rows));
  const lines = rows.map((row) => names.map((name) => compact(row[name] ?? "")));
  return [names, ...lines].map((line) => `${line.map(quoted).join(",")}\r\n`).join("");
}

function show() {
  const rows = [...chosen.values()];
  ui.selection.hidden = rows.length === 0;
  fill(ui.selection, node("strong", `${rows.length} selected`),
    button("Export JSON", () => download(`${resource.name}.json`, JSON.stringify(rows, null, 2))),
    button("Export CSV", () => download(`${resource.name}.csv`, csv(rows), "text/csv")),
    button("Delete", async () => {
      if (await remove(resource, [...chosen.keys()])) clear();
    }, { class: "danger writes" }), button("Clear", clear));
}

function clear() {
  begin();
  records.refresh();
}

const add = (file) => attempt(async () => {
  const text = await file.text();
  const isTable = /\.csv$/i.test(file.name);
  const made = isTable ? [] : parse(text);
  const list = made[resource.name] ?? made;
  if (!/array|object/.test(kind(list))) throw new Error(`${file.name} holds no records.`);
  const count = isTable ? "The records" : `${[list].flat().length} records`;
  const question = `${count} of ${file.name} will be added; one whose ${resource.idName} is there already is changed.`;
  if (!(await ask(`Add to ${resource.name}?`, question, "Add"))) return;
  const { value } = await send("POST", pathTo(resource.name), isTable ? text : JSON.stringify(list), isTable && { "Content-Type": "text/csv" });
  const added = [value].flat().length;
  announce(`Added ${added} to ${resource.name}`);
  records.goToEnd(added);
});

const { records: view, importFile } = ui;
view.ondragover = view.ondragleave = view.ondrop = (event) => {
  event.preventDefault();
  view.classList.toggle("dropping", event.type === "dragover");
  const file = event.type === "drop" && event.dataTransfer.files[0];
  if (file) add(file);
};
ui.import.onclick = () => importFile.click();
importFile.onchange = () => {
  if (importFile.files[0]) add(importFile.files[0]);
  importFile.value = "";
};
