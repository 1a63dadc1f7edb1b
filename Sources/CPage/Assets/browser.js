// What the browser stores, copies and saves as files for this page.

import { parse } from "./data.js";
import { node } from "./dom.js";
import { announce, complain } from "./messages.js";

/** A value that the browser stores for this page; `undefined` if storage is off. */
export function remembered(name) {
  try { return parse(localStorage[`page ${name}`]); } catch { return undefined; }
}

export function remember(name, value) {
  try { localStorage[`page ${name}`] = JSON.stringify(value); } catch { /* The value lasts as long as the page. */ }
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied");
  } catch {
    complain("The browser copies only on localhost and over HTTPS.");
  }
}

export function download(name, text, type = "application/json") {
  const href = URL.createObjectURL(new Blob([text], { type }));
  node("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
