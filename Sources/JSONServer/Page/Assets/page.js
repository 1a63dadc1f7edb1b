// The page: its address after # decides what is shown, and the server's events keep it current.

import { admin, listen, pathTo } from "./api.js";
import { attempt, debounced, element, find } from "./dom.js";
import * as log from "./log.js";
import * as record from "./record.js";
import * as records from "./records.js";
import * as request from "./request.js";
import * as server from "./server.js";

let resources = [];
let current;

/** Reads the address: #records/posts/1?q=x, #try?path=/posts, #log, #server. */
function route() {
  const [path, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  const [view, ...names] = path.split("/").map(decodeURIComponent);
  return { view, names, query: new URLSearchParams(query) };
}

function render() {
  const { view, names, query } = route();
  if (view === "main") return;
  const resource = resources.find(({ name }) => name === names[0]) ?? resources[0];
  const isTool = ["try", "log", "server"].includes(view);
  const shown = isTool ? view : !resource ? "empty" : resource.kind === "object" ? "object" : "records";

  for (const section of document.querySelectorAll(".view")) section.hidden = section.id !== shown;
  document.body.dataset.view = shown;
  document.title = `${resource && !isTool ? resource.name : isTool ? view : "Empty"} – swift-json-server`;
  current = isTool ? `#${view}` : resource && `#records${pathTo(resource.name)}`;
  markCurrent();

  if (shown === "try") request.open(query);
  if (shown === "server") server.refresh();
  if (shown === "records") records.open(resource, query, resources);
  if (shown === "object") record.openObject(resource);
  if (shown === "records" && names[1] !== undefined) record.open(resource, names[1], resources);
  else record.close();
}

function markCurrent() {
  for (const link of document.querySelectorAll(".side a")) {
    if (link.getAttribute("href") === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

async function loadResources() {
  resources = await admin.get("resources");
  find("resources").replaceChildren(...resources.map(({ name, kind, count }) =>
    element("li", {}, element("a", { href: `#records${pathTo(name)}` },
      element("span", {}, name),
      kind === "object"
        ? element("span", { class: "count", title: "One object" }, "{ }")
        : element("span", { class: "count" }, count.toLocaleString("en"))))));
  request.suggest(resources.map(({ name }) => pathTo(name)));
}

async function reload() {
  await attempt(async () => {
    await loadResources();
    render();
  });
}

const reloadSoon = debounced(150, async () => {
  await reload();
  records.refresh();
});

const countSoon = debounced(300, () => attempt(async () => {
  const names = resources.map(({ name }) => name).join();
  await loadResources();
  if (names !== resources.map(({ name }) => name).join()) return render();
  records.update(resources);
  markCurrent();
}));

let wasConnected = true;

listen({
  change(change) {
    if (change.kind === "reloaded") return reloadSoon();
    countSoon();
    records.apply(change);
    record.apply(change);
  },
  request: log.add,
  connected(isLive) {
    find("connection").textContent = isLive ? "Live" : "Reconnecting";
    find("connection").dataset.live = isLive;
    // What happened meanwhile may have been missed.
    if (isLive && !wasConnected) reloadSoon();
    wasConnected = isLive;
  },
});

document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (find("records").hidden) return;
  event.preventDefault();
  find("search").focus();
});

addEventListener("hashchange", render);
log.start();
server.refresh();
await reload();
await attempt(async () => { find("version").textContent = (await admin.get("health")).version; });
