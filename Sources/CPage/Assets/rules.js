// Faults, holds and stubs: what happens to requests, as sentences, and the form that adds and edits one.

import { remember, remembered } from "./browser.js";
import { admin, brief, compact, counted, grouped, pretty, tryParse } from "./data.js";
import { button, checkbox, fill, node, onSubmit, options, ui } from "./dom.js";
import * as log from "./log.js";
import { announce, ask, attempt } from "./messages.js";

const kinds = {
  status: ["Respond with a status", "Status", 503], delay: ["Respond late", "Delay in ms", 500], retryAfter: ["Rate limit (429)", "Retry after, s", 5],
  bytesPerSecond: ["Slow down the bodies", "Bytes per second", 20000],
  hang: ["Never respond"], reset: ["Reset the connection"], lose: ["Carry out, lose the response"], truncate: ["Cut off the body"],
  stub: ["Stub: a fixed response", "Status", 200], hold: ["Hold: wait until released"],
};
const actions = { hang: "no response", reset: "the connection is reset", lose: "the response is lost", truncate: "the body is cut off" };
/** What a member of a rule does, in the order of a sentence. Other members are shown with their names. @type {Record<string, (value: any) => string>} */
const effects = {
  delay: (value) => `after ${compact(value)} ms`, bytesPerSecond: (value) => `${grouped(value)} bytes/s`, status: compact, retryAfter: (value) => `429, retry after ${value} s`,
  action: (name) => actions[name] ?? name, body: (value) => brief(compact(value), 60), shape: (value) => `${brief(compact(value), 60)} filled in`,
  events: (value) => counted(value.length, "events"), headers: () => "with headers", addHeaders: (fields) => `adds ${Object.keys(fields).join(", ")}`,
};
/** The members that say which requests a rule is for. */
const others = ["id", "method", "path", "query", "exact", "request", "unless", "find", "probability", "seed", "times"];

/** @typedef {{ kind: "faults" | "holds" | "stubs", rule: Record<string, any> }} Rule A rule as the server describes it, and the path of its kind. */

const { ruleKind, ruleNumber, ruleBody, ruleMethod, rulePath, ruleTimes } = ui;
/** The rule in the form; undefined for a new one. @type {Rule | undefined} */
let edited;
/** The rules that are switched off, which the server does not know. @type {Rule[]} */
let off = remembered("rules off") ?? [];

const matcher = ({ rule }) => ({ ...rule, ...rule.request });

const effectsOf = (members) => [
  ...Object.keys(effects).filter((name) => name in members).map((name) => effects[name](members[name])),
  ...Object.keys(members).filter((name) => !(name in effects) && !others.includes(name)).map((name) => `${name} ${brief(compact(members[name]), 60)}`),
];

/** The requests that a pattern leaves out: "unless POST /login". */
const exception = ({ method, path, ...others }) => ["unless", method, path, Object.keys(others).length > 0 && compact(others)].filter(Boolean).join(" ");

/** What a rule does: "every GET /me: 503, 3 more times". @param {Rule} given */
export function sentence(given) {
  const { kind, rule } = given;
  const { method, path = "on any path", query, headers, body, times, unless = [], find, probability } = matcher(given);
  const { response, responses, ...members } = rule;
  const whose = [
    query && `with ${compact(query)}`, kind === "stubs" && (headers || body !== undefined) && "with certain fields", ...[unless].flat().map(exception),
    ...Object.entries(find ?? {}).map(([name, wanted]) => `if ${name} has ${brief(compact(wanted), 60)}`),
  ].filter(Boolean);
  const share = probability === undefined ? "every" : `${Number((100 * probability).toFixed(2))} % of`;
  const happens = kind === "holds" ? [`waits, ${rule.requests?.length ?? 0} waiting`]
    : responses ? [`${responses.length} responses in order`]
    : effectsOf(response ? { status: 200, ...members, ...response } : members);
  const count = times === undefined ? "" : times === 1 ? "once more" : `${times} more times`;
  return `${share} ${[method ?? (probability === undefined ? "request" : "requests"), path, ...whose].join(" ")}: ${[...happens, count].filter(Boolean).join(", ")}`;
}

/** The kind of a rule in the form; undefined for a rule that the form cannot show. */
const kindOf = ({ kind, rule }) => {
  const name = { holds: "hold", stubs: "stub" }[kind] ?? rule.action ?? Object.keys(kinds).find((name) => name in rule);
  const { response } = rule;
  return rule.responses || rule.events || response?.events || response?.shape || kind === "stubs" && !response || !kinds[name] ? undefined : name;
};

const act = (action, done) => attempt(action, done).then(() => dispatchEvent(new Event("rules")));
const add = ({ kind, rule: { id, requests, ...rule } }) => admin("POST", kind, rule);
const remove = ({ kind, rule }, end = "") => admin("DELETE", `${kind}/${rule.id}${end}`);

function keep(next) {
  off = next;
  remember("rules off", off);
}

const turn = (rule, isOn) => act(async () => {
  await (isOn ? add(rule) : remove(rule));
  keep(isOn ? off.filter((other) => other !== rule) : [...off, rule]);
}, isOn ? "Switched on" : "Switched off");

