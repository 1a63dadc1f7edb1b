// Building and finding elements. Text always becomes text nodes: data may hold markup.

export const find = (id) => document.getElementById(id);

/** Creates an element. Properties starting with "on" are listeners, the rest attributes; undefined and false ones are left out. */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/** Says something in the corner, and to screen readers. */
export function announce(text, kind = "done") {
  const status = find("status");
  status.textContent = text;
  status.dataset.kind = kind;
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => { status.textContent = ""; }, kind === "error" ? 10_000 : 4_000);
}

/** Runs an action and shows why it failed, if it does. Answers whether it succeeded. */
export async function attempt(action, done) {
  try {
    await action();
    if (done) announce(done);
    return true;
  } catch (error) {
    announce(error.message, "error");
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
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** Waits until calls stop coming for a while, then runs the last one. */
export function debounced(milliseconds, action) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}

/** A value kept in this browser; the fallback where storage is off or holds something else. */
export function remembered(name, fallback) {
  try { return JSON.parse(localStorage.getItem(name)) ?? fallback; } catch { return fallback; }
}

export function remember(name, value) {
  try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* Storage is off or full: nothing to keep. */ }
}
