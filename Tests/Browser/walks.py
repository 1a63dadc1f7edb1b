"""Whole walks under conditions that are hard for a page: many records, a phone, a slow connection, the keyboard alone, the dark."""

import json
import time

from basics import FAINT_TEXT
from page import ROWS, Page, by_id, quoted

MANY = 50_000


class Many(Page):
    """50,000 records; the times are for a debug build on a busy machine."""

    @staticmethod
    def _data():
        return {"items": [{"id": n, "name": f"item {n % 977}", "n": n * 7919 % MANY} for n in range(1, MANY + 1)]}

    def _timed(self, script, what, seconds):
        start = time.monotonic()
        self._wait(script, what)
        assert time.monotonic() - start < seconds, f"{what} took {time.monotonic() - start:.1f} s"

    def the_first_page_is_there_soon(self):
        self._show("#records/items")
        assert self._value(f"{ROWS}.length") == 20 and "50,000" in self._text("records-range"), self._text("records-range")

    def the_last_page_a_sort_a_filter_and_a_search_are_there_soon(self):
        for place, first in [("_page=2500", "49981"), ("_sort=-n", None), ("name=item+5", "5"), ("q=item+976", "976")]:
            self._value(f"location.hash = '#records/items?{place}'; 0")
            key = first or str(max(range(1, MANY + 1), key=lambda n: n * 7919 % MANY))
            self._timed(f"{ROWS}[0]?.dataset.id === '{key}'", f"the list of {place}", 25)

    def a_record_is_edited_among_them(self):
        self._show("#records/items?_page=2000")
        self._edit(39_990, "name")
        self._value("document.querySelector('.in-cell').value = 'edited'; 0")
        self._browser.press("Enter", virtual=13, text="\r")
        self._timed(self._row_with("edited"), "the new name", 25)

    def a_hundred_are_deleted_and_put_back_as_one(self):
        self._show("#records/items")
        for _ in range(5):
            first = self._value(f"{ROWS}[0].dataset.id")
            self._value("document.querySelector('#columns .pick input').click(); document.getElementById('page-next').click()")
            self._wait(f"{ROWS}[0]?.dataset.id !== '{first}'", "the next page")
        self._press("Delete", by_id("selection"))
        self._answer("Delete")
        self._wait_text("status", "Deleted 100 items")
        self._press("Undo", by_id("status"))
        self._wait_text("status", "100 items put back")
        assert [item["id"] for item in self._request("GET", "/items?_end=101")] == list(range(1, 102))


class Phone(Page):
    """360 px wide."""

    def a_record_is_found_edited_and_saved(self):
        self._browser.resize(360, 700, mobile=True)
        self._show("#records/users")
        self._value(f"{self._cell(1, 'id')}.querySelector('a').click()")
        self._wait(f"{by_id('record-edit')}.checkVisibility()", "the record")
        self._click("record-edit")
        self._fill("record-text", '{"name": "from a phone"}')
        box = self._value(f"(({{ left, right, bottom }}) => [left, right, bottom])({by_id('record-save')}.getBoundingClientRect())")
        assert 0 <= box[0] and box[1] <= 360 and box[2] <= 700, f"Save is at {box}."
        self._click("record-save")
        self._wait(f"{by_id('record-form')}.hidden", "it is saved")
        assert self._request("GET", "/users/1")["name"] == "from a phone"

    def the_parts_of_a_card_and_of_a_title_stand_in_line(self):
        self._browser.resize(360, 700, mobile=True)
        self._show("#records/posts")
        middle = "(({ top, bottom }) => (top + bottom) / 2)"
        apart = self._value(f"{middle}({ROWS}[2].querySelector('.pick input').getBoundingClientRect()) - {middle}({ROWS}[2].querySelector('td:nth-child(2) a').getBoundingClientRect())")
        assert abs(apart) < 5, f"The box stands {apart} px below the id."
        right = "getBoundingClientRect().right"
        assert self._value(f"Math.abs({by_id('filter-add')}.{right} - {by_id('records-frame')}.{right})") < 2, "The tools end before the table."
        self._click("record-new")
        tops = self._value("[...document.querySelectorAll('#record .heading button')].map((e) => e.getBoundingClientRect().top)")
        assert len(set(tops)) == 1, f"The buttons of the title stand at {tops}."
        self._click("record-cancel")
        self._show("#log")
        assert not self._value(f"{by_id('log-fold')}.checkVisibility()"), "The view has a button that does nothing."

    def nothing_lies_beside_the_screen(self):
        for place in ["#records/posts", "#records/wide", "#server", "#try", "#log", "/docs"]:
            self._show(place)
            assert self._value("document.documentElement.scrollWidth") <= 360, f"{place} is {self._value('document.documentElement.scrollWidth')} px wide"


