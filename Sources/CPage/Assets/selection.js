// The records that the user selected in the table, to delete or export them.

import { grouped, having, pathTo, send } from "./data.js";
import { remove } from "./deletion.js";
import { attempt, button, checkbox, fill, node, ui } from "./dom.js";
import * as route from "./route.js";
import * as store from "./store.js";
import { exportAs } from "./transfer.js";

/** Another list has another selection. @type {Set<string>} */
let chosen = new Set();

/** Clears the selection. Records that a new filter hides are not selected. */
export function clear() {
  chosen = new Set();
  show();
}

/** Removes a deleted record from the selection. */
export const drop = (id) => { if (chosen.delete(id)) show(); };

/** A checkbox that selects a record, or all rows. */
export const box = (id, label) => checkbox(false, {
  "data-key": `pick ${label}`, "aria-label": `Select ${label}`,
  onchange({ target }) {
    for (const each of id === undefined ? store.ids() : [id]) target.checked ? chosen.add(each) : chosen.delete(each);
    show();
  },
});

async function readIds(query, ids) {
  const { name, idName } = route.resource;
  const only = ["_fields", idName];
  const rows = ids.length > 0 && ids.length <= 500 ? await having(name, idName, ids, [only])
    : (await send("GET", `${pathTo(name)}?${new URLSearchParams([...query, only])}`)).value;
  return rows.map((row) => store.idOf(row, idName)).filter(store.isId);
}

async function chooseAll() {
  const mine = chosen;
  for (const id of await readIds(route.narrowing(), [])) mine.add(id);
  show();
}

/** Does something with the selected records that are still there. */
const withChosen = (action) => attempt(async () => {
  const mine = chosen;
  const left = new Set(await readIds([], [...mine]));
  if (mine !== chosen) return;
  for (const id of mine) if (!left.has(id)) mine.delete(id);
  show();
  if (mine.size > 0 && (await action(route.resource, [...mine])) && mine === chosen) clear();
});

/** Shows the selection, also in the checkboxes of the table. */
export function show() {
  const ids = store.ids();
  const isWhole = ids.length > 0 && ids.every((id) => chosen.has(id));
  for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("#records .pick input"))) {
    const { id } = input.closest("tr").dataset;
    input.checked = id === undefined ? isWhole : chosen.has(id);
  }
  ui.selection.hidden = chosen.size === 0;
  if (chosen.size === 0) return fill(ui.selection);
  const rest = isWhole && chosen.size < store.total && button(`Select all ${grouped(store.total)} that match`, () => attempt(chooseAll));
  fill(ui.selection, node("strong", `${grouped(chosen.size)} selected`), rest,
    button("Export JSON", () => withChosen((resource, ids) => { exportAs(resource, ids, "json"); })),
    button("Export CSV", () => withChosen((resource, ids) => { exportAs(resource, ids, "csv"); })),
    button("Delete", () => withChosen(remove), { class: "danger writes" }), button("Clear", clear));
}
