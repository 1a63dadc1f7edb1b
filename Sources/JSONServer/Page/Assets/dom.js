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

export const button = (text, onclick, label = text) => element("button", { type: "button", "aria-label": label, onclick }, text);

export const statusCode = (status, text = "") =>
  element("span", { class: "status-code", "data-class": String(status)[0] }, `${status} ${text}`);

export const headerList = (pairs) => element("details", {}, element("summary", {}, "Headers"),
  element("dl", {}, ...[...pairs].flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])));

let clearing;

/** Says something at the bottom, and to screen readers. */
export function announce(text, isError = false) {
  find("status").textContent = text;
  find("status").classList.toggle("failed", isError);
  clearTimeout(clearing);
  clearing = setTimeout(() => announce(""), isError ? 10_000 : 4_000);
}

/** Runs an action, says what it did or why it failed, and answers whether it succeeded. */
export async function attempt(action, done) {
  try {
    await action();
    if (done) announce(done);
    return true;
  } catch (error) {
    announce(error.message, true);
    return false;
  }
}

/** Asks before data is lost. Answers true when the person agrees. */
export function confirmLoss(title, text, action) {
  const dialog = find("confirm");
  find("confirm-title").textContent = title;
  find("confirm-text").textContent = text;
  find("confirm-action").textContent = action;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "yes");
  });
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
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
