"""Data is changed where it is seen: in a cell, as JSON, many records at once, from a file."""

import json

from page import ROWS, Page, by_id

FIELD = "document.querySelector('.in-cell')"


class Editing(Page):
    def _save(self):
        self._browser.press("Enter", virtual=13, text="\r")
        self._wait(f"!{FIELD}", "the cell is saved")

    def a_text_is_edited_in_its_cell(self):
        self._show("#records/posts")
        self._edit(1, "title")
        self._value(f"{FIELD}.select()")
        self._browser.type("edited in place")
        self._save()
        self._wait(self._row_with("edited in place"), "the new title")
        assert self._request("GET", "/posts/1")["title"] == "edited in place"
        self._wait_text("record-json", "edited in place")

    def a_boolean_is_a_checkbox(self):
        self._edit(1, "published")
        assert self._value(f"{FIELD}.type") == "checkbox", "It is none."
        self._value(f"{FIELD}.click()")
        self._save()
        assert self._request("GET", "/posts/1")["published"] is True

    def a_number_stays_a_number(self):
        self._edit(1, "views")
        self._value(f"{FIELD}.value = '12.50'; 0")
        self._save()
        assert self._request("GET", "/posts/1")["views"] == 12.5

    def a_date_is_a_date(self):
        self._edit(1, "date")
        assert self._value(f"{FIELD}.type") == "date", "It is none."
        self._value(f"{FIELD}.value = '2025-12-24'; 0")
        self._save()
        assert self._request("GET", "/posts/1")["date"] == "2025-12-24"

    def a_foreign_key_is_a_list_of_titles(self):
        self._edit(1, "userId")
        shown = self._value(f"[...{FIELD}.options].map((e) => e.text)")
        assert "Chris Lattner (3)" in shown, f"The list has {shown}."
        self._value(f"{FIELD}.value = '3'; 0")
        self._save()
        assert self._request("GET", "/posts/1")["userId"] == 3

    def escape_leaves_a_cell_as_it_was(self):
        self._edit(2, "title")
        self._value(f"{FIELD}.value = 'unwanted'; 0")
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{FIELD}", "the field is gone")
        assert self._request("GET", "/posts/2")["title"] == "Post 2"

    def leaving_a_cell_that_has_no_such_value_changes_nothing(self):
        self._request("PATCH", "/posts/2", {"published": None, "date": "2024-02-30"})
        self._show("#records/posts")
        for name in ["published", "date"]:
            self._edit(2, name)
            self._save()
        found = self._request("GET", "/posts/2")
        assert [found["published"], found["date"]] == [None, "2024-02-30"], f"It has become {found}."

    def a_date_keeps_its_time_and_what_is_none_stays_a_text(self):
        self._request("PATCH", "/posts/3", {"date": "2024-03-05T10:00:00Z"})
        self._show("#records/posts")
        self._edit(3, "date")
        assert self._value(f"{FIELD}.type") == "datetime-local", self._value(f"{FIELD}.type")
        self._value(f"{FIELD}.value = '2024-03-06T11:30'; 0")
        self._save()
        assert self._request("GET", "/posts/3")["date"] == "2024-03-06T11:30:00Z", self._request("GET", "/posts/3")
        self._edit(2, "date")
        assert self._value(f"{FIELD}.value") == "2024-02-30", "It looks empty."
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{FIELD}", "the field is gone")

    def a_date_that_is_cleared_keeps_no_time(self):
        self._request("PATCH", "/posts/2", {"date": "2024-03-05T10:00:00Z"})
        self._edit(2, "date")
        self._value(f"{FIELD}.value = ''; 0")
        self._save()
        assert self._request("GET", "/posts/2")["date"] == "", "Half a date is left."

    def the_keyboard_edits_a_cell(self):
        self._show("#records/posts")
        self._value(f"{self._cell(4, 'title')}.focus()")
        self._browser.press("F2", virtual=113)
        self._wait(FIELD, "the field")
        self._value(f"{FIELD}.value = 'by keyboard'; 0")
        self._save()
        assert self._request("GET", "/posts/4")["title"] == "by keyboard"
        self._wait("document.activeElement.dataset.name === 'title'", "the focus comes back")

    def tab_saves_a_cell_and_goes_on(self):
        self._edit(6, "title")
        self._value(f"{FIELD}.value = 'left by Tab'; 0")
        self._browser.press("Tab", virtual=9)
        self._wait(f"{FIELD}?.ariaLabel === 'views of posts 6'", "the next cell")
        assert self._request("GET", "/posts/6")["title"] == "left by Tab"
        self._browser.press("Tab", virtual=9, shift=True)
        self._wait(f"{FIELD}?.ariaLabel === 'title of posts 6'", "the cell before")
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{FIELD}", "the field is gone")

    def a_saved_cell_has_no_field_while_the_next_one_is_edited(self):
        self._edit(8, "title")
        # The list is read for the save and for its event, in either order: the first answer is late, and the second comes later.
        self._value("""window.kept ??= fetch; window.late = []; window.fetch = async (url, options) => {
            const answer = await kept(url, options);
            if (/posts\\?.*_start/.test(url)) await new Promise((resolve) => {
                late.push(resolve);
                if (late.length > 1) { late[0](); setTimeout(late[1], 1000); } });
            return answer; }; 0""")
        self._value(f"{FIELD}.value = 'left early'; 0")
        self._browser.press("Tab", virtual=9)
        try:
            self._wait("document.querySelector('[aria-label=\"views of posts 8\"]')", "the next cell")
            fields = self._value("[...document.querySelectorAll('.in-cell')].map((e) => e.ariaLabel)")
            assert fields == ["views of posts 8"], fields
            assert self._value(f"{self._cell(8, 'title')}.innerText") == "left early", "The cell shows the old text."
        finally:
            self._value("window.fetch = kept; for (const each of late) each(); 0")
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{FIELD}", "the field is gone")

    def typing_begins_to_edit_a_cell(self):
        self._value(f"{self._cell(7, 'title')}.focus()")
        for letter in "new":
            self._browser.press(letter, code=f"Key{letter.upper()}", virtual=ord(letter.upper()), text=letter)
        self._wait(f"{FIELD}?.value === 'new'", "what was typed")
        self._save()
        assert self._request("GET", "/posts/7")["title"] == "new"

    def the_focus_stays_where_the_person_goes_on(self):
        self._edit(5, "title")
        self._value(f"{FIELD}.value = 'left for the search'; 0")
        self._mouse(by_id("search"))
        self._wait(f"!{FIELD} && {self._row_with('left for the search')}", "the cell is saved")
        assert self._value("document.activeElement.id") == "search", "The focus is taken back."

    def the_next_cell_is_edited_when_the_one_before_is_saved(self):
        self._edit(5, "title")
        self._value(f"{FIELD}.value = 'left for a cell'; 0")
        self._edit(6, "title")
        self._wait(f"{FIELD}?.ariaLabel === 'title of posts 6' && {self._row_with('left for a cell')}", "the next cell", 10)
        self._browser.press("Escape", virtual=27)

    def the_line_of_an_error_is_marked(self):
        self._open_editor("#records/posts/5", '{\n  "title": "x",\n  "views": oops\n}')
        self._click("record-format")
        self._wait_text("record-error", "Line 3, column 12")
        assert self._value(f"{by_id('record-text')}.style.getPropertyValue('--row')") == "3", "The line is not marked."
        assert self._value(f"getComputedStyle({by_id('record-text')}).backgroundImage.includes('gradient')"), "The mark is not seen."
        # The cursor is in the line already; only saving brings it back.
        self._value(f"{by_id('record-text')}.setSelectionRange(0, 0)")
        self._submit("record-form")
        self._wait(f"{by_id('record-text')}.value.slice(0, {by_id('record-text')}.selectionStart).split('\\n').length === 3", "the cursor in the line")

    def tab_indents_and_format_formats(self):
        self._fill("record-text", "")
        self._browser.press("Tab", virtual=9)
        assert self._value(f"{by_id('record-text')}.value") == "  ", "Tab does not indent."
        self._browser.type('{"title":"x","n":1.0}')
        self._click("record-format")
        assert self._value(f"{by_id('record-text')}.value") == '{\n  "title": "x",\n  "n": 1.0\n}', "It is not formatted, or 1.0 lost a digit."

    def control_enter_saves(self):
        self._value(f"{by_id('record-text')}.focus()")
        self._browser.press("Enter", virtual=13, control=True)
        self._wait(f"{by_id('record-form')}.hidden", "it is saved")
        assert self._request("GET", "/posts/5")["title"] == "x"

    def a_record_is_duplicated(self):
        self._show("#records/users/2?_sort=name")
        self._wait_text("record-json", "Grace")
        self._click("record-duplicate")
        self._show_json()
        self._wait(f"{by_id('record-text')}.value.includes('Grace') && !{by_id('record-text')}.value.includes('\"id\"')", "a copy without the id")
        self._submit("record-form")
        self._wait(f"!{by_id('record')}.open", "it is saved")
        assert len(self._request("GET", "/users?name=Grace+Hopper")) == 2
        self._wait("location.hash === '#records/users?_sort=name'", "the address of the list", 5)

    def _select(self, *keys):
        for key in keys:
            self._value(f"document.querySelector('tr[data-id=\"{key}\"] .pick input').click()")
        self._wait_text("selection", f"{len(keys)} selected")

    def _exported(self, text):
        """The download of a button."""
        self._value("window.saved = ''; window.kept ??= URL.createObjectURL; URL.createObjectURL = (blob) => { blob.text().then((text) => { saved = text; }); return '#'; }; 0")
        self._press(text, by_id("selection"))
        self._wait("saved", "a file")
        return self._value("saved")

    def what_is_selected_is_exported(self):
        self._show("#records/users")
        self._select(1, 3)
        assert json.loads(self._exported("Export JSON")) == [{"id": 1, "name": "Ada Lovelace"}, {"id": 3, "name": "Chris Lattner"}]
        assert self._exported("Export CSV") == "id,name\r\n1,Ada Lovelace\r\n3,Chris Lattner\r\n"

    def what_is_selected_is_deleted_and_undone(self):
        before = self._request("GET", "/comments")
        self._show("#records/comments")
        self._select(2, 4, 5)
        self._press("Delete", by_id("selection"))
        self._wait_text("confirm", "Delete 3 comments?")
        self._answer("Delete")
        self._wait_text("status", "Deleted 3 comments")
        assert len(self._request("GET", "/comments")) == len(before) - 3
        self._press("Undo", by_id("status"))
        self._wait_text("status", "3 comments put back")
        assert self._request("GET", "/comments") == before, "The comments are not as before."

    def _drop(self, name, text):
        self._value(f"""(() => {{ const files = new DataTransfer(); files.items.add(new File([{json.dumps(text)}], "{name}"));
            {by_id('records')}.dispatchEvent(new DragEvent("drop", {{ dataTransfer: files, bubbles: true, cancelable: true }})); }})()""")
        self._answer("Add")

    def dropped_files_add_records(self):
        self._show("#records/wide")
        self._drop("rows.json", '[{"a": 1.0}, {"a": 2}]')
        self._wait_text("status", "Added 2 to wide")
        self._drop("rows.csv", "a,b\n3,x\n")
        self._wait_text("status", "Added 1 to wide")
        assert [row["a"] for row in self._request("GET", "/wide")[-3:]] == [1, 2, 3]
        self._wait(f"{ROWS}.length === 6", "they are in the table")
