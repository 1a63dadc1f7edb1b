// Ctrl+K: to any resource, operation or record.

import { admin, pathTo, send } from "./api.js";
import { debounced, element, find } from "./dom.js";
import { compact } from "./json.js";
import { titleOf } from "./relations.js";

const dialog = find("palette");
const input = find("palette-text");
const list = find("palette-list");
let resources = [];
let operations;
let turn = 0;

export function open(known) {
  resources = known;
  operations ??= admin("GET", "openapi.json").then(({ paths }) => Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).filter((method) => /^[a-z]+$/.test(method) && method !== "parameters").map((method) => {
      const name = method.toUpperCase();
      return [`${name} ${path}`, item[method].summary ?? "Operation", `#try?${new URLSearchParams({ method: name, path })}`];
    }))).catch(() => []);
  input.value = "";
  dialog.showModal();
  search();
}

function show(items) {
  list.replaceChildren(...items.slice(0, 50).map(([text, detail, href], index) => element("li", {
    role: "option", id: `choice-${index}`, "aria-selected": index === 0 && "true", onclick: () => go(href), "data-href": href,
  }, element("span", {}, text), element("small", { class: "quiet" }, detail))));
  choose(0);
}

function choose(index) {
  list.querySelector("[aria-selected]")?.removeAttribute("aria-selected");
  const item = list.children[index];
  item?.setAttribute("aria-selected", "true");
  item?.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", item?.id ?? "");
}

function go(href) {
  dialog.close();
  location.href = href;
}

async function search() {
  const words = input.value.trim().toLowerCase();
  const mine = ++turn;
  const tools = [["Try a request", "Tool", "#try"], ["Request log", "Tool", "#log"], ["Server", "Tool", "#server"], ["API docs", "Tool", "__admin/docs"]];
  const fixed = [...resources.map(({ name, count }) => [name, `${count} records`, `#records${pathTo(name)}`]), ...tools, ...await operations]
    .filter(([text]) => text.toLowerCase().includes(words));
  if (mine !== turn) return;
  show(fixed);
  const collections = words.length > 0 ? resources.filter(({ kind }) => kind === "collection").slice(0, 20) : [];
  await Promise.all(collections.map(async ({ name, idName }) => {
    const id = new RegExp(`^${RegExp.escape?.(name.toLowerCase()) ?? name}[ /]+(.+)$`).exec(words)?.[1];
    const query = id ? new URLSearchParams({ [idName]: id }) : new URLSearchParams({ q: words });
    const { value } = await send("GET", `${pathTo(name)}?${query}&_start=0&_end=5`).catch(() => ({ value: [] }));
    if (mine !== turn) return;
    const found = value.map((record) => compact(record[idName])).map((id, index) =>
      [titleOf(value[index], idName) ?? id, `${name} / ${id}`, `#records${pathTo(name, id)}`]);
    if (found.length > 0) show(fixed.splice(0, fixed.length, ...fixed, ...found) && fixed);
  }));
}

input.oninput = debounced(150, search);
dialog.onkeydown = (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const items = [...list.children];
  const index = items.findIndex((item) => item.ariaSelected === "true");
  if (step) choose(Math.max(0, Math.min(items.length - 1, index + step)));
  else if (event.key === "Enter" && items[index]) go(items[index].dataset.href);
  else return;
  event.preventDefault();
};
