// Banners: what holds for the server as a whole.

import { fill, node, ui } from "./dom.js";

const state = {};

/** Notes news, such as `{ gone: true }`, and shows what is known. */
export function note(news) {
  const { gone, readOnly, invalid } = Object.assign(state, news);
  document.body.toggleAttribute("data-read-only", Boolean(readOnly));
  const shown = [
    gone && ["The server does not answer. What you see may be old; the page goes on when the server is back."],
    invalid && [`${invalid.file} cannot be read; the last good version is served.`, invalid.message],
    readOnly && ["The server is read-only: it refuses every change."],
  ].filter(Boolean);
  // What stays the same is not read out again.
  if (ui.banners.textContent !== shown.flat().join("")) fill(ui.banners, shown.map(([text, detail]) => node("div", text, detail && node("pre", detail))));
}
