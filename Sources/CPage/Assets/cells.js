// The cells of the table: their content, and the editor of one cell.

import { reach, same, update } from "./conflict.js";
import { brief, compact, isAddress, kind, parentOf, pathTo, send } from "./data.js";
import { button, fill, node } from "./dom.js";
import { inputFor } from "./input.js";
import { complain } from "./messages.js";
import { outside } from "./values.js";

export function content(value) {
  if (typeof value !== "string") return value === undefined ? "" : brief(compact(value));
  const image = /^data:image\/|^https?:.+\.(png|jpe?g|gif|webp|avif|svg)([?#]|$)/i.test(value) && value.length < 200_000
    && node("img", { src: value, alt: "", loading: "lazy", referrerpolicy: "no-referrer", onerror: ({ target }) => target.remove() });
  return isAddress(value) ? outside(value, image, brief(value)) : image || brief(value);
}

/** The cell that is being edited; `typed` is what was typed before its field is there. @type {{ cell: Element, save: () => Promise<void> | void, isDirty: () => boolean, typed: string, value?: any } | undefined} */
let open;
/** The number of cells that were asked for. */
let asked = 0;

/** Whether a cell of this row is being edited. @param {Element} row */
export const isEditing = (row) => open !== undefined && row.contains(open.cell);

/** Takes a key that comes before the field is there. @param {string} key */
export const take = (key) => { open.typed += key; };

/** Ends the editing before the cell is removed. */
export function leave() {
  open?.save();
  open = undefined;
}

addEventListener("beforeunload", (event) => { if (open?.isDirty()) event.preventDefault(); });

/**
 * Edits a member in its cell. For a list, an object or a long text it opens the whole record.
 * @param {() => HTMLElement | null | undefined} find Finds the cell when another one is saved.
 * @param {{ resource: import("./data.js").Resource, id: string, name: string, type: string, done: (isSaved: boolean) => Promise<void>,
 *   openRecord: () => void, move: (step: number) => void, typed: string }} details `type` is the type of the column's other values,
 *   `move` edits the next cell or the one before it, and `typed` replaces a text.
 */
export async function edit(find, { resource, id, name, type, done, openRecord, move, typed }) {
  const wanted = ++asked;
  if (open) {
    await open.save();
    // Meanwhile, the user may have gone on to another cell or field.
    if (wanted !== asked || document.activeElement.matches("input, textarea, select")) return;
  }
  const cell = find();
  if (open || !cell) return;
  const mine = open = { cell, save() {}, isDirty: () => false, typed, value: undefined };
  const finish = (isSaved = false) => {
    if (open === mine) open = undefined;
    // The row may stay, because its next cell is edited before the list is read again.
    if (cell.querySelector(".in-cell")) fill(cell, content(mine.value));
    return done(isSaved);
  };
  try {
    const answer = await reach("GET", resource, id);
    if (open !== mine) return;
    const record = answer.value;
    const value = record[name];
    const form = value == null ? type : kind(value);
    if (/array|object/.test(form) || (form === "string" && /[\r\n]|^.{500}/.test(value ?? ""))) {
      finish();
      return openRecord();
    }
    const { field, read, beside = [] } = await inputFor(value, form, parentOf(name, resource));
    if (open !== mine) return;
    field.ariaLabel = `${name} of ${resource.name} ${id}`;
    field.classList.add("in-cell");
    mine.value = value;
    fill(cell, field, beside);
    const isSame = (next) => next === undefined || same(next, value);
    const enter = () => {
      if (open !== mine) return finish();
      field.disabled = false;
      field.focus();
    };
    enter();
    const isText = field instanceof HTMLInputElement && field.type === "text";
    if (isText && mine.typed) field.value = mine.typed;
    else if (field instanceof HTMLInputElement) field.select();
    const save = async () => {
      let next;
      try { next = read(); } catch (error) { return complain(error); }
      if (isSame(next)) return finish();
      field.disabled = true;
      try {
        const saved = await update({ resource, id, ...answer }, { ...record, [name]: next }, name);
        if (!saved) return enter();
        mine.value = saved.value[name];
        return finish(true);
      } catch (error) {
        const copy = JSON.stringify({ ...record, [name]: next });
        complain(error, error.status === 404 && button("Save as new", () => send("POST", pathTo(resource.name), copy).then(() => finish(true), complain)));
        return enter();
      }
    };
    let saving;
    mine.save = () => (open === mine ? saving ??= save().finally(() => { saving = undefined; }) : undefined);
    mine.isDirty = () => {
      try { return !isSame(read()); } catch { return true; }
    };
    field.onblur = mine.save;
    field.onkeydown = (/** @type {KeyboardEvent} */ event) => {
      event.stopPropagation();
      if (event.isComposing) return;
      if (event.key === "Enter") mine.save();
      if (event.key === "Escape") finish();
      if (event.key !== "Tab") return;
      event.preventDefault();
      Promise.resolve(mine.save()).then(() => { if (open !== mine) move(event.shiftKey ? -1 : 1); });
    };
  } catch (error) {
    finish();
    complain(error);
  }
}
