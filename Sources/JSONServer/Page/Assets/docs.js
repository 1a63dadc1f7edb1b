// The API as the server describes it in OpenAPI, resource by resource.

import { send } from "./api.js";
import { element, find } from "./dom.js";
import { show } from "./json.js";

const methods = ["get", "post", "put", "patch", "delete"];
let description;

/** Follows a reference such as #/components/schemas/Post. */
function resolve(value) {
  if (!value?.$ref) return value;
  const names = value.$ref.slice(2).split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return resolve(names.reduce((place, name) => place?.[name], description));
}

/** An example of what a schema describes: its own, or one put together. Recursion ends at depth 8. */
function example(unresolved, depth = 0) {
  const schema = resolve(unresolved) ?? {};
  if (depth > 8) return null;
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.length) return schema.examples[0];
  const [choice] = schema.enum ?? schema.oneOf ?? schema.anyOf ?? [];
  if (choice !== undefined) return schema.enum ? choice : example(choice, depth + 1);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => example(part, depth + 1)));
  const [type] = [schema.type].flat();
  if (type === "array") return [example(schema.items, depth + 1)];
  if (type === "object" || schema.properties) {
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, part]) => [name, example(part, depth + 1)]));
  }
  return { string: "text", integer: 1, number: 1.5, boolean: true }[type] ?? null;
}

function exampleOf(content) {
  const media = content?.["application/json"] ?? Object.values(content ?? {})[0];
  if (!media) return undefined;
  const [named] = Object.values(media.examples ?? {});
  return media.example ?? resolve(named)?.value ?? example(media.schema);
}

function block(title, value) {
  if (value === undefined) return [];
  const node = element("pre", { class: "code", tabindex: 0, "aria-label": title });
  show(node, JSON.stringify(value, null, 2));
  return [element("h4", {}, title), node];
}

function parameterTable(parameters) {
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: place, required, description: text, schema }) =>
    element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, required ? `${place}, required` : place),
      element("td", {}, [resolve(schema)?.type ?? ""].flat().join(" or ")), element("td", { class: "prose" }, text ?? "")));
  const head = ["Name", "In", "Type", "Meaning"].map((text) => element("th", { scope: "col" }, text));
  return [element("div", { class: "frame", role: "region", tabindex: 0, "aria-label": "Parameters" },
    element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)))];
}

function operation(path, method, shared, details) {
  const parameters = [...shared, ...(details.parameters ?? [])].map(resolve);
  const body = exampleOf(resolve(details.requestBody)?.content);
  const [status, response] = Object.entries(details.responses ?? {}).find(([code]) => code.startsWith("2")) ?? [];
  const filled = parameters.filter((parameter) => parameter.in === "path").reduce((address, { name, schema, example: own }) =>
    address.replace(`{${name}}`, encodeURIComponent(own ?? example(schema) ?? 1)), path);
  const query = { method: method.toUpperCase(), path: filled, body: body === undefined ? "" : JSON.stringify(body) };
  const statuses = Object.entries(details.responses ?? {}).map(([code, answer]) => `${code} ${resolve(answer).description ?? ""}`);
  return element("details", { class: "operation" },
    element("summary", {}, element("span", { class: "method", "data-method": query.method }, query.method),
      element("span", { class: "path" }, path), element("span", {}, details.summary ?? "")),
    element("p", {}, details.description ?? ""),
    element("p", { class: "line" }, element("a", { href: `../__admin#try?${new URLSearchParams(query)}` }, "Try it"),
      element("span", { class: "quiet" }, statuses.join(" · "))),
    ...parameterTable(parameters),
    ...block("Request body", body),
    ...(status ? block(`Response ${status}`, exampleOf(resolve(response).content)) : []));
}

/** Operations by resource: the first tag, or the first part of the path. */
function groups() {
  const found = new Map();
  for (const [path, item] of Object.entries(description.paths ?? {})) {
    for (const method of methods.filter((method) => item[method])) {
      const name = item[method].tags?.[0] ?? path.split("/")[1];
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(operation(path, method, item.parameters ?? [], item[method]));
    }
  }
  return [...found];
}

try {
  description = JSON.parse((await send("GET", "/__admin/openapi.json")).text);
  const sections = groups();
  find("status").remove();
  find("main").append(
    element("h2", {}, description.info?.title ?? "API"), element("p", { class: "quiet" }, description.info?.description ?? ""),
    ...sections.map(([name, operations]) => element("section", { id: `about-${name}` }, element("h3", {}, name), ...operations)));
  find("resources").append(...sections.map(([name]) => element("li", {}, element("a", { href: `#about-${encodeURIComponent(name)}` }, name))));
  if (sections.length === 0) find("main").append(element("p", { class: "empty" }, "No resources yet: add a top-level key to the database file."));
} catch (error) {
  find("status").textContent = error.message;
}
