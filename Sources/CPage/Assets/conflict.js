// Merges two versions of a record.

import { brief, compact } from "./data.js";
import { ask, button, node } from "./dom.js";

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Asks for each member which version to keep. Returns the merged record; `undefined` when the user cancels. */
export async function merge(title, base, mine, theirs) {
  const names = Object.keys({ ...theirs, ...mine });
  const differing = names.filter((name) => !same(mine[name], theirs[name]));
  const cell = (side, name, value, checked) => node("td", node("label",
    Object.assign(node("input", { type: "radio", name: `side ${name}`, value: side, "aria-label": `${side}: ${name}` }), { checked }),
    ` ${value === undefined ? "missing" : brief(compact(value))}`));
  const rows = differing.map((name) => {
    // Preselects the version that differs from the base.
    const isMine = !same(mine[name], base[name]);
    return node("tr", node("th", { scope: "row" }, name), cell("Mine", name, mine[name], isMine), cell("Theirs", name, theirs[name], !isMine));
  });
  const all = (text, side) => node("td", button(text, () => {
    for (const input of table.querySelectorAll(`[value="${side}"]`)) input.checked = true;
  }));
  const table = node("table.versions", node("tr", node("td"), all("Keep mine", "Mine"), all("Take theirs", "Theirs")), rows);
  if (!(await ask(title, [node("p", "Another client changed this record while you edited it."), table], "Save this version"))) return undefined;
  const theirNames = differing.filter((_, index) => rows[index].querySelector(":checked").value === "Theirs");
  return Object.fromEntries(names.map((name) => [name, (theirNames.includes(name) ? theirs : mine)[name]]).filter(([, value]) => value !== undefined));
}
