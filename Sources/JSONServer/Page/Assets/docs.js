// The API as the server describes it in OpenAPI, resource by resource.

import { admin } from "./api.js";
import { element, find } from "./dom.js";
import { show } from "./json.js";

let description;

function resolve(value) {
  if (!value?.$ref) return value ?? {};
  return resolve(value.$ref.slice(2).split("/").reduce((place, name) => place[name], description));
}

/** An example of a schema: its own, or one put together, down to depth 8. */
function example(unresolved, depth = 0) {
  const schema = resolve(unresolved);
  const own = schema.examples?.[0] ?? schema.enum?.[0];
  if (own !== undefined || depth > 8) return own;
  if (schema.anyOf) return example(schema.anyOf[0], depth + 1);
  const [type] = [schema.type].flat();
  if (type === "array") return [example(schema.items, depth + 1)];
  const members = Object.entries(schema.properties ?? {}).map(([name, part]) => [name, example(part, depth + 1)]);
  return { object: Object.fromEntries(members), string: "text", integer: 1, number: 1.5, boolean: true }[type];
}

const exampleOf = (content) => example(content?.["application/json"]?.schema);

function block(title, value) {
  if (value === undefined) return [];
  const text = element("pre", { tabindex: 0, "aria-label": title });
  show(text, JSON.stringify(value, null, 2));
  return [element("h4", {}, title), text];
}

/** Text with what stands between backticks as code. */
const prose = (text) => text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));

function typeName(unresolved) {
  const { type, items } = resolve(unresolved);
  return items ? `${typeName(items)}, repeatable` : [type ?? "any"].flat()[0];
}

function terms(title, pairs) {
  if (pairs.length === 0) return [];
  return [element("h4", {}, title), element("dl", {}, ...pairs.flatMap(([term, detail, text]) => [
    element("dt", {}, term, element("small", { class: "quiet" }, detail)), element("dd", {}, ...prose(text))]))];
}

const parameterTerms = (parameters) => terms("Parameters", parameters.map(({ name, in: place, schema, description = "" }) =>
  [name, ` ${typeName(schema)}${place === "path" ? ", in the path" : ""}`, description]));

function operation(path, name, shared, details) {
  const method = name.toUpperCase();
  const parameters = [...shared, ...(details.parameters ?? [])].map(resolve);
  const body = exampleOf(resolve(details.requestBody).content);
  const responses = Object.entries(details.responses).map(([status, response]) => [status, resolve(response)]);
  const [status, response] = responses.find(([status]) => status.startsWith("2")) ?? [];
  const filled = path.replace(/\{(.+?)\}/g, (_, name) => {
    const parameter = parameters.find((parameter) => parameter.name === name);
    return encodeURIComponent(example(parameter?.schema) ?? 1);
  });
  const query = new URLSearchParams({ method, path: filled, body: JSON.stringify(body) ?? "" });
  return element("details", { class: "operation" },
    element("summary", {}, element("span", { class: "method", "data-method": method }, method),
      element("span", { class: "path" }, path), element("span", {}, details.summary ?? "")),
    element("p", {}, element("a", { href: `../__admin#try?${query}` }, "Try it")),
    ...parameterTerms(parameters),
    ...block("Request body", body),
    ...terms("Responses", responses.map(([status, { description }]) => [status, "", description])),
    ...block(`Response ${status}`, exampleOf(response?.content)));
}

/** Operations by resource, which is their tag. */
function groups() {
  const found = new Map();
  for (const [path, item] of Object.entries(description.paths)) {
    for (const method of ["get", "post", "put", "patch", "delete"].filter((method) => item[method])) {
      const [name] = item[method].tags;
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(operation(path, method, item.parameters ?? [], item[method]));
    }
  }
  return [...found];
}

find("search").oninput = ({ target }) => {
  const words = target.value.toLowerCase();
  for (const section of document.querySelectorAll("main section")) {
    const found = [...section.querySelectorAll("details")].filter((details) => {
      details.hidden = !details.textContent.toLowerCase().includes(words);
      return !details.hidden;
    });
    section.hidden = found.length === 0;
  }
};

try {
  description = await admin("GET", "openapi.json");
  const sections = groups();
  find("main").replaceChildren(element("h2", {}, description.info.title),
    ...(description.info.description ?? "").split("\n\n").map((text) => element("p", { class: "about" }, ...prose(text))),
    ...sections.map(([name, operations]) => element("section", { id: name }, element("h3", {}, name), ...operations)));
  find("resources").append(...sections.map(([name]) =>
    element("li", {}, element("a", { href: `#${encodeURIComponent(name)}` }, element("span", { title: name }, name)))));
  // What the address names was not there when the browser looked for it.
  find(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
} catch (error) {
  find("main").textContent = error.message;
}
