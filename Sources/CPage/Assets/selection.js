// Several records at once: chosen in the table to be deleted or exported, or added from a file.

import { compact, kind, list, parse, pathTo, send } from "./data.js";
import { remove } from "./deletion.js";
import { announce, ask, attempt, button, checkbox, download, fill, node, ui } from "./dom.js";
import * as records from "./records.js";

const chosen = new Set();
let resource;

export function begin(next = resource) {
  resource = next;
  chosen.clear();
  show();
}

/** Takes out a record that is gone. */
export const drop = (id) => { if (chosen.delete(id)) show(); };

/** A box that chooses records. */
export function box(ids, label) {
  return checkbox(ids.length > 0 && ids.every((id) => chosen.has(id)), {
    "data-key": `pick ${label}`, "aria-label": `Select ${label}`,
    onchange: ({ target }) => {
      for (const id of ids) target.checked ? chosen.add(id) : chosen.delete(id);
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

/** The records as they are now, in requests that are not too long. */
async function read(ids) {
  const { name, idName } = resource;
  const part = ids.splice(0, 100).map((id) => [idName, id]);
  return part.length > 0 ? [...await list(name, part, 100), ...await read(ids)] : [];
}

function show() {
  const save = (end, write, type) =>
    button(`Export ${end.toUpperCase()}`, () => attempt(async () => download(`${resource.name}.${end}`, write(await read([...chosen])), type)));
  ui.selection.hidden = chosen.size === 0;
  fill(ui.selection, node("strong", `${chosen.size} selected`),
    save("json", (rows) => JSON.stringify(rows, null, 2)), save("csv", csv, "text/csv"),
    button("Delete", async () => {
      if (await remove(resource, [...chosen])) clear();
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
  const rows = made[resource.name] ?? made;
  if (!/array|object/.test(kind(rows))) throw new Error(`${file.name} holds no records.`);
  const count = isTable ? "The records" : `${[rows].flat().length} records`;
  const question = `${count} of ${file.name} will be added; one whose ${resource.idName} is there already is changed.`;
  if (!(await ask(`Add to ${resource.name}?`, question, "Add"))) return;
  const { value } = await send("POST", pathTo(resource.name), isTable ? text : JSON.stringify(rows), isTable && { "Content-Type": "text/csv" });
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
