// The records that the user selected in the table, to delete or export them.

import { grouped, idText, pathTo, send } from "./data.js";
import { remove } from "./deletion.js";
import { attempt, button, checkbox, fill, node, ui } from "./dom.js";
import * as route from "./route.js";
import * as store from "./store.js";
import { exportAs } from "./transfer.js";

/** @type {Set<string>} */
const chosen = new Set();

/** Clears the selection. Records that a new filter hides are not selected. */
export function clear() {
  chosen.clear();
  show();
}

/** Removes a deleted record from the selection. */
export const drop = (id) => { if (chosen.delete(id)) show(); };

/** A checkbox that selects a record, or all rows. */
export const box = (id, label) => checkbox(false, {
  "data-key": `pick ${label}`, "aria-label": `Select ${label}`,
  onchange({ target }) {
    for (const each of id === undefined ? store.rows.keys() : [id]) target.checked ? chosen.add(each) : chosen.delete(each);
    show();
  },
});

async function chooseAll() {
  const { name, idName } = route.resource;
  const query = new URLSearchParams([...route.narrowing(), ["_fields", idName]]);
  const { value } = await send("GET", `${pathTo(name)}?${query}`);
  for (const row of value) chosen.add(idText(row[idName]));
  show();
}

/** Shows the selection, also in the checkboxes of the table. */
export function show() {
  const ids = [...store.rows.keys()];
  const isWhole = ids.length > 0 && ids.every((id) => chosen.has(id));
  for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("#records .pick input"))) {
    const { id } = input.closest("tr").dataset;
    input.checked = id === undefined ? isWhole : chosen.has(id);
  }
  ui.selection.hidden = chosen.size === 0;
  if (chosen.size === 0) return fill(ui.selection);
  const rest = isWhole && chosen.size < store.total && button(`Select all ${grouped(store.total)} that match`, () => attempt(chooseAll));
  fill(ui.selection, node("strong", `${grouped(chosen.size)} selected`), rest,
    button("Export JSON", () => exportAs(route.resource, [...chosen], "json")),
    button("Export CSV", () => exportAs(route.resource, [...chosen], "csv")),
    button("Delete", async () => {
      if (await remove(route.resource, [...chosen])) clear();
    }, { class: "danger writes" }), button("Clear", clear));
}
