// The input for a value, by its kind. Cells and forms use the same one.

import { compact, idText, kind, parse, readRecords, titleOf, tryParse } from "./data.js";
import { button, checkbox, fill, node, options } from "./dom.js";
import { debounced } from "./timing.js";

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
async function parentInput(value, wanted, parent) {
  const text = idText(value);
  const ids = new Map([["", null], [text, value]]);
  /** Stores a parent's id, as a number where references are numbers; returns its text. */
  const keep = (record) => {
    const key = record[parent.idName];
    const id = idText(key);
    const number = wanted === "number" ? tryParse(id) : undefined;
    if (!ids.has(id)) ids.set(id, kind(number ?? null) === "number" ? number : key);
    return id;
  };
  const pairs = async (query) => (await readRecords(parent.name, query, most)).map((record) => {
    const id = keep(record);
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
    const [record] = field.value ? await readRecords(parent.name, [[parent.idName, field.value]], 1).catch(() => []) : [];
    title.textContent = record ? titleOf(record, parent) : field.value && `${parent.name} has no ${field.value}`;
    if (record) keep(record);
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
  const date = dateInput(text);
  if (date) return date;
  const field = /\n|.{100}/.test(text) ? node("textarea", { rows: Math.min(10, text.split("\n").length + 2) }) : node("input", { dir: "auto" });
  field.value = text;
  const start = field.value;
  return { field, read: () => (field.value === start ? value : field.value.replaceAll("\n", end)) };
}

/** An input for a date, with its time if it has one; `undefined` for another text. @returns {Input | undefined} */
function dateInput(text) {
  const [, day, time, seconds = "", fraction = "", zone = ""] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(\.\d{1,3})?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text) ?? [];
  if (!day) return undefined;
  const field = node("input", { type: time ? "datetime-local" : "date", step: fraction ? 0.001 : seconds && 1 });
  field.value = time ? `${day}T${time}${seconds}${fraction}` : day;
  const start = field.value;
  // A day that the calendar lacks is shown as text.
  if (!start) return undefined;
  const read = () => {
    if (field.value === start || !field.value || !time) return field.value === start ? text : field.value;
    const [, whole, second = ":00", part = ""] = /^(.{16})(:\d\d)?(\..+)?$/.exec(field.value);
    return whole + (seconds && second) + (fraction && (part || ".").padEnd(fraction.length, "0")) + zone;
  };
  return { field, read, beside: zone ? [node("small.quiet", zone === "Z" ? "UTC" : `UTC${zone}`)] : [] };
}

export const isTexts = (value) => Array.isArray(value) && value.every((part) => typeof part === "string");

/** The input for a list of texts, each of which is a chip. @param {string[]} value @returns {Input} */
function listInput(value) {
  const texts = [...value];
  const field = node("input", { placeholder: "Add a text, then press Enter", dir: "auto" });
  const chips = node("span.chips");
  const draw = () => fill(chips, texts.map((text, index) => button(`${text} ✕`, () => {
    texts.splice(index, 1);
    draw();
    field.focus();
  }, { "aria-label": `Remove ${text}` })));
  field.onkeydown = (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing || !field.value) return;
    event.preventDefault();
    texts.push(field.value);
    field.value = "";
    draw();
  };
  draw();
  return { field, beside: [chips], read: () => (field.value ? [...texts, field.value] : texts) };
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
 * Makes an input. `kind` is the value's, or that of the column's other values when it is null; the value refers to `parent`.
 * @param {any} value
 * @param {string} kind
 * @param {Resource} [parent]
 * @returns {Promise<Input>}
 */
export async function inputFor(value, kind, parent) {
  if (isTexts(value)) return listInput(value);
  if (/array|object/.test(kind)) return nestedInput(value);
  if (parent) return parentInput(value, kind, parent);
  if (kind === "boolean") return booleanInput(value);
  return kind === "number" ? numberInput(value) : textInput(value);
}
