"""No work is lost: not to Escape, Back, another client, an impatient finger or a wrong deletion."""

import json

from page import Page, by_id, quoted

OPEN = f"{by_id('record')}.open"


class Safety(Page):
    def escape_asks_before_changes_go(self):
        self._open_editor("#records/posts/1", '{"title": "unsaved"}')
        self._browser.press("Escape", virtual=27)
        self._answer("Cancel")
        assert self._value(f"{by_id('record-text')}.value.includes('unsaved')"), "The text is gone."
        self._browser.press("Escape", virtual=27)
        self._answer("Discard")
        self._wait(f"!{OPEN}", "the form has closed")

    def escape_does_not_ask_without_changes(self):
        self._show("#records/posts/1")
        self._click("record-edit")
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{OPEN}", "the form has closed")

    def back_asks_before_changes_go(self):
        self._show("#records/users")
        self._value("location.hash = '#records/posts'; 0")
        self._wait(self._row_with("Post 1"), "posts")
        self._click("record-new")
        self._fill("record-text", '{"title": "unsaved"}')
        self._value("history.back()")
        self._answer("Cancel")
        assert self._value(f"{OPEN} && location.hash === '#records/posts'"), "Back left the form."
        self._value("history.back()")
        self._answer("Discard")
        self._wait(f"!{OPEN} && {self._row_with('Grace Hopper')}", "the list before")

    def closing_the_page_asks_before_changes_go(self):
        self._open_editor("#records/posts/1", '{"title": "unsaved"}')
        self._browser.dialogs.clear()
        self._browser.open("about:blank")
        assert self._browser.dialogs == ["beforeunload"], f"It asked {self._browser.dialogs}."

    def a_double_click_on_save_makes_one_record(self):
        self._show("#records/users")
        self._click("record-new")
        self._fill("record-text", '{"name": "once"}')
        self._value(f"{by_id('record-form')}.requestSubmit(); {by_id('record-form')}.requestSubmit()")
        assert self._value(f"{by_id('record-save')}.disabled && {by_id('record-save')}.textContent") == "Saving …", "Save does not show that it saves."
        self._wait(self._row_with("once"), "the record")
        assert len(self._request("GET", "/users?name=once")) == 1, "It is there twice."

    def a_form_stays_while_it_is_saved(self):
        self._open_editor("#records/users/3", '{"name": "saved slowly"}')
        self._server.stall()
        try:
            self._submit("record-form")
            self._wait(f"{by_id('record-save')}.disabled", "it is being saved")
            self._browser.press("Escape", virtual=27)
            assert self._value(f"{OPEN} && !{by_id('confirm')}.open"), "It offers to discard what is being saved."
        finally:
            self._server.resume()
        self._wait(f"{by_id('record-form')}.hidden", "it is saved")
        assert self._request("GET", "/users/3")["name"] == "saved slowly"

    def both_versions_are_shown_when_another_client_was_faster(self):
        self._show("#records/users/2")
        self._click("record-edit")
        self._request("PATCH", "/users/2", {"name": "theirs", "role": "admin"})
        self._fill("record-text", json.dumps({"id": 2, "name": "mine", "age": 7}))
        self._submit("record-form")
        self._wait_text("confirm", "Take theirs")
        self._wait_text("confirm", "theirs")
        assert self._request("GET", "/users/2")["name"] == "theirs", "Their change was overwritten."
        self._value("document.querySelector('[aria-label=\"Theirs: name\"]').click()")
        self._answer("Save this version")
        self._wait(f"{by_id('record-form')}.hidden", "the record is saved")
        found = self._request("GET", "/users/2")
        assert found == {"id": 2, "name": "theirs", "role": "admin", "age": 7}, f"The versions became {found}."

    def the_same_change_by_two_is_no_conflict(self):
        self._open_editor("#records/users/2", json.dumps({"id": 2, "name": "theirs", "role": "admin", "age": 8}))
        self._request("PATCH", "/users/2", {"age": 8})
        self._submit("record-form")
        self._wait(f"{by_id('record-form')}.hidden && !{by_id('confirm')}.open", "it is saved", 5)

    def an_answer_with_another_record_is_not_edited(self):
        self._show("#records/posts")
        self._value("window.kept = fetch; window.fetch = (url, options) => kept(String(url).replace(/posts.1$/, 'posts/2'), options); 0")
        self._value(f"{self._cell(1, 'title')}.dispatchEvent(new MouseEvent('dblclick', {{ bubbles: true }}))")
        self._wait_text("status", "something else")
        assert not self._value("document.querySelector('.in-cell')"), "It is edited."
        self._value("location.hash = '#records/posts/1'; 0")
        self._wait_text("record-notice", "something else")

    def nothing_is_edited_before_it_is_read(self):
        self._show("#records/users")
        self._server.stall()
        try:
            self._value("location.hash = '#records/users/1'; 0")
            self._wait_text("record-notice", "Reading")
            assert not self._value(f"{by_id('record-edit')}.checkVisibility()"), "It can be edited."
        finally:
            self._server.resume()
        self._wait(f"{by_id('record-edit')}.checkVisibility()", "it can be edited at last")

    def keeping_mine_keeps_all_of_mine(self):
        self._open_editor("#records/users/1", json.dumps({"id": 1, "name": "mine"}))
        self._request("PATCH", "/users/1", {"name": "theirs"})
        self._submit("record-form")
        self._press("Keep mine", by_id("confirm"))
        self._answer("Save this version")
        self._wait(f"{by_id('record-form')}.hidden", "the record is saved")
        assert self._request("GET", "/users/1")["name"] == "mine", "Theirs stayed."

    def a_record_deleted_meanwhile_can_be_saved_as_new(self):
        made = self._request("POST", "/users", {"name": "short-lived"})["id"]
        self._show(f"#records/users/{made}")
        self._wait_text("record-json", "short-lived")
        self._click("record-edit")
        self._fill("record-text", json.dumps({"id": made, "name": "kept"}))
        self._request("DELETE", f"/users/{made}")
        self._wait_text("record-notice", "deleted elsewhere")
        self._press("Save as new")
        self._wait(f"!{OPEN}", "the record is saved")
        assert self._request("GET", f"/users/{made}")["name"] == "kept", "It is not there."

    def a_change_of_the_id_is_explained(self):
        self._open_editor("#records/users/3", json.dumps({"id": 77, "name": "copy"}))
        self._wait_text("record-notice", "Save keeps the id 3")
        self._press("Save as new, with 77")
        self._wait(f"!{OPEN}", "the record is saved")
        assert self._request("GET", "/users/77")["name"] == "copy" and self._request("GET", "/users/3")["name"] != "copy"

    def a_deletion_says_in_numbers_what_goes_with_it_and_is_undone_as_a_whole(self):
        before = self._request("GET", "/db")
        self._show("#records/posts/1")
        self._click("record-delete")
        self._wait_text("confirm-text", "2 comments will also be deleted.")
        self._answer("Delete")
        self._wait_text("status", "Deleted posts / 1")
        assert self._server.status("/posts/1") == 404 and self._server.status("/comments/1") == 404, "They are still there."
        self._press("Undo", by_id("status"))
        self._wait_text("status", "posts / 1 put back")
        assert self._request("GET", "/db") == before, "The data is not as before."
        self._wait(self._row_with("Post 1"), "the record in the table")

    def a_deletion_that_takes_long_closes_no_other_record(self):
        self._show("#records/posts/41")
        self._click("record-delete")
        self._wait(f"{by_id('confirm')}.open", "a question")
        self._hold("deletions")
        self._answer("Delete")
        self._value("location.hash = '#records/posts/42'; 0")
        self._wait_text("record-json", "Post 42")
        self._click("record-edit")
        self._release()
        self._wait_text("status", "Deleted posts / 41")
        assert self._value(f"{OPEN} && !{by_id('record-form')}.hidden"), "The form has closed."

    def a_deletion_is_not_undone_over_what_came_since(self):
        before = self._request("GET", "/posts/40")
        self._show("#records/posts/40")
        self._click("record-delete")
        self._answer("Delete")
        self._wait_text("status", "Deleted posts / 40")
        self._request("POST", "/posts", {**before, "title": "theirs"})
        self._press("Undo", by_id("status"))
        self._wait_text("status", "Another record of posts has the id 40 now")
        assert self._request("GET", "/posts/40")["title"] == "theirs", "Theirs is gone."

    def a_deletion_says_that_nothing_refers_to_a_record(self):
        self._show("#records/comments/9")
        self._click("record-delete")
        self._wait_text("confirm-text", "No other record refers to it.")
        self._answer("Cancel")
        assert self._server.status("/comments/9") == 200, "It is gone."

    def a_cell_changed_by_another_client_is_not_overwritten(self):
        self._show("#records/posts")
        self._edit(2, "title")
        self._request("PATCH", "/posts/2", {"title": "theirs"})
        self._value("document.querySelector('.in-cell').value = 'mine'; 0")
        self._browser.press("Enter", virtual=13, text="\r")
        self._wait_text("confirm", "theirs")
        self._answer("Cancel")
        assert self._request("GET", "/posts/2")["title"] == "theirs", "Theirs is gone."

    def what_was_typed_survives_a_server_that_is_gone(self):
        self._open_editor("#records/posts/3", '{"title": "typed"}')
        self._server.stop()
        try:
            self._submit("record-form")
            self._wait_text("record-error", "does not answer")
            assert self._value(f"{by_id('record-text')}.value") == '{"title": "typed"}' and self._value(OPEN), "The text is gone."
        finally:
            self._server.start()
        self._submit("record-form")
        self._wait(f"{by_id('record-form')}.hidden", "it is saved after all")
        assert self._request("GET", "/posts/3")["title"] == "typed", f"Another title: {quoted('typed')}"