class Slow(Page):
    """A connection on which each answer takes half a second to begin."""

    def all_is_found_changed_and_deleted(self):
        self._browser.call("Network.enable")
        self._browser.call("Network.emulateNetworkConditions", offline=False, latency=500, downloadThroughput=100_000, uploadThroughput=100_000)
        self._show("#records/users")
        self._browser.evaluate("location.hash = '#records/posts'; 0")
        self._wait("document.querySelector('#rows .skeleton')", "a skeleton")
        assert not self._value(self._row_with("Ada Lovelace")), "The rows of another collection are shown."
        self._wait(f"{ROWS}.length > 0 && !document.querySelector('.skeleton')", "the rows")
        self._show("#records/users/1")
        self._click("record-edit")
        self._fill("record-text", json.dumps({"name": "slowly"}))
        self._click("record-save")
        assert self._value(f"{by_id('record-save')}.disabled"), "Save can be pressed twice."
        self._wait(f"{by_id('record-form')}.hidden", "it is saved")
        assert self._request("GET", "/users/1")["name"] == "slowly"
        self._click("record-delete")
        self._answer("Delete")
        self._wait(f"!{by_id('record')}.open", "it is gone")
        assert self._server.status("/users/1") == 404
        self._press("Undo", by_id("status"))
        self._wait(self._row_with("slowly"), "it is back")


