"""Exported records are the same after an import, and a confirmation names the changes first."""

import json
import pathlib

from page import Page, by_id
from server import data

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"


def every_value():
    """The records of the fixtures, those of the repository's database, and texts that look like something else."""
    resources = {name: value for file in [FIXTURES / "databases" / "jsonplaceholder.json", FIXTURES.parent / "database.json"]
                 for name, value in json.loads(file.read_text()).items() if isinstance(value, list)}
    texts = json.loads((FIXTURES / "blns.json").read_text())
    resources["texts"] = [{"id": n, "text": text} for n, text in enumerate(texts, 1)]
    values = ["", "1", "01", "1.0", "-0", "1e999", "true", "null", '"', '"x"', "[]", "[", '["a"]', "{}", " x", "x ", "a,b", "a;b", "a\tb", "a\r\nb", "\ufeffa",
              "=1+1", "\ud800", 1, -0.0, 12345678901234567890, True, False, None, [], ["a"], [1, "1", None], {}, {"b": {"c": [None]}, "a": "\""}]
    resources["mixed"] = [{"id": str(n) if n % 2 else n, "v": value, "": "nameless", **({"w": value} if n % 3 else {})} for n, value in enumerate(values, 1)]
    resources["kinds"] = [{"id": n, "number": n, "list": [n], "flag": n % 2 == 0, "note": None, "odd one": "text" if n == 2 else n} for n in range(1, 5)]
    return {**data(), **resources}


# Writes all collections, removes all records, and reads them again; names those that became others.
ROUND = """(async () => {
  const { csv } = await import(document.querySelector('script').src.replace('page.js', 'csv.js'));
  const { parse } = await import(document.querySelector('script').src.replace('page.js', 'data.js'));
  const sorted = (value) => (value && typeof value === "object" && !Array.isArray(value) && !JSON.isRawJSON(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value);
  const read = async (name) => parse(await (await fetch(`/${encodeURIComponent(name)}`)).text());
  const post = (name, body, more) => fetch(`/${encodeURIComponent(name)}`, { method: "POST", body, headers: { "Content-Type": "text/csv", ...more } });
  const before = new Map();
  for (const { name } of (await (await fetch("/__admin/resources")).json()).filter(({ kind }) => kind === "collection")) before.set(name, await read(name));
  const wrong = [];
  for (const [name, rows] of before) {
    const answer = await (await post(name, csv(rows), { "X-JSON-Server-Page": "preview" })).json();
    if (JSON.stringify(answer) !== '{"added":{},"changed":{}}') wrong.push([name, "onto itself", answer]);
  }
  for (const name of before.keys()) await fetch(`/${encodeURIComponent(name)}?_all=true`, { method: "DELETE" });
  for (const [name, rows] of before) {
    const { status } = await post(name, csv(rows), { "X-JSON-Server-Page": "undo" });
    const after = status === 201 ? await read(name) : [];
    const index = rows.findIndex((row, index) => JSON.stringify(row, (_, value) => sorted(value)) !== JSON.stringify(after[index], (_, value) => sorted(value)));
    if (index >= 0 || after.length !== rows.length) wrong.push([name, status, rows[index], after[index]]);
  }
  return JSON.stringify(wrong).slice(0, 2_000);
})()"""


