// The form of a record: a field for each member, by its value's kind. Lists and objects are folded.

import { compact, counted, kind, parentOf, tryParse } from "./data.js";
import { button, node, options } from "./dom.js";
import { inputFor, isTexts } from "./input.js";

/** @typedef {import("./data.js").Resource} Resource @typedef {Record<string, any>} Row */
/** @typedef {{ content: Node[], read: () => Row, focus: () => void }} Form `read` throws an error with the `field` that has it. */

const empty = { string: "", number: null, boolean: false, array: [], object: {} };
const kinds = { string: "Text", number: "Number", boolean: "Yes or no", array: "List", object: "Object" };

const size = (value) => (Array.isArray(value) ? counted(value.length, "values") : counted(Object.keys(value ?? {}).length, "members"));

/** The id that the user typed: a number if it is one and the other ids are numbers. */
function keyOf(text, others) {
  const made = others === "number" ? tryParse(text) : undefined;
  return kind(made ?? null) === "number" ? made : text;
}

/**
 * Makes the fields of an object's members, and a line that adds one.
 * @param {Row} record
 * @param {{ resource: Resource, kindOf: (name: string) => string, prefix?: string }} details `prefix` is the path of the object in its record.
 * @returns {Promise<{ list: HTMLElement, content: Node[], read: () => Row, focus: () => void }>}
 */
async function makeFields(record, { resource, kindOf, prefix = "" }) {
  /** The fields by member name. @type {Map<string, { read: () => any, focus: () => void }>} */
  const inputs = new Map();
  const list = node("div.fields");

  async function row(name, value, wanted = value === null ? kindOf(prefix + name) : kind(value)) {
    const path = prefix + name;
    const parent = prefix ? undefined : parentOf(name, resource);
    const remove = button("✕", () => {
      inputs.delete(name);
      made.remove();
    }, { class: "quiet remove", tabindex: -1, "aria-label": `Remove ${path}`, title: "Remove the field" });
    const isObject = kind(value) === "object";
    const isFolded = isObject || (/array|object/.test(wanted) && !isTexts(value));
    const note = parent ? `→ ${parent.name}` : isFolded ? size(value) : isTexts(value) ? "texts" : kinds[wanted]?.toLowerCase() ?? "";
    const label = node("span.label", name, node("small.quiet", ` ${note}`));
    const fold = (...content) => node("details.field", { "data-field": path }, node("summary", label), content, node("p.line.end", remove));
    let made;
    if (isObject) {
      const { content, read, focus } = await makeFields(value, { resource, kindOf, prefix: `${path}.` });
      made = fold(content);
      inputs.set(name, { read, focus });
      return made;
    }
    const { field, read, beside = [] } = await inputFor(value, wanted, parent);
    field.setAttribute("aria-label", path);
    made = isFolded ? fold(field) : node("div.field", { "data-field": path }, node("div.line", label, remove), field, beside);
    inputs.set(name, {
      focus: () => field.focus(),
      read() {
        try { return read(); } catch (error) { throw Object.assign(new Error(`${path}: ${error.message}`), { field }); }
      },
    });
    return made;
  }

  const append = async (members) => list.append(...await Promise.all(members.map((member) => row(...member))));
  // The order of the members is that of the record, whichever input is there first.
  for (const name of Object.keys(record)) inputs.set(name, undefined);
  await append(Object.entries(record));

  const addName = node("input", { "aria-label": `Name of another field${prefix && ` of ${prefix.slice(0, -1)}`}`, placeholder: "Another field" });
  const addKind = node("select", { "aria-label": "Kind of the other field" }, options(Object.entries(kinds)));
  const add = async () => {
    const name = addName.value;
    if (name && (prefix || name !== resource.idName) && !inputs.has(name)) await append([[name, empty[addKind.value], addKind.value]]);
    addName.value = "";
    inputs.get(name)?.focus();
  };
  addName.onkeydown = (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    add();
  };
  return {
    list, content: [list, node("p.line.add", addName, addKind, button("Add field", add))],
    focus: () => list.querySelector(/** @type {"input"} */ (".field:not(details) :is(input, select, textarea)"))?.focus(),
    read: () => [...inputs].reduce((made, [name, { read }]) => Object.assign(made, { [name]: read() }), Object.create(null)),
  };
}

/**
 * Makes the form of a record.
 * @param {Resource} resource
 * @param {Row} record
 * @param {{ kindOf: (name: string) => string, isNew?: boolean }} details `kindOf` is the kind of a member in the other records.
 * @returns {Promise<Form>}
 */
export async function makeForm(resource, record, { kindOf, isNew }) {
  const { [resource.idName]: key, ...members } = record;
  const { list, content, read, focus } = await makeFields(members, { resource, kindOf });
  const { idName } = resource;
  const id = isNew && node("input", { placeholder: "The server makes one", "aria-label": idName, value: key === undefined ? "" : compact(key) });
  if (id) list.prepend(node("div.field", { "data-field": idName }, node("div.line", node("span.label", idName)), id));
  return {
    content, focus,
    read() {
      const made = id ? keyOf(id.value, kindOf(idName)) : key;
      const first = made === undefined || made === "" ? {} : { [idName]: made };
      return Object.assign(Object.create(null), first, read());
    },
  };
}