class Keyboard(Page):
    """No mouse."""

    def _tab_to(self, name):
        for _ in range(60):
            self._browser.press("Tab", virtual=9)
            if self._value("document.activeElement.id") == name:
                return
        raise AssertionError(f"Tab does not reach {name}.")

    def _enter(self):
        self._browser.press("Enter", virtual=13, text="\r")

    def a_record_is_made_changed_and_deleted(self):
        self._show("#records/users")
        self._tab_to("record-new")
        self._enter()
        self._wait("document.activeElement.closest('#record-fields')", "the form has the focus")
        self._fill("record-text", json.dumps({"id": 8, "name": "typed"}))
        self._browser.press("Enter", virtual=13, control=True)
        self._wait(self._row_with("typed"), "the record")
        self._value(f"{self._cell(8, 'id')}.querySelector('a').focus()")
        self._enter()
        self._wait(f"{by_id('record-edit')}.checkVisibility()", "the record opens")
        self._tab_to("record-edit")
        self._enter()
        self._fill("record-text", json.dumps({"name": "retyped"}))
        self._browser.press("Enter", virtual=13, control=True)
        self._wait(f"document.activeElement.id === 'record-edit' && {by_id('record-form')}.hidden", "it is saved, and the focus is on Edit")
        self._tab_to("record-delete")
        self._enter()
        self._wait(f"{by_id('confirm')}.open", "a question")
        self._tab_to("confirm-action")
        self._enter()
        self._wait(f"!{by_id('record')}.open", "it is gone")
        assert self._server.status("/users/8") == 404

    def the_bar_of_a_selection_gives_the_focus_to_the_table(self):
        self._show("#records/comments")
        self._value("document.querySelector('tr[data-id=\"5\"] .pick input').click(); [...document.querySelectorAll('#selection button')].find((e) => e.innerText === 'Clear').focus()")
        self._enter()
        self._wait("document.activeElement.id === 'records-frame'", "the focus on the table")

    def a_dialog_gives_the_focus_back(self):
        self._show("#records/users")
        self._tab_to("columns-choose")
        self._enter()
        self._wait(f"{by_id('panel')}.open", "the columns")
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{by_id('panel')}.open && document.activeElement.id === 'columns-choose'", "the focus is back")

    def _focus_row(self, key):
        self._wait(f"{self._cell(key, 'id')}?.querySelector('a')", f"the row {key}")
        self._value(f"{self._cell(key, 'id')}.querySelector('a').focus()")

    def _waits_for_focus(self, script, what):
        self._wait(f"document.activeElement.matches({quoted(script)})", f"the focus on {what}")

    def tab_leaves_the_table_after_the_controls_of_one_row(self):
        self._show("#records/posts")
        self._focus_row(3)
        for count in range(1, 20):
            self._browser.press("Tab", virtual=9)
            if not self._value("Boolean(document.activeElement.closest('#rows'))"):
                break
        assert count <= 4, f"{count} Tabs"
        self._browser.press("Tab", virtual=9, shift=True)
        assert self._value("document.activeElement.closest('tr').dataset.id") == "3", "Shift+Tab leads to another row."

    def the_delete_key_deletes_the_selected_rows_and_control_z_puts_them_back(self):
        self._show("#records/comments")
        self._value("document.querySelector('tr[data-id=\"7\"] .pick input').focus()")
        self._browser.press(" ", virtual=32, text=" ")
        self._browser.press("ArrowDown", virtual=40)
        self._browser.press(" ", virtual=32, text=" ")
        self._wait_text("selection", "2 selected")
        self._browser.press("Delete", virtual=46)
        self._wait(f"{by_id('confirm')}.open", "a question")
        assert "2 comments" in self._text("confirm-title"), self._text("confirm-title")
        self._tab_to("confirm-action")
        self._enter()
        self._wait("!document.querySelector('tr[data-id=\"7\"]') && document.activeElement !== document.body", "they are gone, but not the focus")
        self._browser.press("z", virtual=90, control=True)
        self._wait("document.querySelector('tr[data-id=\"8\"]')", "they are back")
        assert self._value("document.activeElement !== document.body"), "The focus is gone."

    def the_delete_key_deletes_a_row_and_the_next_one_gets_the_focus(self):
        self._show("#records/comments")
        self._focus_row(4)
        self._browser.press("Delete", virtual=46)
        self._answer("Delete")
        self._wait("!document.querySelector('tr[data-id=\"4\"]')", "it is gone")
        self._waits_for_focus('tr[data-id="5"] *', "the next row")
        self._browser.press("z", virtual=90, control=True)
        self._wait("document.querySelector('tr[data-id=\"4\"]')", "it is back")

    def escape_ends_a_selection(self):
        self._show("#records/comments")
        self._value("document.querySelector('tr[data-id=\"7\"] .pick input').focus()")
        self._browser.press(" ", virtual=32, text=" ")
        self._wait_text("selection", "1 selected")
        self._browser.press("Escape", virtual=27)
        self._wait(f"{by_id('selection')}.hidden", "nothing is selected")
        self._waits_for_focus('tr[data-id="7"] input', "the row")

    def home_and_end_lead_along_a_row(self):
        self._show("#records/posts")
        self._wait("document.querySelector('tr[data-id=\"2\"] td:last-child a')", "the number of comments")
        self._focus_row(2)
        self._browser.press("End", virtual=35)
        self._waits_for_focus('tr[data-id="2"] td:last-child a', "the last cell")
        self._browser.press("Home", virtual=36)
        self._waits_for_focus('tr[data-id="2"] .pick input', "the first cell")

    def an_arrow_leads_to_the_next_record_and_escape_to_its_row(self):
        self._show("#records/posts")
        self._focus_row(2)
        self._enter()
        self._wait(f"{by_id('record-edit')}.checkVisibility()", "the record")
        self._value(f"{by_id('record-edit')}.focus()")
        self._browser.press("ArrowDown", virtual=40)
        self._wait(f"{by_id('record-title')}.innerText === 'posts / 3'", "the next record")
        self._waits_for_focus("#record-title", "its title")
        self._browser.press("Escape", virtual=27)
        self._waits_for_focus('tr[data-id="3"] a', "its row")

    def f2_edits_the_open_record_and_tab_leads_from_field_to_field(self):
        self._show("#records/posts/2")
        self._browser.press("F2", virtual=113)
        self._waits_for_focus("#record-fields [data-field=title] input", "the first field")
        self._browser.press("Tab", virtual=9)
        self._waits_for_focus("#record-fields [data-field=views] input", "the next field")
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{by_id('record')}.open", "it is closed")

    def the_delete_key_deletes_the_open_record(self):
        self._show("#records/comments/11")
        self._browser.press("Delete", virtual=46)
        self._answer("Delete")
        self._wait(f"!{by_id('record')}.open", "it is gone")
        self._waits_for_focus('tr[data-id="12"] *, tr[data-id="11"] *', "the rows")

    def a_new_record_gives_the_focus_back(self):
        self._show("#records/comments?postId=2")
        self._tab_to("record-new")
        self._enter()
        self._wait("document.activeElement.closest('#record-fields')", "the form has the focus")
        self._browser.press("Enter", virtual=13, control=True)
        self._wait(f"!{by_id('record')}.open", "it is saved")
        self._waits_for_focus("#record-new", "New record")

    def another_view_has_the_focus_at_its_title(self):
        self._show("#records/posts")
        for link, title in [("#server", "#server h2"), ("#records/users", "#records-title"), ("#log", "#log-title"), ("#try", "#try h2")]:
            self._value(f"document.querySelector('.side > ul > li > a[href=\"{link}\"]').focus()")
            self._enter()
            self._waits_for_focus(title, f"the title of {link}")

    def a_message_gives_the_focus_back(self):
        self._show("#records/comments")
        self._focus_row(20)
        self._browser.press("Delete", virtual=46)
        self._answer("Delete")
        self._wait("document.querySelector('#status button')", "Undo")
        self._value("document.querySelector('#status button').focus()")
        self._enter()
        self._wait("document.querySelector('tr[data-id=\"20\"]')", "it is back")
        assert self._value("document.activeElement !== document.body"), "The focus is gone."

    def what_is_removed_leaves_the_focus_in_its_list(self):
        self._request("POST", "/__admin/faults", {"status": 503, "path": "/gone"})
        self._show("#server")
        self._wait("document.querySelector('#rules button')", "the rule")
        self._value("[...document.querySelectorAll('#rules button')].at(-1).focus()")
        self._enter()
        self._wait_text("rules", "None")
        self._waits_for_focus("#rules", "the rules")

    def a_list_without_matches_is_heard_and_keeps_the_focus(self):
        self._show("#records/users")
        self._focus_row(2)
        self._value("location.hash = '#records/users?name=nobody'; 0")
        self._wait_text("records-note", "No records match.")
        self._waits_for_focus("#records-note", "the note")
        assert self._value(f"{by_id('records-note')}.role") == "status", "A screen reader does not hear it."

    def a_link_to_another_record_leads_into_it(self):
        for width in [390, 1280]:
            self._browser.resize(width, 900)
            self._show("#records/posts")
            self._focus_row(2)
            self._value(f"{self._cell(2, 'userId')}.querySelector('a').focus()")
            self._enter()
            self._wait(f"{by_id('record-title')}.innerText === 'users / 3'", "the user")
            self._waits_for_focus("#record-title", "the record's title")

    def a_record_from_the_palette_has_the_focus_and_its_list_afterwards(self):
        self._show("#records/posts")
        self._browser.press("k", virtual=75, control=True)
        self._browser.type("Post 40")
        self._wait("document.querySelector('#palette-list [data-href$=\"posts/40\"][aria-selected=true]')", "the record in the palette")
        self._enter()
        self._waits_for_focus("#record-title", "the record's title")
        self._browser.press("Escape", virtual=27)
        self._waits_for_focus("#records-title", "the list's title, since no row shows the record")

    def the_bar_of_a_selection_takes_the_delete_key_and_an_emptied_list_comes_back_with_the_focus(self):
        self._show("#records/comments?postId=15")
        self._value("document.querySelector('#columns .pick input').click(); document.querySelector('#selection').tabIndex = -1; document.querySelector('#selection').focus()")
        self._browser.press("Delete", virtual=46)
        self._wait(f"{by_id('confirm')}.open", "a question")
        # The list may be read again before the deletion is answered.
        self._hold("deletions")
        self._answer("Delete")
        self._wait(f"!{by_id('records-note')}.hidden", "an empty list")
        self._release()
        self._waits_for_focus("#records-note", "the note of the empty list")
        self._browser.press("z", virtual=90, control=True)
        self._wait(f"{ROWS}.length === 2 && {by_id('records-note')}.hidden", "both are back")
        self._waits_for_focus("#records-frame", "the table")


class Dark(Page):
    """Everything that opens, where the person's system is dark."""

    def all_text_stands_out(self):
        self._browser.prefer(prefers_color_scheme="dark")
        self._request("POST", "/__admin/stubs", {"request": {"path": "/me"}, "response": {"body": {}}})
        self._server.status("/me")
        for place, script in [
            ("#records/posts/1", f"{by_id('record-edit')}.click()"),
            ("#records/posts/1", f"{by_id('record-delete')}.click()"),
            ("#records/posts", f"{by_id('open-palette')}.click()"),
            ("#records/posts", f"{by_id('columns-choose')}.click()"),
            ("#records/posts", "document.querySelector('#log-list button').click()"),
            ("#records/posts", f"{self._cell(2, 'title')}.dispatchEvent(new MouseEvent('contextmenu', {{ bubbles: true, cancelable: true }}))"),
            ("#server", "0"),
        ]:
            self._show(place)
            self._wait("document.querySelector('#log-list button')", "the log")
            self._value(f"{script}; 0")
            self._wait("document.querySelector('#server:not([hidden]), dialog[open], .menu:popover-open')", "what opens")
            faint = self._value(FAINT_TEXT)
            assert not faint, f"{place}, {script}: {faint}"
