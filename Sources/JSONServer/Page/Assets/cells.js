// The cells of the table: what they show, and how one of them is edited in its place.

import { pathTo, send } from "./api.js";
import { merge } from "./conflict.js";
import { announce, button, element, options } from "./dom.js";
import { brief, compact, isAddress, kind, outside, parse } from "./json.js";
import { parentOf, titleOf } from "./relations.js";

const isImage = (text) => /^data:image\//.test(text) || (isAddress(text) && /\.(png|jpe?g|gif|webp|avif|svg)([?#]|$)/i.test(text));

/** What a cell shows of a value that points nowhere in the data. */
export function content(value) {
  if (value === undefined) return "";
  const text = compact(value);
  if (typeof value !== "string") return brief(text);
  const preview = isImage(text)
    ? [element("img", { src: text, alt: "", loading: "lazy", referrerpolicy: "no-referrer", onerror: ({ target }) => target.remove() })] : [];
  if (isAddress(text)) return outside(text, ...preview, brief(text));
  return preview[0] ?? brief(text);
}

let open;

export const isEditing = () => open !== undefined;

const time = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d)?)?(.*)$/;

/** A field for a value of a kind, and how to read it. */
async function field(value, type, parent) {
  const text = value == null ? "" : compact(value);
  if (type === "boolean") {
    const box = element("input", { type: "checkbox" });
    box.checked = value === true;
    return [box, () => box.checked];
  }
  const titles = parent && parent.count <= 500 ? (await send("GET", pathTo(parent.name))).value : undefined;
  if (titles) {
    const ids = titles.map((record) => record[parent.idName]);
    const pairs = titles.map((record, index) => [compact(ids[index]), `${titleOf(record, parent.idName) ?? ""} (${compact(ids[index])})`]);
    const known = pairs.some(([id]) => id === text);
    const list = element("select", {}, ...options([...(known ? [] : [[text, text || "none"]]), ...pairs]));
    list.value = text;
    return [list, () => (list.value === text ? value : ids.find((id) => compact(id) === list.value))];
  }
  const [, day, clock, rest] = (type === "string" && time.exec(text)) || [];
  const input = element("input", day ? { type: clock ? "datetime-local" : "date", step: clock ? 1 : undefined }
    : type === "number" ? { inputmode: "decimal" } : {});
  input.value = day ? day + (clock ?? "") : text;
  const start = input.value;
  return [input, () => {
    if (input.value === start) return value;
    if (day) return input.value ? input.value + rest : null;
    if (type !== "number") return input.value;
    if (input.value.trim() === "") return null;
    const number = parse(input.value);
    if (kind(number) !== "number") throw new SyntaxError();
    return number;
  }];
}

/**
 * Edits a member of a record in its cell; what has no short form opens the whole record.
 *
 * - `type`: the kind of the column's other values, for a member that is missing or null.
 */
export async function edit(cell, { resource, resources, id, name, type, done, openRecord }) {
  if (open) return;
  const path = pathTo(resource.name, id);
  open = cell;
  let answer;
  let saved = false;
  const finish = () => {
    open = undefined;
    done(saved);
  };
  try {
    answer = await send("GET", path);
    const value = answer.value[name];
    const found = value == null ? type : kind(value);
    if (["object", "array"].includes(found) || (found === "string" && /\n|^[^]{500}/.test(value ?? ""))) {
      finish();
      return openRecord();
    }
    const [input, read] = await field(value, found, parentOf(name, resources));
    input.ariaLabel = `${name} of ${resource.name} ${id}`;
    input.classList.add("in-cell");
    cell.replaceChildren(input);
    input.focus();
    input.select?.();

    const say = (text, ...actions) => announce(text, { isError: true, actions });
    const save = async () => {
      if (input.disabled || open !== cell) return;
      let next;
      try { next = read(); } catch { return say(`${input.value} is not a number.`); }
      if (JSON.stringify(next) === JSON.stringify(value) || next === undefined) return finish();
      input.disabled = true;
      try {
        saved = await write(next);
        finish();
      } catch (error) {
        input.disabled = false;
        if (error.status !== 404) return say(error.message);
        const again = async () => {
          await send("POST", pathTo(resource.name), JSON.stringify({ ...answer.value, [name]: next }));
          finish();
        };
        say("This record was deleted meanwhile.", button("Save as new", again));
      }
    };
    const write = async (next, tag = answer.headers.get("ETag")) => {
      try {
        await send("PATCH", path, JSON.stringify({ [name]: next }), tag && { "If-Match": tag });
        return true;
      } catch (error) {
        if (error.status !== 412) throw error;
      }
      const now = await send("GET", path);
      const one = (value) => (value === undefined ? {} : { [name]: value });
      const isSame = JSON.stringify(now.value[name]) === JSON.stringify(value);
      const merged = isSame ? one(next) : await merge(`Which ${name}?`, one(value), one(next), one(now.value[name]));
      return merged?.[name] === undefined ? false : write(merged[name], now.headers.get("ETag"));
    };
    input.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "Enter") save();
      if (event.key === "Escape") finish();
    };
    input.onblur = save;
  } catch (error) {
    finish();
    announce(error.message, { isError: true });
  }
}
