// The states of the record beside the list, without a browser: node --test Tests/Page

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

const source = await readFile(new URL("../../Sources/CPage/Assets/states.js", import.meta.url), "utf8");
// Node.js takes a file with this ending for another kind of module.
const { after, alone, closed, showsForm, transitions, viewing } = await import(`data:text/javascript,${encodeURIComponent(source)}`);

/** The state after some events. An event may have an error: "refused: no". */
const follow = (start, ...events) => events.reduce((state, event) => after(state, ...event.split(": ")), start);
const names = (start, ...events) => events.map((_, index) => follow(start, ...events.slice(0, index + 1)).name);

test("a record is edited and saved", () => {
  assert.deepEqual(names(viewing, "edit", "save", "saved"), ["editing", "saving", "viewing"]);
  assert.equal(follow(viewing, "edit", "save", "saved"), viewing);
});

test("a refused save keeps the form and says why", () => {
  const state = follow(viewing, "edit", "save", "refused: The server is read-only.");
  assert.deepEqual([state.name, showsForm(state), state.error], ["refused", true, "The server is read-only."]);
  assert.deepEqual(names(state, "save", "saved"), ["saving", "viewing"]);
  assert.equal(follow(state, "save").error, "");
  assert.equal(follow(state, "leave"), viewing);
});

test("a change elsewhere is announced, but not during a save, whose response tells", () => {
  const state = follow(viewing, "edit", "changed");
  assert.equal(state.name, "conflict");
  assert.match(state.notice, /both versions/);
  assert.equal(follow(viewing, "edit", "save", "changed").name, "saving");
  assert.equal(follow(viewing, "edit", "save", "cancelled").name, "conflict");
  assert.equal(follow(viewing, "changed"), viewing);
});

test("a record that is gone keeps its text, which is saved as another record", () => {
  const state = follow(viewing, "edit", "deleted");
  assert.deepEqual([state.name, showsForm(state)], ["gone", true]);
  assert.match(state.notice, /text is still here/);
  assert.equal(follow(state, "save").adds, true);
  assert.equal(follow(state, "save", "saved"), closed);
  assert.equal(follow(state, "save", "refused: no").name, "gone", "A second save must not change a record that is not there.");
  assert.equal(follow(state, "leave"), closed);
  assert.equal(follow(viewing, "edit", "save", "deleted").name, "gone");
});

test("a record that comes back is shown, or is compared with the text", () => {
  assert.equal(follow(viewing, "deleted", "restored"), viewing);
  assert.equal(follow(viewing, "edit", "deleted", "restored").name, "conflict");
  assert.equal(follow(viewing, "deleted", "edit").name, "gone");
});

test("a new record closes when it is saved or left", () => {
  assert.equal(follow(alone, "save", "saved"), closed);
  assert.equal(follow(alone, "leave"), closed);
  assert.equal(follow(alone, "save", "refused: no").name, "refused");
});

test("a record that is saved as new, but refused, is still the same record", () => {
  const state = follow(viewing, "edit", "saveAsNew", "refused: The id is taken.");
  assert.equal(follow(state, "save").adds, false);
  assert.equal(follow(state, "leave"), viewing);
});

test("every state takes every event, and only a save locks the form", () => {
  const events = [...new Set(Object.values(transitions).flatMap(Object.keys))];
  const states = [closed, viewing, alone, ...[["edit"], ["edit", "save"], ["edit", "refused"], ["edit", "changed"], ["edit", "deleted"], ["deleted"]].map((path) => follow(viewing, ...path))];
  for (const state of states) {
    for (const event of events) {
      const next = after(state, event, "no");
      assert.ok(next.name in transitions, `${state.name}, ${event}: ${next.name}`);
      if (next !== state) assert.ok(["gone", "viewing", "closed"].includes(next.name) || showsForm(next), `${state.name}, ${event}: no form`);
    }
    if (state.name === "saving") assert.equal(after(state, "leave"), state, "What is being saved cannot be left.");
  }
});
