"""The record stands beside its table: both are used at once, by mouse and by keyboard."""

from page import Page, by_id, quoted

OPEN = f"{by_id('record')}.open"
FORM = f"!{by_id('record-form')}.hidden"


class Panel(Page):
    def _title(self, text):
        self._wait(f"{OPEN} && {by_id('record-title')}.innerText === {quoted(text)}", f"the record {text}")

    def _field(self, name):
        return f"document.querySelector('#record-fields [data-field={name}] input')"

    def _edit_title(self, place, text):
        self._show(place)
        self._click("record-edit")
        self._wait(self._field("title"), "the form")
        self._value(f"{self._field('title')}.focus(); {self._field('title')}.value = {quoted(text)}; 0")

    def a_click_opens_at_once_and_the_next_row_while_one_is_open(self):
        self._show("#records/posts")
        self._value(f"{self._cell(2, 'date')}.dispatchEvent(new MouseEvent('click', {{ bubbles: true, cancelable: true, detail: 1 }}))")
        assert self._value("location.hash") == "#records/posts/2", "It waits."
        self._title("posts / 2")
        left = self._value(f"{by_id('record')}.getBoundingClientRect().left")
        assert left >= self._value(f"{by_id('records-frame')}.getBoundingClientRect().right"), "It lies over the table."
        self._mouse(self._cell(5, "title"))
        self._title("posts / 5")
        marked = self._value("[...document.querySelectorAll('#rows [aria-current=true]')].map((e) => e.dataset.id)")
        assert marked == ["5"], marked

    def arrows_go_from_record_to_record(self):
        self._show("#records/posts/3")
        self._click("record-next")
        self._title("posts / 4")
        self._browser.press("ArrowUp", virtual=38)
        self._title("posts / 3")
        self._value(f"{self._cell(3, 'date')}.focus()")
        self._browser.press("ArrowDown", virtual=40)
        self._title("posts / 4")
        assert self._value("document.activeElement.dataset.name") == "date", "The focus has left the table."
        self._show("#records/posts/1")
        assert self._value(f"{by_id('record-previous')}.disabled"), "There is a record before the first."

    def what_is_not_saved_asks_once(self):
        self._edit_title("#records/posts/3", "unsaved")
        self._mouse(self._cell(6, "date"))
        self._answer("Cancel")
        self._wait(f"{self._field('title')}.value === 'unsaved'", "the text is still there")
        self._mouse(self._cell(6, "date"))
        self._answer("Discard")
        self._title("posts / 6")
        assert not self._value(f"{by_id('confirm')}.open"), "It asks again."

    def the_list_is_sorted_while_a_form_is_open(self):
        self._edit_title("#records/posts/3", "unsaved")
        self._value("document.querySelector('[data-key=\"sort title\"]').click()")
        self._wait("document.querySelector('[aria-sort=ascending]') && location.hash.startsWith('#records/posts/3?')", "the order")
        assert self._value(f"{FORM} && {self._field('title')}.value") == "unsaved", "The text is gone."
        self._browser.press("Escape", virtual=27)
        self._answer("Discard")

    def control_k_leads_away_from_a_record(self):
        self._show("#records/posts/3")
        self._browser.press("k", virtual=75, control=True)
        self._wait(f"{by_id('palette')}.open", "the palette")
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{by_id('palette')}.open && {OPEN}", "the record is still there")

    def escape_closes_it_from_anywhere(self):
        self._show("#records/posts/3")
        self._value("document.activeElement.blur()")
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{OPEN} && location.hash === '#records/posts'", "the list alone")

    def a_refused_form_takes_keys(self):
        self._edit_title("#records/posts/7", "refused")
        self._request("PATCH", "/__admin/settings", {"readOnly": True})
        try:
            # The response is slow, so that the browser draws the page first.
            self._server.stall()
            self._browser.press("Enter", virtual=13, control=True)
            self._wait(f"{by_id('record-save')}.disabled && document.activeElement === document.body", "it is being saved")
            self._server.resume()
            self._wait_text("record-error", "read-only")
        finally:
            self._server.resume()
            self._request("PATCH", "/__admin/settings", {"readOnly": False})
        self._wait(f"document.activeElement === {self._field('title')}", "the focus is back")
        self._browser.press("Enter", virtual=13, control=True)
        self._wait(f"!{FORM}", "it is saved")
        assert self._request("GET", "/posts/7")["title"] == "refused"

    def a_form_whose_server_has_stopped_takes_keys(self):
        self._edit_title("#records/posts/8", "stopped")
        self._server.stop()
        self._browser.press("Enter", virtual=13, control=True)
        self._wait_text("record-error", "does not answer")
        self._server.start()
        self._browser.press("Enter", virtual=13, control=True)
        self._wait(f"!{FORM}", "it is saved")

    def an_edit_of_the_file_is_announced_in_a_form(self):
        self._edit_title("#records/posts/9", "mine")
        file = self._server.file
        file.write_text(file.read_text().replace('"Post 9"', '"theirs"'))
        self._wait_text("record-notice", "changed elsewhere")
        self._browser.press("Enter", virtual=13, control=True)
        self._wait_text("confirm", "theirs")
        self._answer("Cancel")
        self._browser.press("Escape", virtual=27)
        self._answer("Discard")

    def a_record_that_is_deleted_while_it_is_read_can_only_be_copied(self):
        self._show("#records/comments/60")
        self._value(f"{by_id('record-edit')}.focus()")
        self._request("DELETE", "/comments/60")
        self._wait_text("record-notice", "deleted elsewhere")
        assert not self._value(f"{by_id('record-edit')}.checkVisibility()"), "It can be edited."
        assert self._value("document.activeElement.id") == "record-title", "The focus is gone."
        self._click("record-close")

    def a_phone_shows_the_record_alone(self):
        self._browser.resize(390, 844, mobile=True)
        self._show("#records/posts/3")
        box = self._value(f"(({{ left, top, width, height }}) => [left, top, width, height])({by_id('record')}.getBoundingClientRect())")
        assert box == [0, 0, 390, 844], box
        assert self._value("getComputedStyle(document.querySelector('main')).visibility") == "hidden", "Tab reaches what lies behind."
        self._browser.resize(1280, 900)
