// The server's public API. Addresses are relative to this module, so the page works under any path prefix.

import { parse } from "./json.js";

const root = new URL("../", import.meta.url);

export const address = (path) => new URL(`./${path.replace(/^\/+/, "")}`, root);

export const pathTo = (...names) => `/${names.map(encodeURIComponent).join("/")}`;

export const viewOf = (names, query) => {
  const text = new URLSearchParams(query).toString();
  return `#records${pathTo(...names)}${text && `?${text}`}`;
};

export function readable(path) {
  try { return decodeURIComponent(path); } catch { return path; }
}

/** Why a request failed; its status is 0 when no whole answer came. */
class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
    this.title = status ? `The server answered ${status}.` : "The server does not answer.";
  }
}

/** Sends a request of the page's own, which meets no faults and is not logged. Throws what the server says against it. */
export async function send(method, path, body, more) {
  let response, text;
  try {
    const type = body && { "Content-Type": "application/json" };
    response = await fetch(address(path), { method, body, headers: { "X-JSON-Server-Page": "1", ...type, ...more } });
    text = await response.text();
  } catch {
    throw new Failure(0, response ? "The answer broke off." : "The server does not answer. Is it still running?");
  }
  if (!response.ok) throw new Failure(response.status, messageIn(text) ?? `${response.status} ${response.statusText}`);
  return { tag: response.headers.get("ETag"), headers: response.headers, text, value: text ? parse(text) : null };
}

function messageIn(text) {
  try { return JSON.parse(text).message; } catch { return undefined; }
}

const read = (name, query, most) => send("GET", `${pathTo(name)}?${new URLSearchParams([...query, ["_start", 0], ["_end", most]])}`);

export const list = async (name, query, most) => (await read(name, query, most)).value;
export const count = async (name, query) => Number((await read(name, query, 1)).headers.get("X-Total-Count"));

export const admin = async (method, path, value) => (await send(method, `/__admin/${path}`, JSON.stringify(value))).value;

/** Listens to the server's events; `connected` is told when the stream opens and breaks. */
export function listen(listeners) {
  const { connected, ...kinds } = listeners;
  const source = new EventSource(address("/__admin/events"));
  // A page that the browser keeps for "Back" would keep one of the few connections to a server, too.
  addEventListener("pagehide", () => source.close(), { once: true });
  source.onopen = () => connected(true);
  for (const [kind, listener] of Object.entries(kinds)) source.addEventListener(kind, ({ data }) => listener(parse(data)));
  source.onerror = () => {
    connected(false);
    // The browser resumes a broken stream by itself, but not a refused one.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 3_000, listeners);
  };
}