class Transfer(Page):
    _data = staticmethod(every_value)

    def _drop(self, name, text):
        self._value(f"""(() => {{ const files = new DataTransfer(); files.items.add(new File([{json.dumps(text)}], "{name}"));
            {by_id('records')}.dispatchEvent(new DragEvent("drop", {{ dataTransfer: files, bubbles: true, cancelable: true }})); }})()""")

    def _exported(self):
        """The download of the rows that the page shows."""
        self._value("window.saved = ''; URL.createObjectURL = (blob) => { blob.text().then((text) => { saved = text; }); return '#'; }; 0")
        self._value("document.querySelector('#columns .pick input').click()")
        self._press("Export CSV", by_id("selection"))
        self._wait("saved", "a file")
        return self._value("saved")

    def an_exported_file_changes_nothing_when_it_is_added(self):
        before = self._request("GET", "/messy")
        self._show("#records/messy")
        self._drop("messy.csv", self._exported())
        self._wait(f"{by_id('status')}.innerText || {by_id('confirm')}.open", "what the page says to it")
        if self._value(f"{by_id('confirm')}.open"):
            self._answer("Add")
            self._wait_text("status", "Added")
        assert self._request("GET", "/messy") == before, "The records are others."
        self._wait_text("status", "adds and changes nothing in messy")

    def what_a_file_changes_is_said_before_and_undone_as_a_whole(self):
        before = self._request("GET", "/wide")
        self._show("#records/wide")
        self._drop("rows.csv", "id,column 1,new\n1,changed,x\n2,value 2 1,\n9,new,y\n10,new,y\n")
        self._wait_text("confirm-text", "2 new, 1 changed. No record of wide has new so far.")
        assert self._request("GET", "/wide") == before, "The question has changed something."
        self._answer("Add")
        self._wait_text("status", "Added 2 to wide, changed 1 record of wide")
        assert len(self._request("GET", "/wide")) == len(before) + 2 and self._request("GET", "/wide/1")["new"] == "x"
        self._press("Undo", by_id("status"))
        self._wait_text("status", "rows.csv undone")
        assert self._request("GET", "/wide") == before, "The records are not as before."

    def semicolons_separate_values_too(self):
        self._show("#records/wide")
        self._drop("rows.csv", "id;column 1\n11;a,b\n")
        self._wait(f"{by_id('confirm')}.open", "a question")
        assert self._text("confirm-text") == "1 new.", self._text("confirm-text")
        self._answer("Add")
        self._wait_text("status", "Added 1 to wide")
        assert self._request("GET", "/wide/11") == {"id": 11, "column 1": "a,b"}

    def a_file_of_another_resource_is_refused(self):
        before = self._request("GET", "/wide")
        self._show("#records/wide")
        self._drop("rows.json", '{"wyde": [{"a": 1}]}')
        self._wait(f"{by_id('status')}.innerText || {by_id('confirm')}.open", "what the page says to it")
        assert "rows.json has wyde, but not wide" in self._text("status"), self._text("confirm-text")
        assert self._request("GET", "/wide") == before

    def what_was_deleted_and_imported_has_its_id_also_zero(self):
        before = self._request("GET", "/bookmarks/0")
        self._show("#records/bookmarks")
        self._request("DELETE", "/bookmarks/0")
        # One record is a file, too.
        self._drop("bookmark.json", json.dumps(before))
        self._answer("Add")
        self._wait_text("status", "Added 1 to bookmarks")
        assert self._request("GET", "/bookmarks/0") == before

    def every_fixture_is_the_same_after_it_was_a_file(self):
        self._show("#records/mixed")
        wrong = self._value(ROUND)
        assert wrong == "[]", wrong


class OtherDialect(Page):
    """A server that follows json-server 1.0, whose ids are texts, while references may be numbers."""

    _options = ("--compat", "v1")

    _drop = Transfer._drop

    def records_are_imported_with_their_ids(self):
        self._show("#records/users")
        self._drop("users.json", '[{"id": 0, "name": "zero"}, {"id": "1", "name": "changed"}]')
        self._wait(f"{by_id('status')}.innerText || {by_id('confirm')}.open", "what the page says to it")
        assert self._text("confirm-text") == "1 new, 1 changed.", self._text("status")
        self._answer("Add")
        self._wait_text("status", "Added 1 to users, changed 1 record of users")
        assert [self._request("GET", f"/users/{key}")["name"] for key in "01"] == ["zero", "changed"]

    def a_reference_that_is_chosen_stays_a_number(self):
        self._show("#records/posts/1")
        self._click("record-edit")
        field = "document.querySelector('#record-fields [data-field=userId] select')"
        self._wait(field, "the form")
        self._value(f"{field}.value = '3'; 0")
        self._submit("record-form")
        self._wait(f"{by_id('record-form')}.hidden", "it is saved")
        assert self._request("GET", "/posts/1")["userId"] == 3
