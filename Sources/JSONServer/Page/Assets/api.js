// The server's public API. Addresses are relative to this module, so the page works under any path prefix.

import { parse } from "./json.js";

const root = new URL("../", import.meta.url);

export const address = (path) => new URL(`./${path.replace(/^\/+/, "")}`, root);

/** The path of a resource, or of one of its records. */
export const pathTo = (...names) => `/${names.map(encodeURIComponent).join("/")}`;

/** A path as a person reads it: decoded where it can be. */
export function readable(path) {
  try { return decodeURIComponent(path); } catch { return path; }
}

const mark = "x-requested-by";
const unlogged = [];

/** Whether a logged request was this page's own; once per request. */
export function isOwn({ method, path, requestHeaders }) {
  if (path.startsWith("/__admin")) return true;
  if (requestHeaders) return Object.keys(requestHeaders).some((name) => name.toLowerCase() === mark);
  const index = unlogged.indexOf(`${method} ${path}`);
  if (index >= 0) unlogged.splice(index, 1);
  return index >= 0;
}

/** Sends a request of the page's own. Throws what the server says against it. */
export async function send(method, path, body) {
  if (!path.startsWith("/__admin")) unlogged.push(`${method} ${path}`);
  const headers = { [mark]: "page", ...(body && { "Content-Type": "application/json" }) };
  const response = await fetch(address(path), { method, headers, body }).catch(() => {
    throw new Error("The server does not answer. Is it still running?");
  });
  const text = await response.text();
  if (!response.ok) throw new Error(messageIn(text) ?? `${response.status} ${response.statusText}`);
  return { headers: response.headers, text, value: text ? parse(text) : null };
}

function messageIn(text) {
  try { return JSON.parse(text).message; } catch { return undefined; }
}

export const admin = async (method, path, value) => (await send(method, `/__admin/${path}`, JSON.stringify(value))).value;

/** Listens to the server's events; `connected` is told when the stream opens and breaks. */
export function listen(listeners) {
  const { change, request, connected } = listeners;
  const source = new EventSource(address("/__admin/events"));
  // A page that the browser keeps for "Back" would keep one of the few connections to a server, too.
  addEventListener("pagehide", () => source.close(), { once: true });
  source.onopen = () => connected(true);
  source.addEventListener("change", ({ data }) => change(parse(data)));
  source.addEventListener("request", ({ data }) => request(parse(data)));
  source.onerror = () => {
    connected(false);
    // The browser resumes a broken stream by itself, but not a refused one.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 3_000, listeners);
  };
}
