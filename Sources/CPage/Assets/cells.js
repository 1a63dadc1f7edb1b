// The cells of the table: their content, and the editor of one cell.

import { merge, same } from "./conflict.js";
import { brief, compact, isAddress, kind, parentOf, pathTo, send } from "./data.js";
import { button, complain, fill, node, outside } from "./dom.js";
import { inputFor } from "./input.js";

export function content(value) {
  if (typeof value !== "string") return value === undefined ? "" : brief(compact(value));
  const image = /^data:image\/|^https?:.+\.(png|jpe?g|gif|webp|avif|svg)([?#]|$)/i.test(value) && value.length < 200_000
    && node("img", { src: value, alt: "", loading: "lazy", referrerpolicy: "no-referrer", onerror: ({ target }) => target.remove() });
  return isAddress(value) ? outside(value, image, brief(value)) : image || brief(value);
}

let open;

/** Whether a cell of this row is being edited. @param {Element} row */
export const isEditing = (row) => open !== undefined && row.contains(open);

addEventListener("beforeunload", (event) => { if (open) event.preventDefault(); });

/** Saves a member of a record and returns whether it did. If another client has changed the member, it asks which value to keep. */
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
  if (merged === undefined) return false;
  return same(merged[name], theirs) || write(path, name, merged[name], theirs, now.tag);
}

/**
 * Edits a member in its cell. For a list, an object or a long text it opens the whole record.
 *
 * @param {HTMLElement} cell
 * @param {{ resource: import("./data.js").Resource, id: string, name: string, type: string, done: (isSaved: boolean) => void,
 *   openRecord: () => void }} details `type` is the type of the column's other values.
 */
export async function edit(cell, { resource, id, name, type, done, openRecord }) {
  if (open) return;
  open = cell;
  const path = pathTo(resource.name, id);
  const finish = (isSaved = false) => {
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
    const { field, read, beside = [] } = await inputFor(value, form, parentOf(name, resource));
    field.ariaLabel = `${name} of ${resource.name} ${id}`;
    field.classList.add("in-cell");
    fill(cell, field, beside);
    const enter = () => {
      field.disabled = false;
      field.focus();
    };
    enter();
    if (field instanceof HTMLInputElement) field.select();
    const save = async () => {
      if (field.disabled || open !== cell) return;
      let next;
      try { next = read(); } catch (error) { return complain(error); }
      if (next === undefined || same(next, value)) return finish();
      field.disabled = true;
      try {
        if (await write(path, name, next, value, tag)) finish(true);
        else enter();
      } catch (error) {
        const copy = JSON.stringify({ ...record, [name]: next });
        complain(error, error.status === 404 && button("Save as new", () => send("POST", pathTo(resource.name), copy).then(() => finish(true), complain)));
        if (cell.isConnected) enter();
        else finish();
      }
    };
    field.onblur = save;
    field.onkeydown = (/** @type {KeyboardEvent} */ event) => {
      event.stopPropagation();
      if (event.key === "Enter") save();
      if (event.key === "Escape") finish();
    };
  } catch (error) {
    finish();
    complain(error);
  }
}
