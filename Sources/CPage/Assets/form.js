// The form of a record: a field for each member, by its value's kind. Lists and objects are folded.

import { compact, counted, kind, parentOf, tryParse } from "./data.js";
import { button, node, options } from "./dom.js";
import { inputFor } from "./input.js";

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
 * Makes the fields of a record.
 *
 * @param {Resource} resource
 * @param {Row} record
 * @param {{ kindOf: (name: string) => string, isNew: boolean }} details `kindOf` is the kind of a member in the other records.
 * @returns {Promise<Form>}
 */
export async function makeForm(resource, record, { kindOf, isNew }) {
  const { idName } = resource;
  /** The fields by member name. @type {Map<string, import("./input.js").Input>} */
  const inputs = new Map();
  const list = node("div.fields");

  async function row(name, value, wanted = value === null ? kindOf(name) : kind(value)) {
    const parent = parentOf(name, resource);
    const input = await inputFor(value, wanted, parent);
    const { field, beside = [] } = input;
    field.setAttribute("aria-label", name);
    const remove = button("✕", () => {
      inputs.delete(name);
      made.remove();
    }, { class: "quiet remove", "aria-label": `Remove ${name}`, title: "Remove the field" });
    const isNested = /array|object/.test(wanted);
    const label = node("span.label", name, node("small.quiet", ` ${parent ? `→ ${parent.name}` : isNested ? size(value) : kinds[wanted]?.toLowerCase() ?? ""}`));
    const made = isNested
      ? node("details.field", { "data-field": name }, node("summary", label), field, node("p.line.end", remove))
      : node("div.field", { "data-field": name }, node("div.line", label, remove), field, beside);
    return /** @type {const} */ ([name, input, made]);
  }

  async function append(members) {
    for (const [name, input, made] of await Promise.all(members.map((member) => row(...member)))) {
      inputs.set(name, input);
      list.append(made);
    }
  }

  const id = isNew && node("input", { placeholder: "The server makes one", "aria-label": idName, value: record[idName] === undefined ? "" : compact(record[idName]) });
  if (id) list.append(node("div.field", { "data-field": idName }, node("div.line", node("span.label", idName)), id));
  await append(Object.entries(record).filter(([name]) => name !== idName));

  const addName = node("input", { "aria-label": "Name of another field", placeholder: "Another field" });
  const addKind = node("select", { "aria-label": "Kind of the other field" }, options(Object.entries(kinds)));
  const add = async () => {
    const name = addName.value;
    if (name && name !== idName && !inputs.has(name)) await append([[name, empty[addKind.value], addKind.value]]);
    addName.value = "";
    inputs.get(name)?.field.focus();
  };
  addName.onkeydown = (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    add();
  };

  return {
    content: [list, node("p.line.add", addName, addKind, button("Add field", add))],
    focus: () => list.querySelector(/** @type {"input"} */ (".field:not(details) :is(input, select, textarea)"))?.focus(),
    read() {
      const made = Object.create(null);
      const key = id ? keyOf(id.value, kindOf(idName)) : record[idName];
      if (key !== undefined && key !== "") made[idName] = key;
      for (const [name, { field, read }] of inputs) {
        try { made[name] = read(); } catch (error) { throw Object.assign(new Error(`${name}: ${error.message}`), { field }); }
      }
      return made;
    },
  };
}
