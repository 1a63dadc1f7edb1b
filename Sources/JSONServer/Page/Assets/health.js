// Banners: what holds for the server as a whole.

import { fill, node, ui } from "./dom.js";

const state = {};

/** Notes news, such as `{ gone: true }`, and shows what is known. */
export function note(news) {
  const { gone, readOnly, invalid } = Object.assign(state, news);
  const place = invalid?.line ? `, line ${invalid.line}${invalid.column ? `, column ${invalid.column}` : ""}` : "";
  document.body.toggleAttribute("data-read-only", Boolean(readOnly));
  const texts = [
    gone && "The server does not answer. What you see may be old; the page goes on when the server is back.",
    invalid && `${invalid.file}${place}, cannot be read: ${invalid.message} The last good version is served.`,
    readOnly && "The server is read-only: it refuses every change.",
  ].filter(Boolean);
  // What stays the same is not read out again.
  if (ui.banners.textContent !== texts.join("")) fill(ui.banners, texts.map((text) => node("p", text)));
}
