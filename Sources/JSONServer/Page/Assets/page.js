// The page: its address after # decides what is shown, and the server's events keep it current.

import { admin, listen, pathTo, readable } from "./api.js";
import { attempt, debounced, element, find, remember, remembered } from "./dom.js";
import * as health from "./health.js";
import * as log from "./log.js";
import * as palette from "./palette.js";
import * as record from "./record.js";
import * as records from "./records.js";
import * as request from "./request.js";
import * as server from "./server.js";

let resources = [];
let current;
let wasLive = true;
let place = location.hash;

/** Shows what the address says: #records/posts/1?q=x, #try?path=/posts, #log or #server. */
function render() {
  place = location.hash;
  const [, path, query] = /^#?([^?]*)\??(.*)$/s.exec(place);
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

  if (shown === "try") request.open(parameters, resources.length > 0 ? pathTo(resources[0].name) : "/");
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
  health: health.note,
  request: log.add,
  connected(isLive) {
    find("connection").textContent = isLive ? "Live" : "Reconnecting";
    find("connection").classList.toggle("live", isLive);
    health.note({ gone: !isLive });
    // What happened meanwhile may have been missed.
    if (isLive && !wasLive) {
      reloadSoon();
      readHealth();
    }
    wasLive = isLive;
  },
});

const readHealth = () => attempt(async () => {
  const { version, ...news } = await admin("GET", "health");
  find("version").textContent = version;
  health.note(news);
});

/** Follows the address; a form with changes is left only when the person agrees. */
async function follow() {
  const next = location.hash;
  if (record.isDirty()) {
    history.pushState(null, "", place || "#");
    if (!(await record.mayClose())) return;
    record.discard();
    history.replaceState(null, "", next || "#");
  }
  find("panel").close();
  record.closeForm();
  render();
}

addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, target } = event;
  const isFree = !document.querySelector("dialog[open]");
  if (key === "k" && (ctrlKey || metaKey) && isFree) palette.open(resources);
  else if (key === "/" && !ctrlKey && !metaKey && isFree && !target.matches("input, textarea, select") && !find("records").hidden) find("search").focus();
  else return;
  event.preventDefault();
});

function fold(isFolded) {
  document.body.toggleAttribute("data-folded", isFolded);
  find("log-fold").textContent = isFolded ? "Show beside" : "Fold";
  remember("folded", isFolded);
}

find("log-fold").onclick = () => {
  const isFolded = !document.body.hasAttribute("data-folded");
  fold(isFolded);
  if (!isFolded && location.hash === "#log") location.hash = "";
};
for (const dialog of [find("panel"), find("palette")]) {
  dialog.onclick = ({ target }) => { if (target === dialog) dialog.close(); };
}
find("panel-close").onclick = () => find("panel").close();
find("open-palette").onclick = () => palette.open(resources);
addEventListener("hashchange", follow);
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
fold(remembered("folded") ?? false);
log.start();
server.refresh();
reload();
readHealth();
