"""Actions on many records, in a list with a filter and an order, change exactly these records."""

import json

from page import ROWS, Page, by_id, quoted
from transfer import Transfer

FIELD = "document.querySelector('.in-cell')"
HASH = "decodeURIComponent(location.hash)"


class Lists(Page):
    def _tick(self, *keys):
        for key in keys:
            self._value(f"document.querySelector('tr[data-id=\"{key}\"] .pick input').click()")

    def a_new_record_refers_to_none(self):
        self._show("#records/comments")
        self._click("record-new")
        self._show_json()
        assert json.loads(self._value(f"{by_id('record-text')}.value"))["postId"] is None, self._value(f"{by_id('record-text')}.value")

    def saving_keeps_the_filter_and_the_order(self):
        place = "#records/posts?title_contains=Post&_sort=-id"
        self._show(place)
        self._click("record-new")
        self._fill("record-text", '{"title": "Post new"}')
        self._submit("record-form")
        self._wait(f"!{by_id('record')}.open", "the record is saved")
        self._wait(self._row_with("Post new"), "the record in the list")
        assert self._value(HASH) == place, self._value(HASH)
        self._press("Show", by_id("status"))
        self._wait_text("record-json", "Post new")
        self._request("DELETE", "/posts/46")

    def what_a_filter_hides_is_not_deleted(self):
        self._show("#records/posts")
        self._tick(1, 2)
        self._wait_text("selection", "2 selected")
        self._value("location.hash = '#records/posts?title=Post+5'; 0")
        self._wait(f"{ROWS}.length === 1", "one post")
        self._tick(5)
        self._wait_text("selection", "1 selected")

    def all_that_match_are_chosen(self):
        self._show("#records/posts?published=true")
        expected = len(self._request("GET", "/posts?published=true"))
        self._value("document.querySelector('#columns .pick input').click()")
        self._press(f"Select all {expected} that match", by_id("selection"))
        self._wait_text("selection", f"{expected} selected")
        self._press("Delete", by_id("selection"))
        self._answer("Delete")
        self._wait_text("status", f"Deleted {expected} posts")
        assert self._request("GET", "/posts?published=true") == []
        self._press("Undo", by_id("status"))
        self._wait_text("status", f"{expected} posts put back")

    def all_that_match_are_chosen_in_no_other_list(self):
        self._show("#records/posts")
        self._value("document.querySelector('#columns .pick input').click()")
        self._hold("_fields")
        self._press("Select all", by_id("selection"))
        self._value("location.hash = '#records/comments'; 0")
        self._wait(self._row_with("Comment 1"), "comments")
        self._release()
        assert self._value(f"{by_id('selection')}.hidden"), self._text("selection")

    def undo_stays_beside_the_next_message(self):
        self._show("#records/posts")
        self._tick(9)
        self._press("Delete", by_id("selection"))
        self._answer("Delete")
        self._wait_text("status", "Deleted posts / 9")
        self._value("import(document.querySelector('script').src.replace('page.js', 'messages.js')).then(({ announce }) => { announce('something else'); window.said = true; }); 0")
        self._wait("window.said", "the next message")
        self._press("Undo", by_id("status"))
        self._wait_text("status", "put back")
        assert self._server.status("/posts/9") == 200

    def messages_leave_the_bar_of_a_selection_free_and_do_not_pile_up(self):
        self._show("#records/comments")
        for key in [51, 52, 53]:
            self._request("POST", "/__admin/deletions", {"resource": "comments", "ids": [key]})
        self._value("import(document.querySelector('script').src.replace('page.js', 'messages.js')).then(({ announceUndo }) => { for (const n of [1, 2, 3]) announceUndo(`Deleted ${n}`, n, 'done'); window.said = true; }); 0")
        self._wait("window.said", "three messages")
        assert self._value(f"{by_id('status')}.children.length") == 1, self._text("status")
        self._tick(1)
        self._wait_text("selection", "1 selected")
        bottom, top = self._value(f"[{by_id('status')}.getBoundingClientRect().bottom, {by_id('selection')}.getBoundingClientRect().top]")
        assert bottom <= top, f"The message ends at {bottom}, the bar begins at {top}."

    def a_new_record_has_the_values_of_the_filters(self):
        self._show("#records/posts?userId=2&published=false&title_contains=Post")
        self._click("record-new")
        self._show_json()
        value = json.loads(self._value(f"{by_id('record-text')}.value"))
        assert (value["userId"], value["published"], value["title"]) == (2, False, ""), value
        self._click("record-cancel")

    def an_emptied_collection_knows_its_members(self):
        self._show("#records/files")
        self._request("DELETE", "/files/1")
        self._wait_text("records-note", "No records yet")
        self._click("record-new")
        self._wait("document.querySelector('#record-fields [data-field=name]')", "the member of the others")
        self._click("record-cancel")
        self._request("POST", "/files", {"name": "small"})

    def undo_is_reached_before_an_open_record(self):
        self._show("#records/posts")
        self._tick(9)
        self._press("Delete", by_id("selection"))
        self._answer("Delete")
        self._wait_text("status", "Deleted posts / 9")
        self._value("location.hash = '#records/posts/1'; 0")
        self._wait_text("record-json", "Post 1")
        self._mouse("document.querySelector('#status button')")
        self._wait_text("status", "put back")
        self._click("record-close")
        self._wait_text("status", "put back")

    def a_conflict_that_is_cancelled_keeps_the_text_in_the_cell(self):
        self._show("#records/posts")
        self._edit(2, "title")
        self._request("PATCH", "/posts/2", {"title": "theirs"})
        self._value(f"{FIELD}.value = 'mine'; 0")
        self._browser.press("Enter", virtual=13, text="\r")
        self._wait_text("confirm", "theirs")
        self._answer("Cancel")
        self._wait(f"{FIELD}?.value === 'mine' && document.activeElement === {FIELD}", "the text, and the focus in it")
        self._browser.press("Escape", virtual=27)

    def a_refused_cell_takes_keys(self):
        self._show("#records/posts")
        self._edit(3, "title")
        self._value(f"{FIELD}.value = 'mine'; 0")
        self._request("PATCH", "/__admin/settings", {"readOnly": True})
        try:
            # The response is slow, so that the browser draws the page first.
            self._server.stall()
            self._browser.press("Enter", virtual=13, text="\r")
            self._wait(f"{FIELD}.disabled", "it is being saved")
            self._wait("document.activeElement === document.body", "the focus has left it")
            self._server.resume()
            self._wait_text("status", "read-only")
        finally:
            self._server.resume()
            self._request("PATCH", "/__admin/settings", {"readOnly": False})
        self._browser.press("End", virtual=35)
        self._browser.press("s", code="KeyS", virtual=83, text="s")
        self._browser.press("Enter", virtual=13, text="\r")
        self._wait(self._row_with("mines"), "what was typed after the refusal", 10)

    def a_text_that_the_browser_cannot_read_is_carried_out_by_nobody(self):
        self._show("#records/posts")
        self._click("record-new")
        self._show_json()
        self._value(f"{by_id('record-text')}.value = '\\uFEFF{{\"resource\": \"posts\", \"ids\": [1]}}'; 0")
        self._value("window.asked = []; window.kept = fetch; window.fetch = (url, options) => { asked.push(`${options.method} ${url}`); return kept(url, options); }; 0")
        self._click("record-format")
        self._value("kept('/posts/1')")
        self._wait(f"!window.asked.some((e) => e.includes('deletions'))", "no request to delete anything", 2)
        assert self._server.status("/posts/1") == 200, "It was deleted."

    def a_filter_without_effect_says_so(self):
        self._show("#records/posts?titel=Swift")
        self._wait(f"{by_id('filters')}.innerText.includes('titel = Swift has no effect')", f"that titel means nothing: {self._text('filters')}", 5)

    def a_resource_that_is_not_there_shows_nothing_of_another(self):
        self._go("#records/nosuch/1")
        self._wait("document.querySelectorAll('#resources a').length > 0", "resources")
        self._wait(f"[...document.querySelectorAll('main h2')].some((e) => e.checkVisibility() && e.innerText.includes('nosuch')) && !{by_id('record')}.open",
                   "that there is no nosuch", 5)

    def columns_of_a_filter_are_chosen_from_a_list(self):
        self._show("#records/messy")
        self._click("filter-add")
        paths = self._value(f"[...{by_id('filter-name')}.options].map((e) => e.value)")
        assert {"id", "v", "x", "y", "y.deep"} <= set(paths), paths
        self._value(f"{by_id('filter-name')}.value = 'v'; {by_id('filter-value')}.value = '<b>two</b>'; {by_id('filter-form')}.requestSubmit()")
        self._wait(f"{ROWS}.length === 1 && !{by_id('filter-box')}.checkVisibility()", "the one record")

    def rows_a_page_are_chosen_and_a_page_is_typed(self):
        self._show("#records/posts?_sort=-id")
        self._value(f"{by_id('page-number')}.value = '3'; {by_id('page-number')}.dispatchEvent(new Event('change'))")
        self._wait(f"{ROWS}.length === 5 && {ROWS}[4].dataset.id === '1'", "the last page")
        self._value(f"{by_id('page-rows')}.value = '50'; {by_id('page-rows')}.dispatchEvent(new Event('change'))")
        self._wait(f"{ROWS}.length === 45", "all rows")
        assert self._value(HASH) == "#records/posts?_sort=-id", self._value(HASH)
        self._show("#records/comments")
        assert self._value(f"{ROWS}.length") == 50, "It is forgotten."
        self._value("localStorage.clear()")

    def rows_that_stay_the_same_stay_the_same_elements(self):
        self._show("#records/posts")
        self._value("window.rows = [...document.querySelectorAll('#rows tr')]; 0")
        self._request("PATCH", "/posts/2", {"views": 4711})
        self._wait(f"{self._cell(2, 'views')}.innerText === '4711'", "the change")
        kept = self._value("[...document.querySelectorAll('#rows tr')].filter((row) => window.rows.includes(row)).length")
        assert kept == 19, f"{kept} rows were kept."


