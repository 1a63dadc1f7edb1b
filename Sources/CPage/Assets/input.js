// The input for a value, by its kind. Cells and forms use the same one.

import { compact, idText, kind, list, parse, titleOf, tryParse } from "./data.js";
import { checkbox, debounced, fill, node, options } from "./dom.js";

/** @typedef {import("./data.js").Resource} Resource */
/** @typedef {{ field: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement, read: () => any, beside?: Node[] }} Input `read` throws an error for an invalid value. */

/** The number of parents that are listed. With more, the list has those that contain the typed text. */
const most = 500;

let number = 0;

/** @returns {Input} */
function booleanInput(value) {
  let next = value;
  const field = checkbox(value === true, { onchange: () => { next = field.checked; } });
  return { field, read: () => next };
}

/** @returns {Promise<Input>} */
async function parentInput(value, parent) {
  const text = idText(value);
  const ids = new Map([["", null], [text, value]]);
  const pairs = async (query) => (await list(parent.name, query, most)).map((record) => {
    const id = idText(record[parent.idName]);
    ids.set(id, record[parent.idName]);
    return [id, `${titleOf(record, parent)} (${id})`];
  });
  if (parent.count <= most) {
    const known = await pairs([]);
    const isKnown = known.some(([id]) => id === text);
    const field = node("select", options([["", "none"], ...(isKnown || !text ? [] : [[text, `${text} (not found)`]]), ...known]));
    field.value = text;
    return { field, read: () => (field.value === text ? value : ids.get(field.value)) };
  }
  const choices = node("datalist", { id: `parents-${++number}` });
  const title = node("small.quiet");
  const field = node("input", { list: choices.id, placeholder: `Search ${parent.name}` });
  field.value = text;
  const search = async () => {
    const found = await pairs([["q", field.value]]).catch(() => []);
    fill(choices, options(found.slice(0, 20)));
  };
  const showTitle = async () => {
    const [record] = field.value ? await list(parent.name, [[parent.idName, field.value]], 1).catch(() => []) : [];
    title.textContent = record ? titleOf(record, parent) : field.value && `${parent.name} has no ${field.value}`;
    if (record) ids.set(idText(record[parent.idName]), record[parent.idName]);
  };
  field.oninput = debounced(200, search);
  field.addEventListener("change", showTitle);
  showTitle();
  return {
    field, beside: [choices, title],
    read() {
      if (field.value === text) return value;
      if (!ids.has(field.value)) throw new Error(`${field.value} is not an id of ${parent.name}.`);
      return ids.get(field.value);
    },
  };
}

/** @returns {Input} */
function numberInput(value) {
  const text = compact(value ?? "");
  const field = node("input", { inputmode: "decimal" });
  field.value = text;
  return {
    field,
    read() {
      if (field.value === text) return value;
      const made = tryParse(field.value || "null");
      if (made === undefined || !/number|null/.test(kind(made))) throw new Error(`${field.value} is not a number.`);
      return made;
    },
  };
}

/** @returns {Input} */
function textInput(value) {
  const text = value ?? "";
  // A text field has only line feeds.
  const [end = "\n", ...others] = new Set(text.match(/\r\n?|\n/g));
  if (end === "\r" || others.length > 0) return nestedInput(value);
  const [, day, rest] = /^(\d{4}-\d\d-\d\d)(T.+)?$/.exec(text) ?? [];
  const field = /\n|.{100}/.test(text) ? node("textarea", { rows: Math.min(10, text.split("\n").length + 2) }) : node("input", { type: day && "date", dir: "auto" });
  field.value = day ?? text;
  // The field drops invalid dates.
  const start = field.value;
  return { field, read: () => (field.value === start ? value : field.value && field.value.replaceAll("\n", end) + (rest ?? "")) };
}

/** @returns {Input} */
function nestedInput(value) {
  const text = JSON.stringify(value, null, 2);
  const field = node("textarea.code-text", { rows: Math.min(12, text.split("\n").length + 1), spellcheck: "false" });
  field.value = text;
  return {
    field,
    read() {
      if (field.value === text) return value;
      try { return parse(field.value); } catch (error) { throw new Error(`This is not JSON: ${error.message}.`); }
    },
  };
}

/**
 * Makes an input.
 *
 * @param {any} value
 * @param {string} kind The kind of the value, or of the column's other values when it is null.
 * @param {Resource} [parent] The resource to which the value refers.
 * @returns {Promise<Input>}
 */
export async function inputFor(value, kind, parent) {
  if (/array|object/.test(kind)) return nestedInput(value);
  if (parent) return parentInput(value, parent);
  if (kind === "boolean") return booleanInput(value);
  return kind === "number" ? numberInput(value) : textInput(value);
}
