// Changes a record on the server, and merges its versions.

import { brief, compact, idText, pathTo, readable, send } from "./data.js";
import { button, node } from "./dom.js";
import { ask } from "./messages.js";

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** The names of the members that differ between two versions of a record, regardless of their order. */
export const changed = (before, after) => Object.keys({ ...before, ...after }).filter((name) => !same(before[name], after[name]));

/** Sends a request for a record, or for a single object, which has no id. A rule may lead the path to something else. */
export async function reach(method, /** @type {any} */ { name, idName }, id, body, headers) {
  const path = pathTo(...[name, id ?? []].flat());
  const answer = await send(method, path, body && JSON.stringify(body), headers);
  if (id !== undefined && idText(answer.value?.[idName]) !== id) throw new Error(`The server answers for ${readable(path)} with something else.`);
  return answer;
}

/** A request's body with the changed members, or a patch if some are removed. */
function patch(names, after) {
  if (names.every((name) => name in after)) return { body: Object.fromEntries(names.map((name) => [name, after[name]])), type: "application/json" };
  const place = (name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const body = names.map((name) => (name in after ? { op: "add", path: place(name), value: after[name] } : { op: "remove", path: place(name) }));
  return { body, type: "application/json-patch+json" };
}

/** Asks for each member which version to keep. Returns the merged record; `undefined` when the user cancels. */
async function merge(title, base, mine, theirs) {
  const differing = changed(theirs, mine);
  if (differing.every((name) => same(theirs[name], base[name]))) return mine;
  const cell = (side, name, value, checked) => node("td", node("label",
    Object.assign(node("input", { type: "radio", name: `side ${name}`, value: side, "aria-label": `${side}: ${name}` }), { checked }),
    ` ${value === undefined ? "missing" : brief(compact(value))}`));
  const rows = differing.map((name) => {
    const isMine = !same(mine[name], base[name]);
    return node("tr", node("th", { scope: "row" }, name), cell("Mine", name, mine[name], isMine), cell("Theirs", name, theirs[name], !isMine));
  });
  const all = (text, side) => node("td", button(text, () => {
    for (const input of table.querySelectorAll(`[value="${side}"]`)) input.checked = true;
  }));
  const table = node("table.versions", node("tr", node("td"), all("Keep mine", "Mine"), all("Take theirs", "Theirs")), rows);
  if (!(await ask(title, [node("p", "Another client changed this record while you edited it."), table], "Save this version"))) return undefined;
  const theirNames = differing.filter((_, index) => rows[index].querySelector(":checked").value === "Theirs");
  const members = Object.keys({ ...theirs, ...mine }).map((name) => [name, (theirNames.includes(name) ? theirs : mine)[name]])
    .filter(([, value]) => value !== undefined);
  // As in what was read, no member is inherited.
  return Object.setPrototypeOf(Object.fromEntries(members), null);
}

/** Changes a record that was read: one member, or all. Returns the server's answer; `undefined` when the user cancels. */
export async function update(/** @type {any} */ { resource, id, value, tag }, mine, name) {
  const names = changed(value, mine).filter((name) => name !== resource.idName);
  if (names.length === 0) return { value };
  const { body, type } = patch(names, mine);
  try {
    return await reach("PATCH", resource, id, body, { "Content-Type": type, ...tag && { "If-Match": tag } });
  } catch (error) {
    if (error.status !== 412) throw error;
    const now = await reach("GET", resource, id);
    if (now.tag === tag) throw error;
    const next = name === undefined ? mine : { ...now.value, [name]: mine[name] };
    const merged = await merge(`Which version of ${[resource.name, id ?? []].flat().join(" / ")}?`, value, next, now.value);
    return merged && update({ resource, id, ...now }, merged, name);
  }
}
