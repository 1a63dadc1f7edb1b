// Builds and finds elements. Text always becomes text nodes, since data may contain markup.

import { grouped, isAddress, longest, parse, tryParse } from "./data.js";

/**
 * The elements with an id: ui.recordTitle is #record-title.
 *
 * @type {Elements} The type check reads the ids from the HTML.
 */
export const ui = new Proxy(/** @type {any} */ ({}), {
  get: (_, name) => document.getElementById(String(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
});

const parts = (children) => children.flat(9).filter((child) => child != null && child !== false);

let key;

/** Focuses the element that replaced the focused one, by its data-key. */
export function refocus() {
  if (key) /** @type {HTMLElement} */ (document.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus();
}

export function fill(place, ...children) {
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...parts(children));
  if (hadFocus) refocus();
}

addEventListener("focusin", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (!target.closest("dialog, [popover]")) ({ key } = target.dataset);
});
addEventListener("close", () => { if (document.activeElement.matches("body, dialog *")) refocus(); }, true);

/** Creates an element: node("a.url", { href }, text). Names with "on" are listeners, others attributes unless undefined or false. */
export function node(name, properties, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length > 0) made.className = classes.join(" ");
  const hasNone = properties?.constructor !== Object;
  for (const [name, value] of Object.entries(hasNone ? {} : properties)) {
    if (name.startsWith("on")) made[name] = value;
    else if (value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...parts(hasNone ? [properties, children] : children));
  return made;
}

export const button = (text, onclick, properties) => node("button", { type: "button", onclick, ...properties }, text);
export const checkbox = (checked, properties) => Object.assign(node("input", { type: "checkbox", ...properties }), { checked });
export const options = (pairs) => pairs.map(([value, text = value]) => node("option", { value }, text));
export const statusCode = (status, text = "") => node("span.status-code", { "data-class": String(status)[0] }, `${status} ${text}`);
export const headerList = (pairs) => node("details", node("summary", "Headers"),
  node("dl", [...pairs].map(([name, value]) => [node("dt", name), node("dd", value)])));

for (const select of document.querySelectorAll(".methods")) {
  select.append(...options(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].map((method) => [method])));
}

/** Shows the messages before all else: in the topmost dialog, since a dialog makes what is outside of it inert. */
function showStatus() {
  const place = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  if (ui.status.parentElement !== place) place.append(ui.status);
  ui.status.hidePopover();
  ui.status.showPopover();
}

const dialogs = new MutationObserver(showStatus);
for (const dialog of document.querySelectorAll("dialog")) dialogs.observe(dialog, { attributeFilter: ["open"] });

/**
 * Shows a message for some seconds. A later message replaces it, unless it has an unused action.
 *
 * @param {string} text @param {{ isError?: boolean, action?: Node | false | null }} more
 */
export function announce(text, { isError = false, action = null } = {}) {
  const line = node(`span.message${isError ? ".failed" : ""}`, text, action);
  for (const other of [...ui.status.children]) if (!other.querySelector("button")) other.remove();
  if (text) ui.status.append(line);
  if (action) action.addEventListener("click", () => line.remove());
  showStatus();
  setTimeout(() => line.remove(), isError || action ? 10_000 : 4_000);
}

export const complain = (error, action) => announce(error.message ?? error, { isError: true, action });

export async function attempt(action, done) {
  try {
    const result = await action();
    if (done) announce(done);
    return result !== false;
  } catch (error) {
    complain(error);
    return false;
  }
}

export function ask(title, content, action) {
  const { confirm } = ui;
  ui.confirmTitle.textContent = title;
  fill(ui.confirmText, content);
  ui.confirmAction.textContent = action;
  ui.confirmAction.className = /^(Save|Add)/.test(action) ? "primary" : "danger";
  confirm.returnValue = "";
  confirm.showModal();
  // The close event of the previous question may arrive when this one is open.
  return new Promise((resolve) => { confirm.onclose = () => confirm.open || resolve(confirm.returnValue === "yes"); });
}

export function openPanel(title, ...content) {
  ui.panelTitle.textContent = title;
  fill(ui.panelContent, content);
  if (!ui.panel.open) ui.panel.showModal();
}

export function onSubmit(form, action) {
  form.onsubmit = (event) => {
    event.preventDefault();
    action();
  };
}

/** Runs at the first call, and for later calls once more after the run and the interval have ended. */
export function throttled(milliseconds, action) {
  let isWanted = false;
  let isRunning = false;
  return async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await Promise.allSettled([(async () => action())(), new Promise((resolve) => { setTimeout(resolve, milliseconds); })]);
    }
    isRunning = false;
  };
}

/** Runs once before the browser draws, for any number of calls. */
export function framed(action) {
  let isDue = false;
  return () => {
    if (!isDue) requestAnimationFrame(() => {
      isDue = false;
      action();
    });
    isDue = true;
  };
}

/** Runs when no call has come for the interval, such as after the user has typed. */
export function debounced(milliseconds, action) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}

/** A value that the browser stores for this page; `undefined` if storage is off. */
export function remembered(name) {
  try { return parse(localStorage[`page ${name}`]); } catch { return undefined; }
}

export function remember(name, value) {
  try { localStorage[`page ${name}`] = JSON.stringify(value); } catch { /* The value lasts as long as the page. */ }
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied");
  } catch {
    complain("The browser copies only on localhost and over HTTPS.");
  }
}

export function download(name, text, type = "application/json") {
  const href = URL.createObjectURL(new Blob([text], { type }));
  node("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

export const outside = (href, ...content) => node("a", { href, target: "_blank", rel: "noopener noreferrer" }, content);

/** Shows JSON with links; only the first part of a long text, which would block the page. */
export function show(place, text, name = "value") {
  fill(place);
  if (text.length > longest) {
    return fill(place, node("span.line.part", `The first ${grouped(longest)} of ${grouped(text.length)} characters`,
      button("Show all", () => fill(place, text)), button("Download", () => download(`${name}.json`, text))), text.slice(0, longest));
  }
  let end = 0;
  for (const { 0: string, 1: colon, index } of text.matchAll(/"(?:[^"\\]|\\.)*"(?=\s*(:?))/g)) {
    const value = tryParse(string);
    if (!colon && !isAddress(value)) continue;
    place.append(text.slice(end, index), colon ? node("span.json-key", string) : outside(value, string));
    end = index + string.length;
  }
  place.append(text.slice(end));
}
