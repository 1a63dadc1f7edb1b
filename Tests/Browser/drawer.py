"""Users edit a record as a form, by the kind of each value, or as JSON. Only changes are saved."""

import json

from page import ROWS, Page, by_id
from server import data

HASH = "decodeURIComponent(location.hash)"


class Drawer(Page):
    @staticmethod
    def _data():
        value = data()
        value["posts"][3]["views"] = 68.50
        value["posts"][3]["place"] = {"city": "Basel", "at": [47.5, 7.6]}
        return {**value, "tags": [{"id": n, "title": f"Tag {n}"} for n in range(1, 701)], "uses": [{"id": 1, "tagId": 7, "note": "old\r\nnote"}]}

    def _field(self, name):
        return f"document.querySelector('#record-fields [data-field={json.dumps(name)}] :is(input, select, textarea)')"

    def _set(self, name, text):
        self._value(f"(() => {{ const e = {self._field(name)}; e.value = {json.dumps(text)}; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); }})()")

    def _open(self, place):
        self._show(place)
        self._click("record-edit")
        self._wait("document.querySelector('#record-fields [data-field]')", "the form")
        self._value("window.sent = []; window.kept ??= fetch; window.fetch = (url, options) => { if (options.method !== 'GET') sent.push([options.method, new URL(url).pathname, options.body]); return kept(url, options); }; 0")

    def _save(self):
        self._submit("record-form")
        self._wait(f"{by_id('record-form')}.hidden", f"it is saved; the page says “{self._text('record-error')}”")
        return [[method, path, json.loads(body)] for method, path, body in self._value("sent")]

    def each_kind_of_value_has_its_input(self):
        self._open("#records/posts/4")
        kinds = self._value("Object.fromEntries([...document.querySelectorAll('#record-fields [data-field]')].map((e) => [e.dataset.field, (({ tagName, type }) => `${tagName} ${type}`)(e.querySelector('input, select, textarea'))]))")
        expected = {"title": "INPUT text", "views": "INPUT text", "published": "INPUT checkbox", "date": "INPUT date", "userId": "SELECT select-one",
                    "url": "INPUT text", "tags": "INPUT text", "place": "INPUT text", "place.city": "INPUT text", "place.at": "TEXTAREA textarea"}
        assert kinds == expected, kinds
        assert not self._value(f"{self._field('place')}.checkVisibility()"), "What is nested is not folded."

    def what_was_changed_is_saved_as_one_patch(self):
        self._set("title", "by form")
        self._set("userId", "3")
        self._set("place.city", "Bern")
        self._set("place.at", "[47.0, 7.4]")
        sent = self._save()
        assert sent == [["PATCH", "/posts/4", {"title": "by form", "userId": 3, "place": {"city": "Bern", "at": [47.0, 7.4]}}]], sent
        assert '"views": 68.5' in self._server.file.read_text(), "A number that was not touched has lost a digit."

    def a_field_is_removed_and_another_added(self):
        self._open("#records/posts/4")
        self._value("document.querySelector('[aria-label=\"Remove place\"]').click(); document.querySelector('[aria-label=\"Name of another field\"]').value = 'a/b'; 0")
        self._press("Add field", by_id("record-fields"))
        self._wait(self._field("a/b"), "the new field")
        self._set("a/b", "new")
        self._value("document.querySelector('[aria-label=\"Name of another field\"]').value = 'count'; 0")
        self._value("document.querySelector('[aria-label=\"Kind of the other field\"]').value = 'number'; 0")
        self._press("Add field", by_id("record-fields"))
        self._wait(self._field("count"), "the number's field")
        self._set("count", "5")
        assert len(self._save()) == 1
        found = self._request("GET", "/posts/4")
        assert found["a/b"] == "new" and found["count"] == 5 and "place" not in found, found

    def texts_are_chips(self):
        self._open("#records/posts/4")
        field = self._field("tags")
        self._value(f"{field}.focus()")
        for text in ["one", "two"]:
            self._browser.type(text)
            self._browser.press("Enter", virtual=13, text="\r")
        self._value("document.querySelector('[aria-label=\"Remove swift\"]').click()")
        assert self._save() == [["PATCH", "/posts/4", {"tags": ["one", "two"]}]]

    def what_is_wrong_is_said_where_it_is(self):
        self._request("PATCH", "/posts/5", {"place": {"at": [1]}})
        self._open("#records/posts/5")
        self._set("views", "many")
        self._submit("record-form")
        self._wait_text("record-error", "views: many is not a number")
        self._set("views", "7")
        self._value(f"{self._field('place.at')}.value = '[oops'; 0")
        self._submit("record-form")
        self._wait_text("record-error", "place.at: This is not JSON")
        self._wait(f"document.activeElement === {self._field('place.at')}", "the focus in what is wrong")
        self._browser.press("Escape", virtual=27)
        self._answer("Discard")

    def both_ways_edit_the_same_record(self):
        self._open("#records/posts/6")
        self._set("title", "first in the form")
        self._show_json()
        assert json.loads(self._value(f"{by_id('record-text')}.value"))["title"] == "first in the form"
        self._value(f"{by_id('record-text')}.value = {by_id('record-text')}.value.replace('first', 'then'); {by_id('record-tab-form')}.click()")
        self._wait(f"{self._field('title')}?.checkVisibility() && {self._field('title')}.value === 'then in the form'", "the form again")
        assert self._save() == [["PATCH", "/posts/6", {"title": "then in the form"}]]

    def nothing_is_sent_when_nothing_was_changed(self):
        self._open("#records/posts/7")
        assert self._save() == []

    def one_of_many_is_found_by_its_title(self):
        self._open("#records/uses/1")
        self._set("tagId", "Tag 65")
        self._wait("[...document.querySelectorAll('#record-fields datalist option')].some((e) => e.text.startsWith('Tag 650 '))", "titles that fit")
        self._set("tagId", "650")
        assert self._save() == [["PATCH", "/uses/1", {"tagId": 650}]]

    def the_ends_of_lines_stay(self):
        self._open("#records/uses/1")
        self._set("note", "new\nnote")
        assert self._save() == [["PATCH", "/uses/1", {"note": "new\r\nnote"}]]

    def a_form_that_comes_late_replaces_no_other(self):
        self._show("#records/posts/1")
        self._hold("users.*_end")
        self._click("record-edit")
        self._wait("window.release", "the titles are read")
        self._click("record-cancel")
        self._value("location.hash = '#records/posts/2'; 0")
        self._wait_text("record-json", "Post 2")
        self._click("record-edit")
        self._wait(f"{self._field('title')}?.value === 'Post 2'", "the form")
        self._release()
        assert self._value(f"{self._field('title')}.value") == "Post 2", "The form has another record."
        self._click("record-cancel")

    def a_new_record_is_made_in_the_form(self):
        self._show("#records/users")
        self._click("record-new")
        self._wait(self._field("name"), "the form")
        self._set("name", "from the form")
        self._submit("record-form")
        self._wait(self._row_with("from the form"), "the record")
        [made] = self._request("GET", "/users?name=from+the+form")
        assert made == {"name": "from the form", "id": 4}, made

    def closing_what_was_not_changed_asks_nothing(self):
        self._open("#records/users/4")
        self._show_json()
        self._value(f"{by_id('record-tab-form')}.focus(); {by_id('record-tab-form')}.click()")
        self._wait(f"{self._field('name')}?.checkVisibility()", "the form again")
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{by_id('record')}.open", "the record has closed")

    def the_list_keeps_its_place(self):
        place = "#records/posts?views_gte=0&_sort=-id&_page=2"
        self._show(place)
        first = self._value(f"{ROWS}[3].dataset.id")
        self._value(f"{ROWS}[3].querySelector('td:nth-child(2) a').click()")
        self._wait(f"{by_id('record-edit')}.checkVisibility()", "the record")
        self._click("record-edit")
        self._wait(self._field("title"), "the form")
        self._set("title", "kept its place")
        self._submit("record-form")
        self._wait_text("record-json", "kept its place")
        self._click("record-close")
        self._wait(f"!{by_id('record')}.open && {HASH} === {json.dumps(place)}", "the list's address")
        self._wait(f"{ROWS}[3].dataset.id === '{first}' && {ROWS}[3].innerText.includes('kept its place')", "the record where it was")
