// Records to a file and from one. What a file would add and change is said before, and can be undone.

import { csv } from "./csv.js";
import { compact, counted, kind, list, parse, pathTo, resourceNamed, send } from "./data.js";
import { ask, attempt, download } from "./dom.js";
import * as store from "./store.js";
import { announceUndo } from "./undo.js";

/** @typedef {import("./data.js").Resource} Resource */

const formats = {
  json: { write: (rows) => JSON.stringify(rows, null, 2), type: "application/json" },
  csv: { write: csv, type: "text/csv" },
};

/** The records with these ids as they are now, in requests that are not too long; of very many, out of all records. */
async function read({ name, idName, count }, ids) {
  if (ids.length > 500) {
    const wanted = new Set(ids);
    return (await list(name, [], count + 1_000)).filter((row) => wanted.has(compact(row[idName])));
  }
  const parts = Array.from({ length: Math.ceil(ids.length / 100) }, (_, part) => ids.slice(part * 100, part * 100 + 100));
  return (await Promise.all(parts.map((part) => list(name, part.map((id) => [idName, id]), 100)))).flat();
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
  if (!/array|object/.test(kind(rows))) throw new Error(`${file.name} holds no records.`);
  const lists = rows === made && kind(made) === "object" ? Object.keys(made).filter((other) => resourceNamed(other) || kind(made[other]?.[0] ?? null) === "object") : [];
  if (lists.length > 0) throw new Error(`${file.name} holds ${lists.join(", ")}, and not ${name}; rename that to ${name} in the file, or add it where it belongs.`);
  return rows;
}

/** The names in the head of a table, as far as a question needs them. */
const namesIn = (text) => text.split(/\r?\n/)[0].split(/[,;\t]/).map((name) => name.replace(/^\uFEFF?"|"$/g, ""));

/** Says which members of a file no record has: their names may be misspelt. */
function strangers(names, { name }) {
  const known = store.paths();
  const unknown = known.length > 0 ? [...new Set(names)].filter((name) => name && !known.includes(name)) : [];
  return unknown.length > 0 ? ` No record of ${name} has had ${unknown.slice(0, 5).join(", ")} so far.` : "";
}

/**
 * Adds the records of a file after saying what that does. Answers how many are new.
 *
 * @param {Resource} resource
 * @param {File} file
 */
export async function importFile(resource, file) {
  let added = 0;
  await attempt(async () => {
    const { name } = resource;
    const type = types[/[^.]*$/.exec(file.name)[0].toLowerCase()];
    const rows = type ? [] : await recordsOf(file, resource);
    const body = type ? file : JSON.stringify(rows);
    const names = type === "text/csv" ? namesIn(await file.slice(0, 10_000).text()) : [rows].flat().flatMap((row) => Object.keys(row ?? {}));
    const post = (intent) => send("POST", pathTo(name), body, { "Content-Type": type ?? "application/json", "X-JSON-Server-Page": intent });
    const { value } = await post("preview");
    const changed = value.changed[name] ?? 0;
    const count = value.added[name] ?? 0;
    if (count + changed === 0) throw new Error(`${file.name} has nothing that ${name} does not have.`);
    const changes = changed === 1 ? "1 changes" : `${changed} change`;
    if (!(await ask(`Add ${file.name} to ${name}?`, `${count} new, ${changes}.${strangers(names, resource)}`, "Add"))) return;
    const { headers } = await post("undo");
    added = count;
    const done = [count > 0 && `Added ${count} to ${name}`, changed > 0 && `${count > 0 ? "changed" : "Changed"} ${counted(changed, name)}`].filter(Boolean).join(", ");
    announceUndo(done, headers.get("X-JSON-Server-Undo"), `${file.name} undone`);
  });
  return added;
}
