// Makes a collection: its name, and its first record, whose members are those of the others.

import { admin, pathTo, readResources, resourceNamed, viewOf } from "./data.js";
import { node, onSubmit, ui } from "./dom.js";
import { makeForm } from "./form.js";
import { announce, attempt, complain, openPanel } from "./messages.js";

/** Opens the form of a new collection. */
export const open = () => attempt(async () => {
  const name = node("input", { "aria-label": "Name of the collection", placeholder: "Name, such as posts", size: 40, required: "" });
  const first = await makeForm({ name: "", kind: "collection", count: 0, idName: "id", parents: {} }, { name: "" }, { kindOf: () => "null", isNew: true });
  const form = node("form", name, node("h3", "First record"), first.content, node("p.line.end", node("button.primary", "Create")));
  onSubmit(form, () => attempt(async () => {
    const { value } = name;
    await readResources();
    if (resourceNamed(value)) return complain(`There is a resource ${value} already.`);
    await admin("POST", "resources", { [value]: [first.read()] });
    await readResources();
    ui.panel.close();
    announce(`Made ${pathTo(value)}`);
    location.hash = viewOf([value]);
  }));
  openPanel("New collection", form);
  name.focus();
});

ui.collectionNew.onclick = ui.collectionFirst.onclick = open;
