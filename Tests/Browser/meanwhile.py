"""Events while the page is open: the file is edited, the server restarts, other clients write."""

import json

from page import Page, by_id
from requestlog import LINES

FIELD = "document.querySelector('.in-cell')"


class Meanwhile(Page):
    def _rewrite(self, change):
        """Edits the file as an editor does."""
        value = json.loads(self._server.file.read_text())
        change(value)
        self._server.file.write_text(json.dumps(value, indent=2))

    def an_open_record_follows_the_file(self):
        self._show("#records/users/1")
        self._rewrite(lambda value: value["users"][0].update(name="Ada of the file"))
        self._wait_text("record-json", "Ada of the file")

    def titles_follow_the_file(self):
        self._show("#records/posts")
        self._wait(f"{self._cell(3, 'userId')}.innerText.includes('Ada of the file')", "the title")
        self._rewrite(lambda value: value["users"][0].update(name="Ada once more"))
        self._wait(f"{self._cell(3, 'userId')}.innerText.includes('Ada once more')", "the title that the file has now", 10)

    def titles_and_counts_follow_other_clients(self):
        count = "document.querySelector('tr[data-id=\"3\"] .count-cell').innerText"
        self._wait(f"{count} === '2'", "the count")
        self._request("PATCH", "/users/1", {"name": "Ada of another client"})
        self._wait(f"{self._cell(3, 'userId')}.innerText.includes('Ada of another client')", "the title", 10)
        self._request("POST", "/comments", {"body": "one more", "postId": 3})
        self._wait(f"{count} === '3'", "the count", 10)

    def a_list_that_was_hidden_shows_what_is_there_now(self):
        self._value("location.hash = '#log'; 0")
        self._request("PATCH", "/posts/1", {"title": "changed while hidden"})
        self._wait_text("log-list", "PATCH")
        self._value("location.hash = '#records/posts'; 0")
        self._wait(self._row_with("changed while hidden"), "the change", 10)

    def a_single_object_that_is_edited_tells_of_a_change(self):
        self._go("#records/profile")
        self._wait(f"{by_id('object-json')}.innerText.includes('dark')", "the object")
        self._click("object-edit")
        self._wait("document.querySelector('#record-fields [data-field]')", "the form")
        self._request("PATCH", "/profile", {"theme": "light"})
        self._wait_text("record-notice", "changed elsewhere")

    def a_record_stays_open_when_its_page_goes(self):
        self._open_editor("#records/wide/3?_limit=2&_page=2", '{"title": "unsaved"}')
        self._request("DELETE", "/wide/3")
        self._wait(f"{by_id('confirm')}.open || {by_id('page-number')}.max === '1'", "the page before")
        assert self._value(f"!{by_id('confirm')}.open && !{by_id('record-form')}.hidden"), "It offers to discard what nobody leaves."

    def a_form_stays_when_its_resource_leaves_the_file(self):
        self._open_editor("#records/users/2", '{"name": "unsaved"}')
        text = self._server.file.read_text()
        self._rewrite(lambda value: value.pop("users"))
        try:
            self._wait("![...document.querySelectorAll('#resources a')].some((e) => e.innerText.startsWith('users'))", "users is gone")
            assert self._value(f"!{by_id('record-form')}.hidden && {by_id('record-text')}.value.includes('unsaved')"), "The text is gone."
        finally:
            self._server.file.write_text(text)
        self._wait("[...document.querySelectorAll('#resources a')].some((e) => e.innerText.startsWith('users'))", "users is back")
        self._wait(f"{by_id('record-save')}.innerText === 'Save'", "so is the record")
        self._submit("record-form")
        self._wait(f"{by_id('record-form')}.hidden", "it is saved after all")
        assert self._request("GET", "/users/2")["name"] == "unsaved"

    def a_cell_is_saved_when_the_person_goes_back(self):
        self._show("#records/users")
        self._value("location.hash = '#records/posts'; 0")
        self._edit(1, "title")
        self._value(f"{FIELD}.value = 'typed before Back'; history.go(-2)")
        self._wait(self._row_with("Chris Lattner"), "the list before")
        self._wait(f"!{FIELD} && !document.querySelector('.skeleton')", "its rows")
        self._value("location.hash = '#records/posts'; 0")
        self._wait(self._row_with("typed before Back"), "the title is saved", 5)

    def a_cell_is_saved_in_a_browser_that_tells_nothing_of_its_removal(self):
        self._show("#records/posts")
        self._edit(2, "title")
        self._value("addEventListener('blur', (event) => event.stopImmediatePropagation(), true)")
        self._value(f"{FIELD}.value = 'typed in Firefox'; location.hash = '#records/users'; 0")
        self._wait(self._row_with("Chris Lattner"), "users")
        self._value("location.hash = '#records/posts'; 0")
        self._wait(self._row_with("typed in Firefox"), "the title is saved", 5)

    def a_cell_that_has_left_blocks_no_other(self):
        self._show("#records/posts")
        self._edit(2, "views")
        self._value(f"{FIELD}.value = 'no number'; location.hash = '#records/users'; 0")
        self._wait_text("status", "no number is not a number")
        self._wait(self._row_with("Chris Lattner"), "users")
        self._edit(3, "name")
        self._browser.press("Escape", virtual=27)

    def closing_the_page_asks_while_a_cell_is_edited(self):
        self._show("#records/posts")
        self._edit(2, "title")
        self._value(f"{FIELD}.value = 'typed'; 0")
        self._browser.dialogs.clear()
        self._browser.open("about:blank")
        assert self._browser.dialogs == ["beforeunload"], f"It asked {self._browser.dialogs}."

    def the_log_is_that_of_the_server_that_runs(self):
        self._request("GET", "/posts?before")
        self._show("#records/posts")
        self._wait_text("log-list", "/posts?before")
        self._server.stop()
        self._wait_text("banners", "does not answer")
        self._server.start()
        self._request("GET", "/users?after")
        self._wait(f"{by_id('banners')}.innerText === ''", "the banner goes")
        self._wait_text("log-list", "/users?after")
        self._wait(f"{LINES}.every((e) => !e.innerText.includes('before'))", "what the server before was asked has gone", 10)

    def a_delay_that_is_being_typed_stays(self):
        self._show("#server")
        self._wait(f"{by_id('delay')}.value === '0'", "the delay")
        self._fill("delay", "250")
        self._request("POST", "/__admin/snapshots", {"name": "meanwhile"})
        self._request("GET", "/posts?n=2")
        self._wait_text("snapshots", "meanwhile")
        assert self._value(f"{by_id('delay')}.value") == "250", "What was typed is gone."

    def the_focus_stays_when_requests_come(self):
        self._show("#server")
        button = "document.querySelector('[aria-label=\"Restore meanwhile\"]')"
        self._wait(button, "a button")
        self._value(f"{button}.focus()")
        self._request("POST", "/__admin/faults", {"status": 503, "path": "/meanwhile"})
        self._request("GET", "/posts?n=3")
        self._wait_text("rules", "/meanwhile")
        assert self._value(f"document.activeElement === {button}"), "The focus is lost."

    def the_focus_stays_on_a_resource_when_its_count_changes(self):
        self._show("#records/users")
        self._value("document.querySelector('#resources a').focus()")
        self._request("POST", "/posts", {"title": "one more"})
        self._wait("document.querySelector('#resources a').innerText.includes('46')", "the count")
        assert self._value("document.activeElement === document.querySelector('#resources a')"), "The focus is lost."

    def what_is_exported_is_what_is_there_now(self):
        self._show("#records/users")
        self._value("for (const key of [1, 3]) document.querySelector(`tr[data-id=\"${key}\"] .pick input`).click()")
        self._request("PATCH", "/users/1", {"name": "Ada since then"})
        self._wait(self._row_with("Ada since then"), "the change")
        self._value("window.saved = ''; URL.createObjectURL = (blob) => { blob.text().then((text) => { saved = text; }); return '#'; }; 0")
        self._press("Export CSV", by_id("selection"))
        self._wait("saved", "a file")
        assert "Ada since then" in self._value("saved"), self._value("saved")

    def what_another_client_deleted_is_not_selected(self):
        self._show("#records/posts")
        self._value("for (const key of [1, 3]) document.querySelector(`tr[data-id=\"${key}\"] .pick input`).click()")
        self._wait_text("selection", "2 selected")
        self._request("DELETE", "/posts/3")
        self._wait_text("selection", "1 selected")