class Sizes(Page):
    """60 columns, texts from right to left, a phone, records without an id of their own."""

    @staticmethod
    def _data():
        hebrew = "שלום " * 80
        return {"wide": [{"id": n, **{f"column {c}": f"value {n} {c}" for c in range(60)}} for n in range(1, 31)],
                "texts": [{"id": n, "title": hebrew if n == 1 else f"Text {n}", "views": n, "note": "short"} for n in range(1, 31)],
                "lines": [{"text": "a"}, {"text": "b"}], "words": ["a", "b", None], "twins": [{"id": 7, "title": "a"}, {"id": 7, "title": "b"}]}

    def each_record_has_a_row(self):
        for name, expected, boxes in [("lines", ["a", "b"], 0), ("words", ["a", "b", "null"], 0), ("twins", ["7 a", "7 b"], 1)]:
            self._show(f"#records/{name}")
            rows = self._value(f"{ROWS}.map((row) => row.innerText.trim().replace(/\\s+/g, ' '))")
            assert rows == expected, f"{name} has the rows {rows}."
            assert self._value("document.querySelectorAll('#rows .pick input').length") == boxes, f"Which of {name} would be selected?"

    def the_lines_below_rows_stand_on_pixels(self):
        for name in ["wide", "texts"]:
            self._show(f"#records/{name}")
            heights = self._value("[...document.querySelectorAll('thead tr, #rows tr')].map((e) => e.getBoundingClientRect().height)")
            assert all(height == int(height) for height in heights), f"Rows of {name} are {set(heights)} px high."

    def the_heads_tick_box_stays(self):
        self._show("#records/wide")
        self._value(f"{by_id('records-frame')}.scrollLeft = 600; 0")
        left = self._value(f"document.querySelector('#columns .pick').getBoundingClientRect().left - {by_id('records-frame')}.getBoundingClientRect().left")
        assert 0 <= left <= 2, f"It is at {left}."

    def the_first_row_is_few_tabs_away(self):
        self._show("#records/wide")
        self._value(f"{by_id('search')}.focus()")
        for count in range(1, 100):
            self._browser.press("Tab", virtual=9)
            if self._value("Boolean(document.activeElement.closest('#rows'))"):
                break
        assert count <= 8, f"{count} Tabs."
        self._value("document.querySelector('#columns button').focus()")
        self._browser.press("ArrowRight", virtual=39)
        assert self._value("document.activeElement.innerText") == "column 0", "The arrow does not lead to the next head."

    def the_first_tick_moves_nothing(self):
        self._show("#records/texts")
        top = f"{ROWS}[0].getBoundingClientRect().top"
        before = self._value(top)
        self._value("document.querySelector('#rows .pick input').click()")
        self._wait_text("selection", "1 selected")
        assert self._value(top) == before, f"From {before} to {self._value(top)}."

    def a_text_from_right_to_left_shows_its_beginning(self):
        self._show("#records/texts")
        shown = self._value(f"""(() => {{ const cell = {self._cell(1, 'title')}; const range = document.createRange();
            range.setStart(cell.firstChild, 0); range.setEnd(cell.firstChild, 1);
            const [letter, box] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
            return letter.left >= box.left - 1 && letter.right <= box.right + 1; }})()""")
        assert shown, "Its first letter is cut off."

    def a_phone_shows_cards_at_once(self):
        self._browser.resize(390, 844, mobile=True)
        self._show("#records/texts")
        top = self._value(f"{ROWS}[0].getBoundingClientRect().top")
        assert top < 422, f"The first row is at {top}."
        found = self._value("[...document.querySelectorAll('#rows tr:first-child [data-name]')].every((e) => e.getBoundingClientRect().right <= 390 && e.getBoundingClientRect().left >= 0)")
        assert found, "Values lie beside the screen."
        self._browser.resize(1280, 900)


