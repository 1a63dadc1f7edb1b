// Exports and imports records. An import first shows what it adds and changes, and can be undone.

import { download } from "./browser.js";
import { csv } from "./csv.js";
import { countedOf, grouped, having, hiddenMembers, idText, kind, parse, pathTo, readRecords, resourceNamed, send } from "./data.js";
import * as list from "./list.js";
import { announceUndo, ask, attempt } from "./messages.js";

/** @typedef {import("./data.js").Resource} Resource */

const formats = {
  json: { write: (rows) => JSON.stringify(rows, null, 2), type: "application/json" },
  csv: { write: csv, type: "text/csv" },
};

/** Reads the records with these ids; for more than 500 ids all records. */
async function read({ name, idName, count }, ids) {
  if (ids.length <= 500) return having(name, idName, ids);
  const wanted = new Set(ids);
  return (await readRecords(name, [], count + 1_000)).filter((row) => wanted.has(idText(row[idName])));
}

/** @param {Resource} resource @param {string[]} ids @param {"json" | "csv"} end */
export const exportAs = (resource, ids, end) => attempt(async () => {
  const { write, type } = formats[end];
  download(`${resource.name}.${end}`, write(await read(resource, ids)), type);
});

const types = { csv: "text/csv", tsv: "text/csv", ndjson: "application/x-ndjson", jsonl: "application/x-ndjson" };

/** The records of a JSON file: a list, one record, or a database that has the resource. */
async function recordsOf(file, { name }) {
  const made = parse(await file.text());
  const rows = made?.[name] ?? made;
  if (!/array|object/.test(kind(rows))) throw new Error(`${file.name} has no records.`);
  const lists = rows === made && kind(made) === "object" ? Object.keys(made).filter((other) => resourceNamed(other) || kind(made[other]?.[0] ?? null) === "object") : [];
  if (lists.length > 0) throw new Error(`${file.name} has ${lists.join(", ")}, but not ${name}. Rename the key to ${name} in the file, or import the file into its own resource.`);
  return rows;
}

/** The column names of a table, approximately. */
const namesIn = (text) => text.split(/\r?\n/)[0].split(/[,;\t]/).map((name) => name.replace(/^\uFEFF?"|"$/g, ""));

/** Names the members of a file that no record has: they may be misspelled. */
function strangers(names, resource) {
  const known = [...list.paths(), ...hiddenMembers(resource)];
  const unknown = list.paths().length > 0 ? [...new Set(names)].filter((name) => name && !known.includes(name)) : [];
  return unknown.length > 0 ? ` No record of ${resource.name} has ${unknown.slice(0, 5).join(", ")} so far.` : "";
}

/**
 * Adds the records of a file after a confirmation. Returns the number of new records.
 * @param {Resource} resource
 * @param {File} file
 */
export async function importFile(resource, file) {
  let added = 0;
  await attempt(async () => {
    const { name } = resource;
    const type = types[/[^.]*$/.exec(file.name)[0].toLowerCase()];
    // The server keeps the ids of a list.
    const rows = type ? [] : [await recordsOf(file, resource)].flat();
    const body = type ? file : JSON.stringify(rows);
    const names = type === "text/csv" ? namesIn(await file.slice(0, 10_000).text()) : rows.flatMap((row) => Object.keys(row ?? {}));
    const post = (intent) => send("POST", pathTo(name), body, { "Content-Type": type ?? "application/json", "X-JSON-Server-Page": intent });
    const { value } = await post("preview");
    const changed = value.changed[name] ?? 0;
    const count = value.added[name] ?? 0;
    if (count + changed === 0) throw new Error(`${file.name} adds and changes nothing in ${name}.`);
    const effects = [count > 0 && `${grouped(count)} new`, changed > 0 && `${grouped(changed)} changed`].filter(Boolean).join(", ");
    const missing = count > 0 ? hiddenMembers(resource).filter((name) => !names.includes(name)) : [];
    const lack = missing.length > 0 ? ` The new ones have no ${missing}, without which nobody can sign in.` : "";
    if (!(await ask(`Add ${file.name} to ${name}?`, `${effects}.${lack}${strangers(names, resource)}`, "Add"))) return;
    const { headers } = await post("undo");
    added = count;
    const done = [count > 0 && `Added ${grouped(count)} to ${name}`, changed > 0 && `${count > 0 ? "changed" : "Changed"} ${countedOf(name, changed)}`].filter(Boolean).join(", ");
    announceUndo(done, headers.get("X-JSON-Server-Undo"), `${file.name} undone`);
  });
  return added;
}
