// The cells of the table: what they show, and how one is edited in its place.

import { merge, same } from "./conflict.js";
import { brief, compact, isAddress, kind, parentOf, parse, pathTo, send, titleOf } from "./data.js";
import { button, checkbox, complain, fill, node, options, outside } from "./dom.js";

export function content(value) {
  if (typeof value !== "string") return value === undefined ? "" : brief(compact(value));
  const image = /^data:image\/|^https?:.+\.(png|jpe?g|gif|webp|avif|svg)([?#]|$)/i.test(value) && value.length < 200_000
    && node("img", { src: value, alt: "", loading: "lazy", referrerpolicy: "no-referrer", onerror: ({ target }) => target.remove() });
  return isAddress(value) ? outside(value, image, brief(value)) : image || brief(value);
}

async function fieldFor(value, type, parent) {
  const text = compact(value ?? "");
  if (type === "boolean") {
    let next = value;
    const box = checkbox(value === true, { onchange: () => { next = box.checked; } });
    return [box, () => next];
  }
  if (parent?.count <= 500) {
    const ids = new Map([[text, value]]);
    const pairs = (await send("GET", pathTo(parent.name))).value.map((record) => {
      const id = compact(record[parent.idName]);
      ids.set(id, record[parent.idName]);
      return [id, `${titleOf(record, parent)} (${id})`];
    });
    const list = node("select", options([...(pairs.some(([id]) => id === text) ? [] : [[text, text || "none"]]), ...pairs]));
    list.value = text;
    return [list, () => ids.get(list.value)];
  }
  const [, day, rest] = (type === "string" && /^(\d{4}-\d\d-\d\d)(T.+)?$/.exec(text)) || [];
  const input = node("input", { type: day && "date", inputmode: type === "number" && "decimal" });
  input.value = day ?? text;
  // As the field has it: not every day is one.
  const start = input.value;
  return [input, () => {
    if (input.value === start) return value;
    if (type !== "number") return input.value && input.value + (rest ?? "");
    const number = parse(input.value || "null");
    if (!/number|null/.test(kind(number))) throw new SyntaxError();
    return number;
  }];
}

let open;

export const isEditing = () => open !== undefined;

addEventListener("beforeunload", (event) => { if (open) event.preventDefault(); });

/** Saves a member of a record, and answers whether it did: what another client made of it meanwhile comes first. */
async function write(path, name, next, before, tag) {
  try {
    await send("PATCH", path, JSON.stringify({ [name]: next }), tag && { "If-Match": tag });
    return true;
  } catch (error) {
    if (error.status !== 412) throw error;
  }
  const now = await send("GET", path);
  const theirs = now.value[name];
  const merged = same(theirs, before) ? { [name]: next } : await merge(`Which ${name}?`, { [name]: before }, { [name]: next }, { [name]: theirs });
  return merged !== undefined && !same(merged[name], theirs) && write(path, name, merged[name], theirs, now.tag);
}

/** Edits a member in its cell; `type` is what the column's other values are. What has no short form opens the whole record. */
export async function edit(cell, { resource, id, name, type, done, openRecord }) {
  if (open) return;
  open = cell;
  const path = pathTo(resource.name, id);
  const finish = (isSaved) => {
    open = undefined;
    done(isSaved);
  };
  try {
    const { value: record, tag } = await send("GET", path);
    const value = record[name];
    const form = value == null ? type : kind(value);
    if (/array|object/.test(form) || (form === "string" && /\n|^.{500}/.test(value ?? ""))) {
      finish();
      return openRecord();
    }
    const [field, read] = await fieldFor(value, form, parentOf(name, resource));
    field.ariaLabel = `${name} of ${resource.name} ${id}`;
    field.classList.add("in-cell");
    fill(cell, field);
    field.focus();
    field.select?.();
    const save = async () => {
      if (field.disabled || open !== cell) return;
      let next;
      try { next = read(); } catch { return complain(`${field.value} is not a number.`); }
      if (next === undefined || same(next, value)) return finish();
      field.disabled = true;
      try {
        finish(await write(path, name, next, value, tag));
      } catch (error) {
        field.disabled = false;
        const copy = JSON.stringify({ ...record, [name]: next });
        complain(error, error.status === 404 && button("Save as new", () => send("POST", pathTo(resource.name), copy).then(finish, complain)));
      }
    };
    field.onblur = save;
    field.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "Enter") save();
      if (event.key === "Escape") finish();
    };
  } catch (error) {
    finish();
    complain(error);
  }
}
