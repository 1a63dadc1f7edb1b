// The columns that a table shows and their widths, stored for each resource.

import { remember, remembered } from "./browser.js";
import { checkbox, node, ui } from "./dom.js";
import { openPanel } from "./messages.js";

const known = { __proto__: null };
const of = (resource) => known[resource] ??= remembered(`columns ${resource}`) ?? { hidden: [], widths: { __proto__: null } };
const { rows, recordsFrame: frame } = ui;
const resize = ({ style }, width) => { style.minWidth = style.maxWidth = `${width}px`; };

export const isHidden = (resource, name) => of(resource).hidden.includes(name);

export function choose(resource, names, changed) {
  openPanel("Columns", names.map((name) => node("label.switch", checkbox(!isHidden(resource, name), {
    onchange: ({ target: { checked } }) => {
      of(resource).hidden = of(resource).hidden.filter((hidden) => hidden !== name).concat(checked ? [] : name);
      remember(`columns ${resource}`, of(resource));
      changed();
    },
  }), ` ${name}`)), node("p.quiet.end", "Widen a column at its edge, or on its head with Shift and ← or →."));
}

/** Sets the width of a cell or head to the width that the user chose for the column, if any. */
export function size(cell, resource, name) {
  const width = of(resource).widths[name];
  if (width) resize(cell, width);
  return cell;
}

/** Lets the user change a column's width at its head. */
export function widen(head, resource, name) {
  const { widths } = of(resource);
  const set = (width) => {
    widths[name] = Math.max(60, width);
    for (const cell of [head, .../** @type {NodeListOf<HTMLElement>} */ (rows.querySelectorAll(`[data-name="${CSS.escape(name)}"]`))]) resize(cell, widths[name]);
    remember(`columns ${resource}`, of(resource));
  };
  const move = ({ movementX, key, shiftKey }) => {
    const step = movementX ?? (shiftKey && { ArrowLeft: -24, ArrowRight: 24 }[key]);
    if (step) set(head.offsetWidth + step);
  };
  const grip = node("span.grip", { onpointermove: (event) => { if (event.buttons) move(event); } });
  grip.onpointerdown = ({ pointerId }) => grip.setPointerCapture(pointerId);
  head.addEventListener("keydown", move);
  head.append(grip);
}

export function showEdges() {
  const { scrollLeft, scrollWidth, clientWidth, parentElement: { classList } } = frame;
  classList.toggle("more-left", scrollLeft > 2);
  classList.toggle("more-right", scrollLeft + clientWidth < scrollWidth - 2);
}

frame.onscroll = showEdges;
new ResizeObserver(showEdges).observe(frame);
