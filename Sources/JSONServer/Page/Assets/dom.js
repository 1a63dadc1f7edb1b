// Building and finding elements. Text always becomes text nodes: data may hold markup.

export const find = (id) => document.getElementById(id);

/** Creates an element. Properties with "on" are listeners, the rest attributes unless undefined or false. */
export function element(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) node[name] = value;
    else if (value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export const button = (text, onclick, properties = {}) => element("button", { type: "button", onclick, ...properties }, text);

export const options = (pairs) => pairs.map(([value, text = value]) => element("option", { value }, text));

export const statusCode = (status, text = "") =>
  element("span", { class: "status-code", "data-class": String(status)[0] }, `${status} ${text}`);

export const headerList = (pairs) => element("details", {}, element("summary", {}, "Headers"),
  element("dl", {}, ...[...pairs].flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])));

let clearing;

/** Says something at the bottom, above dialogs, and to screen readers. */
export function announce(text, { isError = false, actions = [], seconds = isError ? 10 : 4 } = {}) {
  const status = find("status");
  status.replaceChildren(text, ...actions);
  status.classList.toggle("failed", isError);
  status.hidePopover();
  status.showPopover();
  clearTimeout(clearing);
  if (text) clearing = setTimeout(announce, seconds * 1_000, "");
}

/** Runs an action, says what it did or why it failed, and answers whether it succeeded. */
export async function attempt(action, done) {
  try {
    await action();
    if (done) announce(done);
    return true;
  } catch (error) {
    announce(error.message, { isError: true });
    return false;
  }
}

/** Asks before something happens. Answers the action that was chosen; the empty text for none. */
export function ask(title, content, ...actions) {
  const dialog = find("confirm");
  find("confirm-title").textContent = title;
  find("confirm-text").replaceChildren(content);
  find("confirm-actions").replaceChildren(element("button", { value: "" }, "Cancel"),
    ...actions.map((action) => element("button", { value: action, class: /^(Save|Add|Keep)/.test(action) ? "primary" : "danger" }, action)));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue);
  });
}

/** Shows something in a dialog of its own. */
export function openPanel(title, ...content) {
  find("panel-title").textContent = title;
  find("panel-content").replaceChildren(...content);
  if (!find("panel").open) find("panel").showModal();
}

export function onSubmit(id, action) {
  find(id).onsubmit = (event) => {
    event.preventDefault();
    action();
  };
}

/** Runs when calls have stopped coming for a while. */
export function debounced(milliseconds, action) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds, ...values);
  };
}

/** What the browser keeps for this page; storage may be off. */
export function remembered(name) {
  try { return JSON.parse(localStorage[`page ${name}`]); } catch { return undefined; }
}

export function remember(name, value) {
  try { localStorage[`page ${name}`] = JSON.stringify(value); } catch { /* It lasts as long as the page. */ }
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied");
  } catch {
    announce("The browser lets a page copy only on localhost and over https.", { isError: true });
  }
}

export function download(name, text, type = "application/json") {
  const href = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
