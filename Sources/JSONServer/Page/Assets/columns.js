// Which columns a table shows and how wide, remembered for each resource.

import { element, find, openPanel, remember, remembered } from "./dom.js";

const known = remembered("columns") ?? {};

const of = (resource) => known[resource] ??= { hidden: [], widths: {} };

export const isHidden = (resource, name) => of(resource).hidden.includes(name);

/** Lets a person choose the columns on show. */
export function choose(resource, names, changed) {
  openPanel("Columns", ...names.map((name) => {
    const box = element("input", { type: "checkbox" });
    box.checked = !isHidden(resource, name);
    box.onchange = () => {
      of(resource).hidden = of(resource).hidden.filter((hidden) => hidden !== name).concat(box.checked ? [] : [name]);
      remember("columns", known);
      changed();
    };
    return element("label", { class: "switch" }, box, ` ${name}`);
  }), element("p", { class: "quiet" }, "Drag a column's edge to widen it, or press Shift with ← or → on its head."));
}

/** Gives the cells below a head its width; none has the one that fits. */
function apply(head, width) {
  const cells = [head, ...find("rows").querySelectorAll(`td:nth-child(${head.cellIndex + 1})`)];
  for (const { style } of cells) style.minWidth = style.maxWidth = width ? `${width}px` : "";
}

/** Makes a column's width changeable. */
export function widen(head, resource, name) {
  const set = (width) => {
    of(resource).widths[name] = width && Math.max(60, Math.round(width));
    apply(head, of(resource).widths[name]);
    remember("columns", known);
  };
  const grip = element("span", { class: "grip", onclick: (event) => event.stopPropagation(), ondblclick: () => set(undefined) });
  grip.onpointerdown = (event) => {
    const start = head.offsetWidth - event.clientX;
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = ({ clientX }) => set(start + clientX);
    grip.onpointerup = () => { grip.onpointermove = null; };
  };
  head.onkeydown = ({ key, shiftKey }) => {
    if (shiftKey && /^Arrow(Left|Right)$/.test(key)) set(head.offsetWidth + (key === "ArrowLeft" ? -24 : 24));
  };
  head.append(grip);
  apply(head, of(resource).widths[name]);
}

const frame = find("records-frame");

/** Shows at which edges of the table columns are out of sight. */
export function showEdges() {
  const { scrollLeft, scrollWidth, clientWidth } = frame;
  frame.parentElement.classList.toggle("more-left", scrollLeft > 2);
  frame.parentElement.classList.toggle("more-right", scrollLeft + clientWidth < scrollWidth - 2);
}

frame.onscroll = showEdges;
new ResizeObserver(showEdges).observe(frame);
