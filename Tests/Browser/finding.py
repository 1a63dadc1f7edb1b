"""Everything can be found: by filters, by Ctrl+K, in the documentation."""

from page import ROWS, Page, by_id

CHIPS = "document.querySelectorAll('#filters a')"


class Finding(Page):
    def a_filter_narrows_the_list_and_shows_its_address(self):
        self._show("#records/posts")
        self._click("filter-add")
        self._value(f"{by_id('filter-name')}.value = 'views'; 0")
        self._value(f"{by_id('filter-operator')}.value = '_gte'; 0")
        self._fill("filter-value", "700")
        self._submit("filter-form")
        self._wait(f"{CHIPS}.length === 1", "the filter")
        expected = len(self._request("GET", "/posts?views_gte=700"))
        self._wait(f"{ROWS}.length === {expected}", f"the {expected} posts with 700 views or more")
        assert self._text("records-url") == "/posts?views_gte=700", self._text("records-url")

    def a_list_is_copied_as_curl_and_swift(self):
        self._click("records-code")
        for kind, text in [("URL", "/posts?views_gte=700"), ("curl", "curl '"), ("Swift", "URLSession")]:
            self._value(f"(() => {{ const e = document.querySelector('#panel select'); e.value = '{kind}'; e.onchange(); }})()")
            self._wait_text("panel", text)
        self._click("panel-close")

    def one_of_two_equal_filters_is_removed(self):
        self._show("#records/posts?tags=swift&tags=swift&title=Post+4")
        self._wait(f"{CHIPS}.length === 3", "three filters")
        self._value(f"{CHIPS}[0].click()")
        self._wait(f"{CHIPS}.length === 2", "two filters")
        assert self._value("location.hash") == "#records/posts?tags=swift&title=Post+4", self._value("location.hash")

    def a_cells_menu_filters_by_its_value(self):
        self._show("#records/posts")
        self._mouse(self._cell(2, "published"), button="right")
        self._press("Filter by this value")
        self._wait(f"{CHIPS}.length === 1 && {CHIPS}[0].textContent.includes('published = true')", "the filter")
        self._wait(f"{ROWS}.length === 20 && !{self._cell(1, 'title')}", "only what is published")

    def a_cells_menu_leaves_its_value_out(self):
        self._show("#records/posts")
        self._mouse(self._cell(2, "views"), button="right")
        self._press("Exclude this value")
        self._wait(f"{CHIPS}.length === 1 && {CHIPS}[0].textContent.includes('views ≠ 34')", "the filter")
        self._wait(f"{self._cell(1, 'title')} && !{self._cell(2, 'title')}", "all but the one")

    def a_slash_leads_to_the_filter(self):
        self._show("#records/posts")
        self._browser.press("/", virtual=191, text="/")
        self._wait("document.activeElement.id === 'filter-name'", "the filter has the focus")
        self._value(f"{by_id('filter-value')}.focus()")
        self._browser.press("/", virtual=191, text="/")
        assert self._value(f"{by_id('filter-value')}.value") == "/", "A slash cannot be typed, or the first one was."

    def a_record_leads_to_those_it_belongs_to_and_has(self):
        self._show("#records/posts/4")
        self._wait_text("record-links", "users / 2")
        self._press("↓ comments", by_id("record-links"))
        self._wait(f"!{by_id('record')}.open && location.hash === '#records/comments?postId=4'", "its comments")
        self._show("#records/posts/4")
        self._press("users / 2", by_id("record-links"))
        self._wait_text("record-json", "Grace Hopper")

    def the_keyboard_opens_a_cells_menu(self):
        self._show("#records/posts")
        self._value(f"{self._cell(3, 'id')}.querySelector('a').focus()")
        self._browser.press("ArrowRight", virtual=39)
        assert self._value("document.activeElement.dataset.name") == "title", "The arrow does not move to the next cell."
        self._value("document.activeElement.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }))")
        self._wait("document.activeElement.role === 'menuitem'", "the menu has the focus")
        assert self._value("document.activeElement.innerText").startswith("Filter by this value"), "It is not on the first item."
        # Another client's change replaces the rows.
        self._request("PATCH", "/posts/3", {"views": 1})
        self._wait(f"{self._cell(3, 'views')}.innerText === '1'", "the change")
        self._browser.press("Escape", virtual=27)
        self._wait("document.activeElement.dataset.name === 'title'", "Escape closes it, and the focus is in the cell again")

    def control_k_leads_to_resources_operations_and_records(self):
        for words, choice, place in [
            ("comm", "comments", "#records/comments"),
            ("delete /posts/{id}", "DELETE /posts/{id}", "#try?method=DELETE"),
            ("grace", "Grace Hopper", "#records/users/2"),
            ("posts/7", "Post 7", "#records/posts/7"),
        ]:
            self._show("#records/messy")
            self._browser.press("k", virtual=75, control=True)
            self._wait(f"{by_id('palette')}.open && document.activeElement.id === 'palette-text'", "the palette")
            self._browser.type(words)
            self._press(choice, by_id("palette"))
            self._wait(f"location.hash.startsWith('{place}')", f"{place} after “{words}”")

    def enter_takes_the_chosen_place(self):
        self._show("#records/posts")
        self._browser.press("k", virtual=75, control=True)
        self._browser.type("user")
        self._wait("document.querySelector('#palette [aria-selected=true]')?.innerText.startsWith('users')", "users first")
        self._browser.press("Enter", virtual=13, text="\r")
        self._wait("location.hash === '#records/users'", "users")

    def the_documentation_is_searched(self):
        self._show("/docs")
        self._fill("search", "replaces")
        self._value(f"{by_id('search')}.dispatchEvent(new Event('input'))")
        shown = self._value("[...document.querySelectorAll('details.operation')].filter((e) => e.checkVisibility()).map((e) => e.innerText.split('\\n')[0])")
        assert shown and all("PUT" in text or "POST" in text or "PATCH" in text for text in shown), f"It shows {shown[:5]}."

    def the_documentation_adds_a_record_without_an_id(self):
        self._show("/docs")
        post = "[...document.querySelectorAll('#posts details')].find((e) => e.querySelector('.method').innerText === 'POST' && e.querySelector('.path').innerText === '/posts')"
        text = self._value(f"({post}).textContent")
        assert '"id"' not in text[text.index("Request body"):text.index("Responses")] and "Response 201" in text, text

    def the_documentation_stands_in_columns(self):
        self._show("/docs")
        lefts = self._value("[...document.querySelectorAll('#posts summary')].map((e) => [...e.children].map((part) => Math.round(part.getBoundingClientRect().left)).join())")
        assert len(set(lefts)) == 1, lefts
        self._browser.resize(390, 844, mobile=True)
        assert self._value(f"{by_id('search')}.offsetWidth") > 100, "The search is narrow."
        self._browser.resize(1280, 900)

    def an_address_scrolls_the_documentation(self):
        self._go("/docs#users")
        self._wait("Math.abs(document.getElementById('users')?.getBoundingClientRect().top ?? 9999) < 200", "users at the top")

    def an_odd_address_shows_the_documentation(self):
        self._go("/docs#100%")
        self._wait("document.getElementById('users')", "the documentation")
