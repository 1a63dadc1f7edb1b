// Ctrl+K: to any resource, operation or record.

import { admin, compact, counted, list, resources, titleOf, viewOf } from "./data.js";
import { debounced, fill, node, ui } from "./dom.js";

const { palette: dialog, paletteText: input, paletteList: choices } = ui;
let operations;
let turn = 0;

export function open() {
  operations ??= admin("GET", "openapi.json").then(({ paths }) => Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).filter(([, { summary }]) => summary).map(([name, { summary }]) => {
      const method = name.toUpperCase();
      return [`${method} ${path}`, summary, `#try?${new URLSearchParams({ method, path })}`];
    }))).catch(() => []);
  input.value = "";
  dialog.showModal();
  search();
}

function choose(index) {
  const item = choices.children[index];
  for (const other of choices.children) other.ariaSelected = String(other === item);
  item?.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", item?.id ?? "");
}

function show(items) {
  fill(choices, items.slice(0, 50).map(([text, detail, href], index) => node("li", {
    role: "option", id: `choice-${index}`, onclick: () => {
      dialog.close();
      location.href = href;
    },
  }, node("span", text), node("small.quiet", detail))));
  choose(0);
}

async function search() {
  const words = input.value.trim().toLowerCase();
  const mine = ++turn;
  const matching = (items) => items.filter(([text]) => text.toLowerCase().includes(words));
  const places = matching(resources.map(({ name, count }) => [name, counted(count, "records"), viewOf([name])]));
  const found = [];
  const rest = matching(await operations);
  const update = () => { if (mine === turn) show([...places, ...found, ...rest]); };
  update();
  if (words) await Promise.all(resources.filter(({ kind }) => kind === "collection").slice(0, 20).map(async (resource) => {
    const { name, idName } = resource;
    const start = name.toLowerCase();
    const id = words.startsWith(start) && /^[ /]+(.+)/.exec(words.slice(start.length))?.[1];
    const records = await list(name, [id ? [idName, id] : ["q", words]], 5).catch(() => []);
    found.push(...records.map((record) => [titleOf(record, resource), `${name} / ${compact(record[idName])}`, viewOf([name, compact(record[idName])])]));
    if (records.length > 0) update();
  }));
}

input.oninput = debounced(150, search);
dialog.onkeydown = (event) => {
  const items = [...choices.children];
  const index = items.findIndex((item) => item.ariaSelected === "true");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) choose(Math.max(0, Math.min(items.length - 1, index + step)));
  else if (event.key === "Enter") items[index]?.click();
  else return;
  event.preventDefault();
};
