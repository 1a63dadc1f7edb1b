"""Data can be read: titles for ids, counts, columns that fit, long values by part."""

from page import ROWS, Page, by_id
from server import data

BIG = 5_000_000


def long_ids():
    """Also records whose ids are too long for one address."""
    ids = [f"{n:070}" for n in range(150)]
    return {**data(), "owners": [{"id": key, "name": f"Owner {int(key)}"} for key in ids], "pets": [{"id": n, "ownerId": key} for n, key in enumerate(ids, 1)]}


class Reading(Page):
    _data = staticmethod(long_ids)

    def an_id_shows_the_other_records_title(self):
        self._show("#records/posts")
        self._wait(f"{self._cell(1, 'userId')}.innerText.includes('Grace Hopper')", "the title")
        asked = self._value("performance.getEntriesByType('resource').filter((e) => /\\/users\\?/.test(e.name) && /id=/.test(e.name)).length")
        assert asked == 1, f"{asked} requests for the titles."

    def children_are_counted(self):
        counts = "[...document.querySelectorAll('#columns th')].findIndex((e) => e.textContent.includes('comments'))"
        self._wait(f"{counts} > 0", "a column of comments")
        self._wait(f"{ROWS}.find((row) => row.dataset.id == 1).cells[{counts}].textContent === '2'", "the count")
        assert self._value(f"{ROWS}.find((row) => row.dataset.id == 31)") is None

    def long_ids_have_titles_and_counts(self):
        self._show("#records/pets?_limit=150")
        self._wait(f"{self._cell(150, 'ownerId')}.innerText.includes('Owner 149')", "the title of the last")
        self._show("#records/owners?_limit=150")
        self._wait(f"{ROWS}[149].innerText.endsWith('1')", "the count of the last")

    def numbers_in_other_words_are_ids_too(self):
        self._request("POST", "/users", {"id": 50.0, "name": "Fifty"})
        self._request("POST", "/posts", {"id": 99, "userId": 50.0})
        self._show("#records/posts?id=99")
        self._wait(f"{self._cell(99, 'userId')}.innerText.includes('Fifty')", "the title")
        self._value(f"{self._cell(99, 'userId')}.querySelector('a').click()")
        self._wait_text("record-json", "50.0")
        self._wait(f"{self._row_with('Fifty')}?.innerText.endsWith('1')", "the count")

    def half_a_character_in_an_id_hides_no_other_record(self):
        self._request("POST", "/messy", {"id": "\ud800", "v": "half"})
        self._show("#records/messy")
        self._wait(f"{self._row_with('half')} && {ROWS}.length === 4", "all rows")

    def columns_are_hidden_and_widened_and_stay_so(self):
        self._show("#records/posts")
        self._click("columns-choose")
        self._value("[...document.querySelectorAll('#panel label')].find((e) => e.textContent.trim() === 'url').querySelector('input').click()")
        self._click("panel-close")
        self._wait(f"!{self._cell(1, 'url')}", "the column is hidden")
        # Where all columns have room, they share what is left.
        self._browser.resize(800, 900)
        head = "[...document.querySelectorAll('#columns th')].find((e) => e.textContent === 'title')"
        width = self._value(f"{head}.offsetWidth")
        self._value(f"{head}.querySelector('button').focus()")
        for _ in range(4):
            self._browser.press("ArrowRight", virtual=39, shift=True)
        wide = self._value(f"{head}.offsetWidth")
        assert wide >= width + 90, f"From {width} to {wide}."
        self._show("#records/posts")
        assert self._value(f"{head}.offsetWidth") == wide and self._value(f"!{self._cell(1, 'url')}"), "It is forgotten."
        self._browser.resize(1280, 900)

    def the_log_is_a_strip_that_opens_and_stays_so(self):
        self._request("GET", "/posts/1")
        self._request("GET", "/posts/2")
        self._show("#records/posts")
        lines = "[...document.querySelectorAll('#log-list li')].filter((e) => e.checkVisibility()).map((e) => e.innerText)"
        self._wait(f"{lines}.length === 1 && {lines}[0].includes('/posts/2')", "the newest request alone")
        top = self._value(f"{by_id('log')}.getBoundingClientRect().top")
        assert top > 820, f"The strip begins at {top}."
        self._click("log-fold")
        self._show("#records/posts")
        self._wait(f"{lines}.length > 1 && {by_id('log-fold')}.ariaExpanded === 'true'", "all requests, also after the page opened anew")
        self._click("log-fold")
        assert self._value(f"{lines}.length") == 1, "It stays open."

    def edges_show_where_more_columns_are(self):
        self._show("#records/wide")
        edges = "document.querySelector('.edges').className"
        assert self._value(edges) == "edges more-right", self._value(edges)
        self._value(f"{by_id('records-frame')}.scrollLeft = 200; 0")
        self._wait(f"{edges} === 'edges more-right more-left' || {edges} === 'edges more-left more-right'", "both edges")

    def no_edge_shows_where_all_columns_are(self):
        self._show("#records/users")
        assert self._value("document.querySelector('.edges').className") == "edges"

    def names_of_javascript_are_names_as_all_others(self):
        self._request("POST", "/messy", {"id": 8, "constructor": "McLaren", "__proto__": "x", "toString": 1, "null": 1})
        self._show("#records/messy")
        self._wait(f"{self._cell(8, 'constructor')}.innerText === 'McLaren'", "its column")
        assert self._value(f"{self._cell(8, 'constructor')}.style.minWidth") == "", "It has a width that nobody gave it."
        assert self._value("document.querySelectorAll('#columns [aria-sort$=scending]').length") == 0, "It shows an order that nobody gave it."

    def addresses_are_links(self):
        self._request("POST", "/messy", {"id": 9, "site": "https://example.org/a?b=1"})
        self._show("#records/messy")
        link = f"{self._cell(9, 'site')}.querySelector('a')"
        assert self._value(f"[{link}.href, {link}.rel, {link}.target]") == ["https://example.org/a?b=1", "noopener noreferrer", "_blank"]
        self._show("#records/messy/9")
        self._wait(f"{by_id('record-json')}.querySelector('a[href=\"https://example.org/a?b=1\"]')", "the link in the record")

    def images_are_previewed(self):
        pixel = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
        self._request("POST", "/messy", {"id": 10, "picture": pixel})
        self._show("#records/messy")
        self._wait(f"{self._cell(10, 'picture')}.querySelector('img')?.naturalWidth === 1", "the picture")

    def numbers_stand_below_each_other_in_a_mixed_column(self):
        self._show("#records/posts")
        found = self._value(f"[8, 9, 10].map((n) => getComputedStyle(document.querySelector(`tr[data-id='${{n}}'] [data-name=views]`)).textAlign)")
        assert found == ["right"] * 3, f"They stand {found}."

    def a_long_value_opens_by_part(self):
        self._request("PUT", "/files/1", {"name": "huge", "data": "x" * BIG})
        self._show("#records/files")
        longest = self._value("Math.max(...[...document.querySelectorAll('*')].flatMap((e) => [...e.attributes]).map((a) => a.value.length))")
        assert longest < 2_500, f"An attribute holds {longest} characters."
        self._value("location.hash = '#records/files/1'; 0")
        self._wait_text("record-json", "of 5,0")
        assert self._value(f"{by_id('record-json')}.textContent.length") < 201_000, "More than a part is shown."
        self._press("Show all", by_id("record-json"))
        assert self._value(f"{by_id('record-json')}.textContent.length") > BIG, "All is not shown."

    def markup_stays_text(self):
        self._show("#records/messy")
        assert self._value(f"{self._cell(2, 'v')}.textContent") == "<b>two</b>" and not self._value(f"{ROWS}.some((e) => e.querySelector('b'))")
