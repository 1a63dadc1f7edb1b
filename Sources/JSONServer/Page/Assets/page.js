// The page: its address after # decides what is shown, and the server's events keep it current.

import { admin, listen, pathTo, readable } from "./api.js";
import { attempt, debounced, element, find } from "./dom.js";
import * as log from "./log.js";
import * as record from "./record.js";
import * as records from "./records.js";
import * as request from "./request.js";
import * as server from "./server.js";

let resources = [];
let current;
let wasLive = true;

/** Shows what the address says: #records/posts/1?q=x, #try?path=/posts, #log or #server. */
function render() {
  const [, path, query] = /^#?([^?]*)\??(.*)$/s.exec(location.hash);
  const [view, name, id] = path.split("/").map(readable);
  if (view === "main") return;
  const parameters = new URLSearchParams(query);
  const isTool = ["try", "log", "server"].includes(view);
  const resource = isTool ? undefined : resources.find((resource) => resource.name === name) ?? resources[0];
  const shown = isTool ? view : { collection: "records", object: "object" }[resource?.kind] ?? "empty";

  for (const section of document.querySelectorAll(".view")) section.hidden = section.id !== shown;
  document.body.dataset.view = shown;
  document.title = `${resource?.name ?? shown} – swift-json-server`;
  current = isTool ? `#${view}` : `#records${pathTo(resource?.name ?? "")}`;
  markCurrent();

  if (shown === "try") request.open(parameters);
  if (shown === "server") server.refresh();
  if (shown === "object") record.openObject(resource);
  if (shown === "records") records.open(resource, parameters, resources);
  if (shown === "records" && id !== undefined) record.open(resource, id, resources);
  else record.close();
}

function markCurrent() {
  for (const link of document.querySelectorAll(".side a")) {
    const isCurrent = link.getAttribute("href") === current;
    link.ariaCurrent = isCurrent ? "page" : null;
    // On a phone the resources are one line that scrolls.
    if (isCurrent) link.closest("ul").scrollLeft = link.offsetLeft - 24;
  }
}

async function loadResources() {
  resources = await admin("GET", "resources");
  find("resources").replaceChildren(...resources.map(({ name, kind, count }) =>
    element("li", {}, element("a", { href: `#records${pathTo(name)}` }, element("span", { title: name }, name),
      element("span", { class: "count" }, kind === "object" ? "{ }" : count.toLocaleString("en"))))));
}

const reload = () => attempt(async () => {
  await loadResources();
  render();
  records.refresh();
});

const reloadSoon = debounced(150, reload);

const countSoon = debounced(300, () => attempt(async () => {
  await loadResources();
  records.update(resources);
  markCurrent();
}));

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
    find("connection").classList.toggle("live", isLive);
    // What happened meanwhile may have been missed.
    if (isLive && !wasLive) reloadSoon();
    wasLive = isLive;
  },
});

addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input, textarea, select") || document.querySelector("dialog[open]");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || isTyping || find("records").hidden) return;
  event.preventDefault();
  find("search").focus();
});

addEventListener("hashchange", render);
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
log.start();
server.refresh();
reload();
attempt(async () => { find("version").textContent = (await admin("GET", "health")).version; });
