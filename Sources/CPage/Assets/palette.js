// Ctrl+K: goes to any resource, tool, operation or record.

import { admin, counted, idText, readRecords, resources, titleOf, viewOf } from "./data.js";
import { fill, node, ui } from "./dom.js";
import { debounced } from "./timing.js";

const { palette: dialog, paletteText: input, paletteList: choices, paletteNote: note } = ui;
/** The number of collections that are searched at once. A browser opens six connections. */
const atOnce = 4;
const most = 50;
const tools = [["Try a request", "#try"], ["Request log", "#log"], ["Server", "#server"]].map(([name, href]) => [name, "tool", href]);
let operations;
let turn = 0;
/** The address of the item that the user selected by key. */
let chosen;

/** Reads the operations again when they are needed. */
export const forget = () => { operations = undefined; };

async function readOperations() {
  const { paths = {} } = await (operations ??= admin("GET", "openapi.json").catch(forget)) ?? {};
  return Object.entries(paths).flatMap(([path, item]) => Object.entries(item).filter(([, { summary }]) => summary).map(([name, { summary }]) => {
    const method = name.toUpperCase();
    return [`${method} ${path}`, summary, `#try?${new URLSearchParams({ method, path })}`];
  }));
}

export function open() {
  input.value = "";
  dialog.showModal();
  search();
}

function choose(item) {
  for (const other of choices.children) other.ariaSelected = String(other === item);
  item?.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", item?.id ?? "");
}

function show(items) {
  fill(choices, items.slice(0, most).map(([text, detail, href], index) => node("li", {
    role: "option", id: `choice-${index}`, "data-href": href, onclick: () => {
      dialog.close();
      location.href = href;
    },
  }, node("span", text), node("small.quiet", detail))));
  // Later results do not move the selection.
  const all = [...choices.children];
  choose(all.find(({ dataset }) => dataset.href === chosen) ?? all[0]);
}

/** The first records of a collection that contain the words. `posts/7` finds the record with this id. */
async function find(resource, words) {
  const { name, idName } = resource;
  const start = name.toLowerCase();
  const id = words.startsWith(start) && /^[ /]+(.+)/.exec(words.slice(start.length))?.[1];
  const records = await readRecords(name, [id ? [idName, id] : ["q", words]], 5).catch(() => []);
  return records.map((record) => [titleOf(record, resource), `${name} / ${idText(record[idName])}`, viewOf([name, idText(record[idName])])]);
}

async function search() {
  const words = input.value.trim().toLowerCase();
  const mine = ++turn;
  const matching = (items) => items.filter(([text]) => text.toLowerCase().includes(words));
  const places = matching([...resources.map(({ name, count }) => [name, counted(count, "records"), viewOf([name])]), ...tools]);
  const found = [];
  const waiting = words ? resources.filter(({ kind }) => kind === "collection") : [];
  chosen = undefined;
  note.textContent = waiting.length > 0 ? `Searching ${counted(waiting.length, "collections")} …` : "";
  const rest = matching(await readOperations());
  const update = () => { if (mine === turn) show([...places, ...found, ...rest]); };
  update();
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (mine === turn && waiting.length > 0) {
      const records = await find(waiting.shift(), words);
      found.push(...records);
      if (records.length > 0) update();
    }
  }));
  if (mine !== turn) return;
  const count = places.length + found.length + rest.length;
  note.textContent = count === 0 ? `Nothing is named “${input.value.trim()}”, and no record contains it.`
    : count > most ? `The first ${most} of ${count}` : "";
}

input.oninput = debounced(150, search);
input.onkeydown = (event) => {
  if (event.isComposing) return;
  const items = [...choices.children];
  const index = items.findIndex((item) => item.ariaSelected === "true");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    const item = items[Math.max(0, Math.min(items.length - 1, index + step))];
    chosen = item?.dataset.href;
    choose(item);
  } else if (event.key === "Enter") items[index]?.click();
  else return;
  event.preventDefault();
};
