// Shows the server's OpenAPI description, by resource.

import { admin, readable } from "./data.js";
import { fill, node, ui } from "./dom.js";
import { methodName, show } from "./values.js";

let description, kinds;

// A reference to another file is left out.
function resolve(value) {
  if (!value?.$ref) return value ?? {};
  const names = value.$ref.split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.shift() === "#" ? resolve(names.reduce((place, name) => place?.[name], description)) : {};
}

function example(unresolved, depth = 0) {
  const schema = resolve(unresolved);
  const own = schema.examples?.[0] ?? schema.enum?.[0];
  if (own !== undefined || depth > 8) return own;
  if (schema.anyOf) return example(schema.anyOf[0], depth + 1);
  const [type] = [schema.type].flat();
  if (type === "array") return [example(schema.items, depth + 1)];
  // A new record needs no id.
  const wanted = Object.entries(schema.properties ?? {}).filter(([, { description }]) => !description?.includes("the server assigns one"));
  const members = wanted.map(([name, part]) => [name, example(part, depth + 1)]);
  return { object: Object.fromEntries(members), string: "text", integer: 1, number: 1.5, boolean: true }[type];
}

const exampleOf = (content) => example(content?.["application/json"]?.schema);

function block(title, value) {
  if (value === undefined) return null;
  const text = node("pre", { tabindex: 0, "aria-label": title });
  show(text, JSON.stringify(value, null, 2));
  return [node("h4", title), text];
}

const prose = (text) => text.split("`").map((part, index) => (index % 2 ? node("code", part) : part));

function typeName(unresolved) {
  const { type, items } = resolve(unresolved);
  return items ? `${typeName(items)}, repeatable` : [type ?? "any"].flat()[0];
}

const terms = (title, rows) => rows.length > 0 && [node("h4", title), node("dl", rows.map(([term, detail, text = ""]) =>
  [node("dt", term, node("small.quiet", detail)), node("dd", prose(text))]))];

function operation(path, name, shared, details) {
  const method = name.toUpperCase();
  const parameters = [...shared, ...(details.parameters ?? [])].map(resolve);
  const body = exampleOf(resolve(details.requestBody).content);
  const responses = Object.entries(details.responses).map(([status, response]) => [status, resolve(response)]);
  // A record that is added gets 201, and an id from the server.
  const [status, response] = responses.findLast(([status]) => /^20[01]$/.test(status)) ?? responses.find(([status]) => status[0] === "2") ?? [];
  const filled = path.replace(/\{(.+?)\}/g, (_, name) =>
    encodeURIComponent(example(parameters.find((parameter) => parameter.name === name)?.schema) ?? 1));
  const query = new URLSearchParams({ method, path: filled, body: JSON.stringify(body) ?? "" });
  return node("details.operation",
    node("summary", methodName(method), node("span.path", path), node("span", details.summary), node("small.quiet", kinds[`${method} ${path}`])),
    node("p", node("a", { href: `../__admin#try?${query}` }, "Try it")),
    terms("Parameters", parameters.map(({ name, in: place, schema, content, description }) =>
      [name, ` ${typeName(schema ?? content?.["application/json"].schema)}${place === "path" ? ", in the path" : ""}`, description])),
    block("Request body", body),
    terms("Responses", responses.map(([status, { description }]) => [status, "", description])),
    block(`Response ${status}`, exampleOf(response?.content)));
}

function groups() {
  const all = Object.entries(description.paths).map(([path, item]) => [path, resolve(item)]).flatMap(([path, item]) =>
    ["get", "post", "put", "patch", "delete"].filter((name) => item[name]).map((name) =>
      [item[name].tags?.[0] ?? path.split("/")[1], operation(path, name, item.parameters ?? [], item[name])]));
  return [...Map.groupBy(all, ([name]) => name)].map(([name, pairs]) => [name, pairs.map(([, operation]) => operation)]);
}

ui.search.oninput = () => {
  for (const section of ui.main.querySelectorAll("section")) {
    const all = [...section.querySelectorAll("details")];
    for (const details of all) details.hidden = !details.textContent.toLowerCase().includes(ui.search.value.toLowerCase());
    section.hidden = all.every(({ hidden }) => hidden);
  }
};

try {
  description = await admin("GET", "openapi.json");
  // What an OpenAPI document's operations are: stored, example, sample and so on.
  kinds = Object.fromEntries((await admin("GET", "routes")).map(({ method, path, kind }) => [`${method} ${path}`, kind]));
  const sections = groups();
  const { title, description: about = "" } = description.info;
  fill(ui.main, node("h2", title), about.split("\n\n").map((text) => node("p", prose(text))),
    sections.map(([id, operations]) => node("section", { id }, node("h3", id), operations)));
  fill(ui.resources, sections.map(([name]) => node("li", node("a", { href: `#${encodeURIComponent(name)}` }, node("span", { title: name }, name)))));
  // The browser looked for the fragment's element before it existed.
  document.getElementById(readable(location.hash.slice(1)))?.scrollIntoView();
} catch (error) {
  ui.main.textContent = error.message;
}