/** @param {Rule} rule @param {boolean} isOn */
function item(rule, isOn) {
  const text = sentence(rule);
  const named = (title, action) => button(title, action, { "aria-label": `${title} ${text}`, "data-key": `${title} ${text}` });
  return node("li",
    checkbox(isOn, { role: "switch", "aria-label": text, "data-key": `switch ${text}`, onchange: ({ target }) => turn(rule, target.checked) }),
    node(isOn ? "strong.sentence" : "span.sentence.quiet", text),
    isOn && rule.kind === "holds" && [named("Release", () => act(() => remove(rule), "Released")), named("Fail", () => act(() => remove(rule, "?status=503"), "Failed with 503"))],
    isOn && kindOf(rule) && named("Edit", () => edit(rule)),
    named("Remove", () => act(async () => {
      if (isOn) await remove(rule);
      keep(off.filter((other) => other !== rule));
    }, "Removed")));
}

/** @param {Record<"faults" | "holds" | "stubs", any[]>} all The rules to show. */
export function show(all) {
  const rules = Object.entries(all).flatMap(([kind, list]) => list.map((rule) => item({ kind: /** @type {Rule["kind"]} */ (kind), rule }, true)));
  const items = [...rules, ...off.map((rule) => item(rule, false))];
  fill(ui.rules, items.length > 0 ? items : node("li.quiet", "None."));
}

function followKind() {
  const [, label, number] = kinds[ruleKind.value];
  ui.ruleNumberField.hidden = !label;
  ui.ruleBodyField.hidden = ruleKind.value !== "stub";
  if (label) [ui.ruleLabel.textContent, ruleNumber.value] = [label, number];
}

function write(method = "", path = "", times = "", kind = "status") {
  [ruleMethod.value, rulePath.value, ruleTimes.value, ruleKind.value] = [method, path, times, kind];
  followKind();
  ui.ruleSave.textContent = edited ? "Save" : "Add";
  ui.ruleCancel.hidden = !edited;
}

/** Fills the form with a rule. @param {Rule} rule */
function edit(rule) {
  edited = rule;
  const { method, path, times } = matcher(rule);
  const kind = kindOf(rule);
  write(method, path, times, kind);
  const { response, [kind]: number = response?.status } = rule.rule;
  if (number !== undefined) ruleNumber.value = compact(number);
  ruleBody.value = response?.body === undefined ? "" : typeof response.body === "string" ? response.body : pretty(JSON.stringify(response.body));
  ruleKind.focus();
}

/** Fills the form for a request, which meets the new rule once. @param {URLSearchParams} query */
export function begin(query) {
  edited = undefined;
  write(query.get("method") ?? "", query.get("path") ?? "", "1");
  ruleKind.focus();
}

/** Whether a stub's body may be a text. A text that only looks like JSON needs a confirmation. */
async function isMeant(text) {
  if (!/^\s*["[{]/.test(text) || tryParse(text) !== undefined) return true;
  let fault;
  try { JSON.parse(text); } catch ({ message }) { fault = message; }
  return ask("This body is not JSON. Add it as text?", node("p", fault), "Add as text");
}

/** The rule that the form describes. What the form does not show of an edited rule stays. @returns {Rule} */
function read() {
  const kind = ruleKind.value;
  const number = Number(ruleNumber.value);
  const request = { method: ruleMethod.value || undefined, path: rulePath.value || undefined };
  const times = Number(ruleTimes.value) || undefined;
  const before = edited?.rule ?? {};
  if (kind === "stub") {
    const response = { ...before.response, ...log.response(number, ruleBody.value) };
    return { kind: "stubs", rule: { ...before.response && before, request: { ...before.request, ...request }, times, response: { ...response, headers: before.response?.headers } } };
  }
  if (kind === "hold") return { kind: "holds", rule: { ...request, times } };
  const isSame = edited?.kind === "faults" && kindOf(edited) === kind;
  return { kind: "faults", rule: { ...isSame && before, ...kinds[kind][1] ? { [kind]: number } : { action: kind }, ...request, times } };
}

async function save() {
  if (ruleKind.value === "stub" && !(await isMeant(ruleBody.value))) return ruleBody.focus();
  const rule = read();
  if (!rulePath.value && !(await ask("For all paths?", `The rule: ${sentence(rule)}.`, "Add for all paths"))) return rulePath.focus();
  await act(async () => {
    await add(rule);
    if (edited) await remove(edited);
    announce(edited ? "Rule saved" : "Rule added");
    edited = undefined;
    write();
  });
}

fill(ruleKind, options(Object.entries(kinds).map(([kind, [text]]) => [kind, text])));
followKind();
onSubmit(ui.ruleForm, save);
ruleKind.onchange = followKind;
ui.ruleForm.onkeydown = ({ key }) => { if (key === "Escape" && edited) ui.ruleCancel.click(); };
ui.ruleCancel.onclick = () => {
  const key = `Edit ${sentence(edited)}`;
  edited = undefined;
  write();
  /** @type {HTMLElement} */ (document.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus();
};
