// The page. The address after # selects the view, and the server's events keep it current.

import { remember, remembered } from "./browser.js";
import "./collection.js";
import { childrenOf, forgetTitles, grouped, pathTo, readable, readHealth, readResources, resourceNamed, resources, session, viewOf } from "./data.js";
import { fill, focusOn, isTyping, node, ui } from "./dom.js";
import { listen } from "./events.js";
import * as log from "./log.js";
import { announce, attempt } from "./messages.js";
import * as palette from "./palette.js";
import * as record from "./record.js";
import * as records from "./records.js";
import * as request from "./request.js";
import * as server from "./server.js";
import { throttled } from "./timing.js";

/** @type {NodeListOf<HTMLElement>} */
const views = document.querySelectorAll(".view");
let current;

// Shows #records/posts/1?q=x, #try?path=/posts, #log or #server.
function render() {
  const [, path, query] = /^#?([^?]*)\??(.*)$/s.exec(location.hash);
  const [view, name, id] = path.split("/").map(readable);
  const parameters = new URLSearchParams(query);
  const isTool = ["try", "log", "server"].includes(view);
  const resource = isTool ? undefined : name === undefined ? resources[0] : resourceNamed(name);
  const isMissing = !isTool && name !== undefined && !resource;
  const shown = isTool ? view : isMissing ? "missing" : { collection: "records", object: "object" }[resource?.kind] ?? "empty";
  ui.missingName.textContent = name ?? "";

  for (const section of views) section.hidden = section.id !== shown;
  document.body.dataset.view = shown;
  document.title = `${resource?.name ?? shown} – ${session ? `session ${session}` : "swift-json-server"}`;
  const before = current;
  current = isTool ? `#${view}` : viewOf([resource?.name ?? ""]);
  markCurrent();
  // What opens in the view may take the focus from its title.
  if (![undefined, current].includes(before)) focusOn(document.querySelector(".view:not([hidden]) h2, #log-title"));

  if (shown === "try") request.open(parameters, pathTo(resources[0]?.name ?? ""));
  if (shown === "server") server.open(parameters);
  if (shown === "object") record.openObject(resource);
  if (shown === "records") records.open(resource, parameters, id ?? null);
  if (shown === "records" && id !== undefined) record.open(resource, id);
  else record.close();
}

function markCurrent() {
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (ui.side.querySelectorAll(":scope > ul > li > a"))) {
    const isCurrent = link.getAttribute("href") === current;
    link.ariaCurrent = isCurrent ? "page" : null;
    // On a phone the resources are one scrolling line.
    if (isCurrent) link.closest("ul").scrollLeft = link.offsetLeft - 24;
  }
}

/** The resources. Below the selected one stand its parents and children. */
async function loadResources() {
  await readResources();
  fill(ui.resources, resources.map((resource) => {
    const { name, kind, count, parents } = resource;
    const related = (sign, other, member, title) => node("li", node("a", { href: viewOf([other]), title, "data-key": `relation ${name} ${sign} ${other} ${member}` }, `${sign} ${other}`));
    const relations = [
      ...Object.entries(parents).map(([member, parent]) => related("↑", parent, member, `${member} leads to ${parent}`)),
      ...childrenOf(resource).map((child) => related("↓", child.name, child.member, `${child.member} of ${child.name} leads here`)),
    ];
    return node("li", node("a", { href: viewOf([name]), "data-key": `resource ${name}` }, node("span", { title: name }, name),
      node("span.count", kind === "object" ? "{ }" : grouped(count))), relations.length > 0 && node("ul.relations", { "aria-label": `Relations of ${name}` }, relations));
  }));
}

/** Reads everything again. */
const reload = throttled(150, () => attempt(async () => {
  await loadResources();
  forgetTitles();
  palette.forget();
  // An editor stays open even when its resource is gone.
  if (!record.isDirty()) render();
  record.refresh();
  records.refresh();
}));

const count = throttled(300, () => attempt(async () => {
  await loadResources();
  records.update();
  markCurrent();
}));

// No event reports the server's health. A stopped server closes the stream of events.
async function showHealth() {
  const news = await readHealth().catch(() => {});
  if (!news) return;
  ui.version.textContent = news.version;
  ui.signIn.hidden = !news.users;
  server.note(news);
}

listen({
  change(change) {
    record.apply(change);
    if (change.kind === "reloaded") return reload();
    count();
    records.apply(change);
  },
  request(entry) {
    log.add(entry);
    server.refreshSoon();
  },
  connected(isLive) {
    ui.connection.textContent = isLive ? "Live" : "Reconnecting";
    ui.connection.classList.toggle("live", isLive);
    server.note({ gone: !isLive });
  },
  missed() {
    reload();
    showHealth();
    log.start();
  },
});

/** Whether two addresses are for another view, or another record, instead of another order of the same list. */
const areApart = (...addresses) => new Set(addresses.map((address) => /#([^?]*)/.exec(address)?.[1] ?? "")).size > 1;

async function follow({ oldURL }) {
  const next = location.hash || "#";
  const isElsewhere = areApart(oldURL, next);
  if (isElsewhere && record.isDirty()) {
    history.pushState(null, "", oldURL);
    if (!(await record.mayClose())) return;
    record.discard();
    history.replaceState(null, "", next);
  }
  ui.panel.close();
  if (isElsewhere) record.close(true);
  render();
}

function openLog(isOpen) {
  document.body.toggleAttribute("data-log", isOpen);
  ui.logFold.textContent = isOpen ? "Hide" : "Show";
  ui.logFold.ariaExpanded = String(isOpen);
  remember("log", isOpen);
}

addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey } = event;
  if (event.defaultPrevented || document.querySelector("dialog:modal")) return;
  if (key === "k" && (ctrlKey || metaKey)) palette.open();
  else if (key === "/" && !isTyping(event) && !ui.records.hidden) ui.filterAdd.click();
  else if (key === "z" && (ctrlKey || metaKey) && !isTyping(event)) ui.status.querySelector(/** @type {"button"} */ (".undo"))?.click();
  else return;
  event.preventDefault();
});
addEventListener("hashchange", follow);
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
ui.openPalette.onclick = palette.open;
// Keeps the address of the current view.
ui.skip.onclick = (event) => {
  event.preventDefault();
  ui.main.focus();
};
ui.logFold.onclick = () => openLog(!document.body.hasAttribute("data-log"));
// Screen readers announce changes only in a region that they know.
announce("");
openLog(remembered("log") ?? false);
attempt(async () => {
  await loadResources();
  render();
});
log.start();
showHealth();
setInterval(() => document.hidden || showHealth(), 3_000);
