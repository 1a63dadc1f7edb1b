// The server's public API. Addresses are relative to this module, so the page works under any path prefix.

import { parse } from "./json.js";

export const root = new URL("../", import.meta.url);

/** The address of a path such as "/posts?q=x". */
export const address = (path) => new URL(`./${path.replace(/^\/+/, "")}`, root);

/** The path of a resource, or of one of its records. */
export const pathTo = (...names) => `/${names.map(encodeURIComponent).join("/")}`;

const mark = { "X-Requested-By": "page" };
const pending = new Map();

/** Answers whether a logged request was sent by this page for its own use, once per request. */
export function takeOwn({ method, path }) {
  const name = `${method} ${path}`;
  const count = pending.get(name);
  if (!count) return false;
  if (count === 1) pending.delete(name); else pending.set(name, count - 1);
  return true;
}

/** Answers whether a request in the server's log carries this page's mark. */
export const isMarked = ({ requestHeaders = {} }) =>
  Object.keys(requestHeaders).some((name) => name.toLowerCase() === "x-requested-by");

/**
 * Sends a request for the page itself.
 *
 * Throws an error whose message says what the server said, or that it does not answer.
 */
export async function send(method, path, text) {
  if (!path.startsWith("/__admin")) {
    const name = `${method} ${path}`;
    pending.set(name, (pending.get(name) ?? 0) + 1);
  }
  const headers = text === undefined ? mark : { ...mark, "Content-Type": "application/json" };
  let response;
  let body;
  try {
    response = await fetch(address(path), { method, headers, body: text });
    body = await response.text();
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  if (!response.ok) throw new Error(messageIn(body) ?? `${response.status} ${response.statusText}`);
  return { headers: response.headers, text: body, value: body ? parse(body) : null };
}

const messageIn = (text) => {
  try { return JSON.parse(text).message; } catch { return undefined; }
};

export const admin = {
  get: async (path) => (await send("GET", `/__admin/${path}`)).value,
  post: async (path, value) =>
    (await send("POST", `/__admin/${path}`, value === undefined ? undefined : JSON.stringify(value))).value,
  patch: async (path, value) => (await send("PATCH", `/__admin/${path}`, JSON.stringify(value))).value,
  delete: async (path) => (await send("DELETE", `/__admin/${path}`)).value,
};

/**
 * Listens to the server's events, and again after each interruption.
 *
 * The browser resumes after a broken connection; one that was refused is tried again here. `connected` is called with
 * false when the stream breaks, and with true each time it is open.
 */
export function listen({ change, request, connected }) {
  const source = new EventSource(address("/__admin/events"));
  source.addEventListener("open", () => connected(true));
  source.addEventListener("change", (event) => change(parse(event.data)));
  source.addEventListener("request", (event) => request(parse(event.data)));
  source.addEventListener("error", () => {
    connected(false);
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => listen({ change, request, connected }), 3_000);
  });
}
