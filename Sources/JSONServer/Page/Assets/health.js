// Banners: what holds for the server as a whole.

import { element, find } from "./dom.js";

const state = {};

/** Notes what is known of the server, such as `{ readOnly: true }` or `{ gone: true }`, and shows it. */
export function note(news) {
  Object.assign(state, news);
  const { gone, readOnly, invalid } = state;
  const place = invalid?.line ? `, line ${invalid.line}${invalid.column ? `, column ${invalid.column}` : ""}` : "";
  document.body.toggleAttribute("data-read-only", Boolean(readOnly));
  const texts = [
    gone && "The server does not answer. What you see may be old; the page goes on when the server is back.",
    invalid && `${invalid.file}${place} cannot be read: ${invalid.message} The last version that could be read is served.`,
    readOnly && "The server is read-only: it refuses every change.",
  ].filter(Boolean);
  const shown = [...find("banners").children].map((banner) => banner.textContent);
  if (String(shown) === String(texts)) return;
  find("banners").replaceChildren(...texts.map((text) => element("p", {}, text)));
}
