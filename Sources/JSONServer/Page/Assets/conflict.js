// Two versions of a record: which member is whose.

import { ask, button, element } from "./dom.js";
import { brief, compact } from "./json.js";

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Asks, member by member, which of two versions to keep.
 *
 * What only one side changed is chosen already. Answers the record made of both; `undefined` when the person goes back.
 */
export async function merge(title, base, mine, theirs) {
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  const differing = names.filter((name) => !same(mine[name], theirs[name]));
  const choices = new Map();
  const side = (name, index, whose, value, isChosen) => {
    const input = element("input", { type: "radio", name: `side ${index}`, "aria-label": `${whose}: ${name}` });
    input.checked = isChosen;
    choices.set(`${whose} ${name}`, input);
    return element("td", {}, element("label", {}, input, " ", value === undefined ? "not there" : brief(compact(value))));
  };
  const rows = differing.map((name, index) => {
    const keeps = !same(mine[name], base[name]);
    return element("tr", {}, element("th", { scope: "row" }, name),
      side(name, index, "Mine", mine[name], keeps), side(name, index, "Theirs", theirs[name], !keeps));
  });
  const all = (text, whose) => element("th", { scope: "col" }, button(text, () => {
    for (const name of differing) choices.get(`${whose} ${name}`).checked = true;
  }));
  const table = element("table", { class: "versions" }, element("thead", {}, element("tr", {}, element("td", {}),
    all("Keep mine", "Mine"), all("Take theirs", "Theirs"))), element("tbody", {}, ...rows));
  if (!(await ask(title, element("div", {}, element("p", {}, "Another client changed it while you did."), table), "Save this version"))) return undefined;
  const chosen = names.map((name) => [name, choices.get(`Theirs ${name}`)?.checked ? theirs[name] : mine[name]]);
  return Object.fromEntries(chosen.filter(([, value]) => value !== undefined));
}
