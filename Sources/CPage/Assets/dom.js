// Builds and finds elements. Text always becomes text nodes, since data may contain markup.

/** @type {Elements} The elements with an id: ui.recordTitle is #record-title. The type check reads the ids from the HTML. */
export const ui = new Proxy(/** @type {any} */ ({}), {
  get: (_, name) => document.getElementById(String(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
});

const parts = (children) => children.flat(9).filter((child) => child != null && child !== false);

/** The element outside of dialogs and menus that had the focus last. @type {HTMLElement} */
let last;

/** Whether nothing has the focus, since its element is gone. */
export const isLost = () => document.activeElement.matches("body, dialog:not([open]) *");

/** Focuses it again, or the element that replaced it, by its data-key. */
export function refocus() {
  const key = last?.dataset.key;
  /** @type {HTMLElement} */ (key ? document.querySelector(`[data-key="${CSS.escape(key)}"]`) : last)?.focus();
}

/** Focuses an element, even one that the Tab key does not reach. @param {HTMLElement} place */
export function focusOn(place) {
  if (place.tabIndex < 0) place.tabIndex = -1;
  place.focus();
}

export function fill(place, ...children) {
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...parts(children));
  if (!hadFocus || !isLost()) return;
  refocus();
  if (isLost()) focusOn(place);
}

/** Whether a key is for the field that has the focus. */
export const isTyping = ({ target }) => target.matches("input:not([type=checkbox]), select, textarea");

addEventListener("focusin", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (!target.closest("dialog, [popover]")) last = target;
});
addEventListener("close", () => { if (isLost()) refocus(); }, true);

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

for (const select of document.querySelectorAll(".methods")) {
  select.append(...options(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].map((method) => [method])));
}

export function onSubmit(form, action) {
  form.onsubmit = (event) => {
    event.preventDefault();
    action();
  };
}
