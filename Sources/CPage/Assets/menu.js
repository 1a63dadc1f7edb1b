// A menu at the pointer, or below the element that has the focus when a key opened it.

import { fill, node, refocus, ui } from "./dom.js";

const menu = node("div.menu", { id: "menu", role: "menu", popover: "auto" });
ui.main.append(menu);

/** @typedef {{ text: string, hint?: string, isDanger?: boolean, action: () => void }} Item What an item of a menu says and does. */

/**
 * Opens a menu.
 *
 * @param {MouseEvent} event What opened it; a key's has no place of its own.
 * @param {string} name What it is about, for those who do not see where it is.
 * @param {(Item | false | null)[]} items
 */
export function openMenu(event, name, items) {
  event.preventDefault();
  const box = /** @type {Element} */ (event.target).getBoundingClientRect();
  const [x, y] = event.clientX || event.clientY ? [event.clientX, event.clientY] : [box.left, box.bottom];
  menu.ariaLabel = name;
  const shown = /** @type {Item[]} */ (items.filter(Boolean));
  fill(menu, shown.map(({ text, hint, isDanger, action }) => node(`button${isDanger ? ".danger" : ""}`, {
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
// The browser gives the focus back to what had it, unless that was drawn anew.
menu.addEventListener("toggle", () => {
  if (!menu.matches(":popover-open") && document.activeElement.matches("body, .menu *")) refocus();
});
