// The server's data: requests, JSON whose numbers keep their digits, and relations between records.
// Addresses are relative to this module, so that the page works under any path prefix.

/**
 * A resource, as the server describes it. `parents` has the resource to which each member refers.
 * @typedef {{ name: string, kind: "collection" | "object", count: number, idName: string, parents: Record<string, string> }} Resource
 */

const root = new URL("../../", import.meta.url);

/** The name of the session whose data the page shows, if any. */
export const session = /\/__session\/([^/]+)\/$/.exec(root.pathname)?.[1];

export const address = (path) => new URL(`./${path.replace(/^\/+/, "")}`, root);

export const pathTo = (...names) => `/${names.map((name) => encodeURIComponent(`${name}`.toWellFormed())).join("/")}`;

export const viewOf = (names, query) => {
  const text = new URLSearchParams(query).toString();
  return `#records${pathTo(...names)}${text && `?${text}`}`;
};

/** Makes a link to a path of the API, with the path as its text. */
export function showAddress(link, path) {
  link.textContent = readable(path.replaceAll("+", " "));
  link.href = address(path);
}

export function readable(path) {
  try { return decodeURIComponent(path); } catch { return path; }
}

/** The error of a request. Its status is 0 without a whole response. */
const failure = (status, message) => Object.assign(new Error(message), { status });

/** Sends a request of the page itself, which meets no faults and is not logged. Throws the server's message. */
export async function send(method, path, body, more) {
  if (/\/\.{0,2}(?=[/?]|$)/.test(path)) throw failure(0, "A browser cannot send a request for this name or id. Change it in the file.");
  let response, text;
  try {
    const type = body && { "Content-Type": "application/json" };
    response = await fetch(address(path), { method, body, headers: { "X-JSON-Server-Page": "1", ...type, ...more } });
    text = await response.text();
  } catch {
    throw failure(0, response ? "The response ended too early." : "The server does not answer. Is it still running?");
  }
  const { ok, status, statusText, headers } = response;
  if (ok) return { tag: headers.get("ETag"), headers, text, value: text ? parse(text) : null };
  throw failure(status, tryParse(text)?.message ?? `${status} ${statusText}`);
}

const read = (name, query, most) => send("GET", `${pathTo(name)}?${new URLSearchParams([...query, ["_start", 0], ["_end", most]])}`);

export const readRecords = async (name, query, most) => (await read(name, query, most)).value;
export const count = async (name, query) => Number((await read(name, query, 1)).headers.get("X-Total-Count"));

export const admin = async (method, path, value) => (await send(method, `/__admin/${path}`, JSON.stringify(value))).value;

const isRaw = (value) => JSON.isRawJSON?.(value) ?? false;

/** Parses JSON. A number that JavaScript writes differently (1.0) keeps its text; objects have no prototype. */
export const parse = (text) => JSON.parse(text, (_, value, context) => {
  if (kind(value) === "object") return Object.setPrototypeOf(value, null);
  return typeof value === "number" && context?.source && JSON.rawJSON && String(value) !== context.source ? JSON.rawJSON(context.source) : value;
});

export function kind(value) {
  if (value === null) return "null";
  if (isRaw(value)) return "number";
  return Array.isArray(value) ? "array" : typeof value;
}

export const isKey = (value) => /string|number/.test(kind(value));

export function compact(value) {
  if (isRaw(value)) return value.rawJSON;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The text of an id or a reference, as the server writes it: an integer keeps its digits, other numbers are JavaScript's. */
export const idText = (value) => (isRaw(value) && !/^-?\d+$/.test(value.rawJSON) ? String(Number(value.rawJSON)) : compact(value ?? ""));

export const brief = (text, most = 300) => (text.length > most ? `${text.slice(0, most)} …` : text);

export const longest = 200_000;

export function tryParse(text) {
  try { return parse(text); } catch { return undefined; }
}

export const pretty = (text) => (text.length <= longest && JSON.stringify(tryParse(text), null, 2)) || text;

export const isAddress = (text) => /^https?:\/\/\S{1,2000}$/.test(text);

export const grouped = (number) => number.toLocaleString("en");

export const counted = (count, words) => `${grouped(count)} ${count === 1 ? words.replace(/s$/, "") : words}`;

/** A number of records of a resource, whose name may have any singular. */
export const countedOf = (name, count) => (count === 1 ? `1 record of ${name}` : counted(count, name));

/** The server's last word about itself. @type {{ users?: string | null, sessions?: boolean, [name: string]: any }} */
export let health = {};

export const readHealth = async () => (health = await admin("GET", "health"));

/** The members that records have, but no response shows. */
export const hiddenMembers = ({ name }) => (name === health.users ? ["password"] : []);

/** The resources that the server last described. @type {Resource[]} */
export let resources = [];

export const readResources = async () => { resources = await admin("GET", "resources"); };

export const resourceNamed = (wanted) => resources.find(({ name }) => name === wanted);

export const parentOf = (member, { parents }) => resourceNamed(parents[member]);

export const childrenOf = (resource) => resources.flatMap(({ name, parents }) =>
  Object.keys(parents).filter((member) => parents[member] === resource.name).map((member) => ({ name, member })));

const most = 5_000;

/** Reads the records that have one of these ids in a member. Many ids are sent in parts: the server refuses a long address. */
export async function having(name, member, ids, more = []) {
  let length = 0;
  const parts = Map.groupBy(ids, (id) => Math.floor((length += `${new URLSearchParams([[member, id]])}&`.length) / 6_000));
  return (await Promise.all([...parts.values()].map((part) => readRecords(name, [...part.map((id) => [member, id]), ...more], most)))).flat();
}

/** The number of children of each record. When there are many, the server counts those of a short list. */
export async function countChildren({ name, member }, ids) {
  const children = await having(name, member, ids, [["_fields", member]]);
  if (children.length >= most) return new Map(await Promise.all(ids.map(async (id) => [id, ids.length > 50 ? "?" : await count(name, [[member, id]])])));
  const counts = new Map(ids.map((id) => [id, 0]));
  for (const key of children.flatMap((child) => [...new Set([child[member]].flat().map(idText))])) {
    if (counts.has(key)) counts.set(key, counts.get(key) + 1);
  }
  return counts;
}

export function titleOf(record, { idName, parents }) {
  const names = ["title", "name", "label", "username", "email", ...Object.keys(record)];
  const name = names.find((name) => name !== idName && !parents[name] && typeof record[name] === "string");
  return brief(name ? record[name] : idText(record[idName]), 60);
}

const titles = new Map();

export const forgetTitles = (name) => (name ? titles.delete(name) : titles.clear());

/** The titles of records by id, which are cached. */
export async function titlesOf(resource, ids) {
  const { name, idName } = resource;
  if (!titles.has(name)) titles.set(name, new Map());
  const known = titles.get(name);
  const missing = [...ids].filter((id) => !known.has(id));
  const found = having(name, idName, missing)
    .then((records) => new Map(records.map((record) => [idText(record[idName]), titleOf(record, resource)])));
  for (const id of missing) known.set(id, found.then((titles) => titles.get(id)).catch(() => known.delete(id)));
  return new Map(await Promise.all([...ids].map(async (id) => /** @type {[string, any]} */ ([id, await known.get(id)]))));
}
