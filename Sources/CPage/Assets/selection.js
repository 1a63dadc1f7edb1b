// The records that the user selected in the table, to delete or export them.

import { grouped, having, pathTo, send } from "./data.js";
import { remove } from "./deletion.js";
import { button, checkbox, fill, focusOn, isTyping, node, ui } from "./dom.js";
import * as list from "./list.js";
import { attempt } from "./messages.js";
import { exportAs } from "./transfer.js";

/** Clears the selection. Records that a new filter hides are not selected. */
export function clear() {
  list.unchoose();
  show();
}

/** Removes a deleted record from the selection. */
export const drop = (id) => { if (list.chosen.delete(id)) show(); };

/** A checkbox that selects a record, or all rows. */
export const box = (id, label) => checkbox(false, {
  "data-key": `pick ${label}`, "aria-label": `Select ${label}`,
  onchange({ target }) {
    for (const each of id === undefined ? list.ids() : [id]) target.checked ? list.chosen.add(each) : list.chosen.delete(each);
    show();
  },
});

async function readIds(query, ids) {
  const { name, idName } = list.resource;
  const only = ["_fields", idName];
  const rows = ids.length > 0 && ids.length <= 500 ? await having(name, idName, ids, [only])
    : (await send("GET", `${pathTo(name)}?${new URLSearchParams([...query, only])}`)).value;
  return rows.map((row) => list.idOf(row, idName)).filter(list.isId);
}

async function chooseAll() {
  const mine = list.chosen;
  for (const id of await readIds(list.narrowing(), [])) mine.add(id);
  show();
}

/** Does something with the selected records that are still there. */
const withChosen = (action) => attempt(async () => {
  const mine = list.chosen;
  const left = new Set(await readIds([], [...mine]));
  if (mine !== list.chosen) return;
  for (const id of mine) if (!left.has(id)) mine.delete(id);
  show();
  if (mine.size > 0 && (await action(list.resource, [...mine])) && mine === list.chosen) clear();
});

/** Shows the selection, also in the checkboxes of the table. */
export function show() {
  const { chosen, total } = list;
  const ids = list.ids();
  const isWhole = ids.length > 0 && ids.every((id) => chosen.has(id));
  for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("#records .pick input"))) {
    const { id } = input.closest("tr").dataset;
    input.checked = id === undefined ? isWhole : chosen.has(id);
  }
  const hadFocus = ui.selection.contains(document.activeElement);
  ui.selection.hidden = chosen.size === 0;
  if (chosen.size === 0) {
    if (hadFocus) focusOn(ui.recordsFrame.hidden ? ui.recordsNote : ui.recordsFrame);
    return fill(ui.selection);
  }
  const rest = isWhole && chosen.size < total && button(`Select all ${grouped(total)} that match`, () => attempt(chooseAll));
  const does = (text, action, more) => button(text, action, { "data-key": text, ...more });
  fill(ui.selection, node("strong", `${grouped(chosen.size)} selected`), rest,
    does("Export JSON", () => withChosen((resource, ids) => { exportAs(resource, ids, "json"); })),
    does("Export CSV", () => withChosen((resource, ids) => { exportAs(resource, ids, "csv"); })),
    does("Delete", () => withChosen(remove), { class: "danger writes", "aria-keyshortcuts": "Delete", title: "Delete" }),
    does("Clear", clear, { "aria-keyshortcuts": "Escape", title: "Escape" }));
}

ui.records.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  const { id } = target.closest("tr")?.dataset ?? {};
  const { chosen, resource } = list;
  if (event.defaultPrevented || isTyping(event) || target.closest("[popover]")) return;
  if (event.key === "Escape" && chosen.size > 0) clear();
  else if (event.key !== "Delete" || "readOnly" in document.body.dataset) return;
  else if (chosen.size > 0) withChosen(remove);
  else if (list.isId(id ?? "")) remove(resource, [id]);
  event.preventDefault();
});
