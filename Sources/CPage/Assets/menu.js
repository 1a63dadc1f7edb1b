// A menu at the pointer, or below the focused element when a key opens it.

import { fill, node, refocus, ui } from "./dom.js";

const menu = node("div.menu", { id: "menu", role: "menu", popover: "auto" });
ui.main.append(menu);

/** @typedef {{ text: string, hint?: string, action: () => void }} Item An item of a menu. */

/**
 * Opens a menu. A key's event has no position; `name` is for screen readers.
 * @param {MouseEvent} event
 * @param {string} name
 * @param {(Item | false | null)[]} items
 */
export function openMenu(event, name, items) {
  event.preventDefault();
  const box = /** @type {Element} */ (event.target).getBoundingClientRect();
  const [x, y] = event.clientX || event.clientY ? [event.clientX, event.clientY] : [box.left, box.bottom];
  menu.ariaLabel = name;
  const shown = /** @type {Item[]} */ (items.filter(Boolean));
  fill(menu, shown.map(({ text, hint, action }) => node("button", {
    type: "button", role: "menuitem", tabindex: -1, onclick() {
      menu.hidePopover();
      action();
    },
  }, node("span", text), hint && node("small.quiet", hint))));
  menu.showPopover();
  const { offsetWidth, offsetHeight } = menu;
  menu.style.left = `${Math.max(4, Math.min(x, innerWidth - offsetWidth - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, innerHeight - offsetHeight - 4))}px`;
  menu.children[0]?.focus();
}

menu.onkeydown = (event) => {
  const items = [...menu.children];
  const place = items.indexOf(document.activeElement);
  const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: -1 }[event.key];
  if (event.key === "Tab") menu.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  items.at(next % items.length).focus();
};
// The browser returns the focus to the element that had it, unless that was replaced.
menu.addEventListener("toggle", () => {
  if (!menu.matches(":popover-open") && document.activeElement.matches("body, .menu *")) refocus();
});