class SignedIn(Page):
    """The server shows nobody a password."""

    _drop = Transfer._drop

    _options = ("--auth", "users")

    @staticmethod
    def _data():
        return {"users": [{"id": 1, "email": "ada@example.org", "password": "lovelace", "name": "Ada"}]}

    def a_new_user_has_a_password(self):
        self._show("#records/users")
        self._wait(f"{by_id('version')}.innerText", "the server's health")
        self._click("record-new")
        self._wait("document.querySelector('#record-fields [data-field=password]')", "the field")
        self._click("record-cancel")

    def a_request_is_tried_by_a_user(self):
        self._show("#try")
        self._wait(f"{by_id('sign-in')}.checkVisibility()", "where to sign in")
        gap = self._value(f"{by_id('try-form')}.getBoundingClientRect().top - {by_id('sign-in')}.getBoundingClientRect().bottom")
        assert gap >= 8, f"The forms stand {gap} px apart."
        self._fill("sign-in-email", "ada@example.org")
        self._fill("sign-in-password", "lovelace")
        self._submit("sign-in")
        self._wait(f"{by_id('try-headers')}.value.startsWith('Authorization: Bearer ')", "the token")

    def a_user_is_saved(self):
        self._open_editor("#records/users/1", json.dumps({"id": 1, "email": "ada@example.org", "name": "Ada Lovelace"}))
        self._submit("record-form")
        self._wait(f"{by_id('record-form')}.hidden", f"it is saved: {self._text('record-error')}", 10)
        self._wait_text("record-json", "Ada Lovelace")
        login = self._request("POST", "/login", {"email": "ada@example.org", "password": "lovelace"})
        assert login["user"]["name"] == "Ada Lovelace", quoted(login)

    def users_are_imported_without_their_passwords(self):
        before = self._request("GET", "/__admin/resources")
        self._show("#records/users")
        users = [{"id": 1, "email": "ada@example.org", "name": "Ada again"}, {"id": 7, "email": "grace@example.org", "name": "Grace"}]
        self._drop("users.json", json.dumps(users))
        self._wait(f"{by_id('status')}.innerText || {by_id('confirm')}.open", "what the page says to it")
        assert self._text("confirm-text") == "1 new, 1 changed. The new ones have no password, without which nobody can sign in.", self._text("status")
        self._answer("Add")
        self._wait_text("status", "Added 1 to users, changed 1 record of users")
        assert self._request("POST", "/login", {"email": "ada@example.org", "password": "lovelace"})["user"]["name"] == "Ada again"
        self._press("Undo", by_id("status"))
        self._wait_text("status", "users.json undone")
        assert self._request("GET", "/__admin/resources") == before

    def users_are_imported_with_their_passwords(self):
        self._show("#records/users")
        self._drop("users.csv", "id,email,password,name\n8,grace@example.org,hopper,Grace\n")
        self._wait(f"{by_id('status')}.innerText || {by_id('confirm')}.open", "what the page says to it")
        assert self._text("confirm-text") == "1 new.", self._text("status") + self._text("confirm-text")
        self._answer("Add")
        self._wait_text("status", "Added 1 to users")
        assert self._request("POST", "/login", {"email": "grace@example.org", "password": "hopper"})["user"]["id"] == 8
