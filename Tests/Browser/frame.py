"""The parts around the table: the head, the log, Ctrl+K, rules, the stream of events, and other tabs."""

import contextlib
import http.client
import threading

from mocking import RULES
from page import ROWS, Page, by_id
from requestlog import LINES

CODES = f"{LINES}.map((e) => e.querySelector('.status-code'))"


class Frame(Page):
    def _send(self, path):
        """Sends a request that may get no answer, or half of one."""
        def send():
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                self._request("GET", path)
        threading.Thread(target=send, daemon=True).start()

    def _import(self, module, action):
        """Does something with a module of the page."""
        return self._value(f"import(document.querySelector('script').src.replace('page.js', '{module}')).then((module) => {action})")

    def a_table_follows_ten_writes_a_second(self):
        self._show("#records/posts")
        self._import("records.js", "setInterval(() => module.apply({ resource: 'posts', id: '2', kind: 'updated' }), 50)")
        self._request("PATCH", "/posts/1", {"title": "written among others"})
        self._wait(self._row_with("written among others"), "a write, while others come", 10)

    def counts_follow_four_writes_a_second(self):
        self._show("#records/users")
        self._value("setInterval(() => fetch('/posts', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }), 200); 0")
        self._wait("document.querySelector('#resources .count').innerText !== '45'", "a count, while others come", 10)

    def the_log_is_drawn_four_times_a_second(self):
        self._show("#records/users")
        made = self._import("log.js", """(async ({ add }) => {
            let made = 0;
            const kept = document.createElement;
            document.createElement = function (...names) { made += 1; return kept.apply(this, names); };
            for (let id = 1e6; id < 1e6 + 5000; id += 1) add({ id, method: 'GET', path: `/burst/${id}`, status: 200, time: '2025-01-01T00:00:00Z' });
            const atOnce = made;
            await new Promise((resolve) => { setTimeout(resolve, 400); });
            document.createElement = kept;
            return [atOnce, made];
        })(module)""")
        assert made[0] < 10 and made[1] < 9_000, f"{made[0]} elements at once, {made[1]} later."
        assert self._value(f"{LINES}.length") == 200 and "/burst/1004999" in self._value(f"{LINES}[0].innerText"), "Not the newest lines."
        self._click("log-pause")
        assert self._value(f"{LINES}.length") == 1_000, "A pause does not show the last thousand."
        self._click("log-pause")

    def an_answer_that_was_cut_off_is_no_success(self):
        for action in ["hang", "reset", "lose", "truncate"]:
            body = {"body": "12345678"} if action != "lose" else {}
            self._request("POST", "/__admin/faults", {"action": action, "path": f"/{action}"} | body)
        self._show("#records/users")
        for action in ["hang", "reset", "lose", "truncate"]:
            self._send(f"/{action}")
        for action, words in [("hang", "no response"), ("reset", "reset"), ("lose", "lost"), ("truncate", "cut short")]:
            line = f"{LINES}.find((e) => e.innerText.includes('/{action}'))?.querySelector('.status-code')"
            self._wait(line, f"/{action} in the log")
            shown = self._value(f"[{line}.innerText, {line}.dataset.class]")
            assert shown == [words, "broken"], f"{action}: {shown}"
        self._value(f"(() => {{ const e = {by_id('log-status')}; e.value = 'broken'; e.dispatchEvent(new Event('input')); }})()")
        self._wait(f"{CODES}.length === 4", "these four by their status")

    def a_fault_without_a_path_leaves_the_page(self):
        self._request("POST", "/__admin/faults", {"action": "hang"})
        self._browser.open("about:blank")
        self._browser.call("Page.navigate", url=f"{self._server.url}/#server")
        self._wait(f"{RULES}.some((e) => e.innerText.includes('any path'))", "the fault", 10)
        self._value(f"{RULES}.find((e) => e.innerText.includes('any path')).querySelector('[aria-label^=Remove]').click()")
        self._wait(f"!{RULES}.some((e) => e.innerText.includes('any path'))", "it is removed on the page")

    def a_badge_in_the_head_says_what_requests_meet(self):
        self._show("#records/users")
        for path in ["/a", "/b"]:
            self._request("POST", "/__admin/stubs", {"request": {"path": path}, "response": {"body": 1}})
        self._request("PATCH", "/__admin/settings", {"delay": 300})
        self._wait_text("badge", "2 stubs · 4 faults · 300 ms")
        self._request("DELETE", "/__admin/stubs")
        self._request("DELETE", "/__admin/faults")
        self._request("PATCH", "/__admin/settings", {"delay": 0})
        self._wait(f"!{by_id('badge')}.checkVisibility()", "nothing to say")

    def a_stub_that_only_looks_like_json_is_asked_about(self):
        self._show("#server")
        self._value(f"(() => {{ const e = {by_id('rule-kind')}; e.value = 'stub'; e.onchange(); }})()")
        self._fill("rule-path", "/me")
        self._fill("rule-body", '{"me":1,}')
        self._submit("rule-form")
        self._answer("Cancel")
        assert self._request("GET", "/__admin/stubs") == [], "It is there after Cancel."
        self._submit("rule-form")
        self._answer("Add as text")
        self._wait(f"{RULES}.some((e) => e.innerText.includes('/me'))", "the stub")
        [stub] = self._request("GET", "/__admin/stubs")
        assert stub["response"]["body"] == '{"me":1,}', stub
        self._request("DELETE", "/__admin/stubs")

    def a_second_click_on_a_view_leaves_the_header(self):
        self._browser.resize(390, 600, mobile=True)
        self._show("#server")
        link = "document.querySelector('#side a[href=\"#server\"]')"
        self._value(f"{link}.click(); scrollTo(0, 300); {link}.click()")
        self._value("new Promise(requestAnimationFrame)")
        assert self._value("scrollY") == 0, f"The page is scrolled by {self._value('scrollY')} px."
        self._browser.resize(1280, 900)

    def a_print_has_the_table_alone(self):
        self._show("#records/posts")
        self._browser.call("Emulation.setEmulatedMedia", media="print")
        shown = self._value("['side', 'log', 'search', 'record-new', 'rows'].filter((id) => document.getElementById(id).checkVisibility())")
        self._browser.call("Emulation.setEmulatedMedia", media="")
        assert shown == ["rows"], f"Printed are {shown}."

    def a_collection_is_made_on_the_page(self):
        self._show("#records/posts")
        self._click("collection-new")
        self._wait(f"{by_id('panel')}.open && document.activeElement.placeholder.startsWith('Name')", "the form")
        self._browser.type("tags")
        self._value("document.querySelector('#panel [data-field=name] input').value = 'swift'; document.querySelector('#panel form:not([method])').requestSubmit()")
        self._wait(f"location.hash === '#records/tags' && {ROWS}.length === 1", "the collection")
        assert self._request("GET", "/tags")[0]["name"] == "swift"
        assert '"tags"' in self._server.file.read_text(), "It is not in the file."

    def numbers_stand_at_the_right_and_references_at_the_left(self):
        self._show("#records/posts")
        look = "((name) => [getComputedStyle(document.querySelector(`td[data-name=${name}]`)).textAlign, getComputedStyle(document.querySelector(`td[data-name=${name}]`)).fontFamily.includes('mono')])"
        found = {name: self._value(f"{look}('{name}')") for name in ["id", "views", "title", "userId"]}
        assert found == {"id": ["right", True], "views": ["right", True], "title": ["left", False], "userId": ["left", False]}, found

    def the_buttons_are_one_line_at_every_width(self):
        for width in [320, 390, 600, 768, 1024, 1440]:
            self._browser.resize(width, 844, mobile=width < 500)
            self._show("#records/posts/1" if width > 780 else "#records/posts")
            height = self._value("document.querySelector('#records > .heading').offsetHeight")
            assert height < 50, f"At {width} px the heading is {height} px high."
            cards = self._value("getComputedStyle(document.querySelector('#rows tr')).display === 'grid'")
            assert cards == (width < 560), f"At {width} px rows are {'cards' if cards else 'rows'}."
        self._browser.resize(1280, 900)

    def skipping_to_the_content_leaves_the_address(self):
        self._show("#records/users")
        self._value("document.querySelector('.skip').click()")
        assert self._value("location.hash") == "#records/users", self._value("location.hash")
        assert self._value("document.activeElement.id") == "main", "The focus is elsewhere."
        # What others have kept.
        self._go("#main")
        self._wait(f"{ROWS}.length > 0", "the first resource")

    def the_name_is_whole_or_not_there_and_the_rows_begin_soon(self):
        for width in [320, 390, 600, 768, 800, 1280]:
            self._browser.resize(width, 844, mobile=width < 500)
            self._show("#records/users")
            cut = self._value("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.top h1'))")
            assert cut <= 0, f"At {width} px the name is cut by {cut} px."
            top = self._value(f"{ROWS}[0].getBoundingClientRect().top")
            assert top <= 844 / 3, f"At {width} px the first row begins at {top} px."
        self._browser.resize(1280, 900)

    def a_resource_leads_to_its_relations(self):
        self._show("#records/posts")
        links = "[...document.querySelectorAll('#resources .relations a')].filter((e) => e.checkVisibility())"
        assert self._value(f"{links}.map((e) => e.innerText)") == ["↑ users", "↓ comments"], self._value(f"{links}.map((e) => e.innerText)")
        self._value(f"{links}[1].click()")
        self._wait(f"location.hash === '#records/comments' && {links}.length === 1 && {links}[0].innerText === '↑ posts'", "comments, and their relations")


class Again(Page):
    """A second visit."""

    def what_is_there_already_is_not_fetched_again(self):
        self._show("#records/posts")
        self._show("#records/posts")
        self._wait(f"{by_id('connection')}.innerText === 'Live'", "the events")
        # What would be read again would be by now.
        self._value("new Promise((resolve) => setTimeout(resolve, 500))")
        entries = "performance.getEntriesByType('resource')"
        again = self._value(f"{entries}.filter((e) => /[.](js|css|svg)$/.test(e.name) && e.transferSize > 0).map((e) => e.name)")
        assert not again, f"These came again: {again}"
        lists = self._value(f"{entries}.filter((e) => /[/]posts[?]/.test(e.name)).length")
        assert lists == 1, f"The list was read {lists} times."

    def all_modules_are_named_in_the_html(self):
        for place in ["/#records/posts", "/__admin/docs"]:
            self._browser.open("about:blank")
            self._browser.open(self._server.url + place)
            self._wait("document.querySelectorAll('#resources a').length > 0", "the page")
            loaded = "new Set(performance.getEntriesByType('resource').map((e) => e.name).filter((e) => e.endsWith('.js')))"
            named = "[...document.querySelectorAll('script, [rel=modulepreload]')].map((e) => e.src ?? e.href)"
            assert self._value(f"[...{loaded}].sort()") == self._value(f"{named}.sort()"), f"{place} loads {self._value(f'[...{loaded}].sort()')}"


class Tabs(Page):
    def a_seventh_tab_is_filled(self):
        self._show("#records/users")
        tabs = [self._browser.open_tab(f"{self._server.url}/#records/posts") for _ in range(6)]
        try:
            tabs[-1].wait_for(f"{ROWS}.length === 20", "rows in the seventh tab")
            tabs[-1].wait_for(f"{by_id('connection')}.innerText === 'Live'", "the events in the seventh tab")
            self._request("PATCH", "/users/1", {"name": "changed behind"})
            self._browser.call("Page.bringToFront")
            self._wait(self._row_with("changed behind"), "what the first tab has missed")
            self._request("PATCH", "/users/1", {"name": "changed before"})
            self._wait(self._row_with("changed before"), "what the first tab hears")
        finally:
            for tab in tabs:
                tab.close_tab()


class Crowded(Page):
    """Sixty collections."""

    @staticmethod
    def _data():
        return {f"things{n:02}": [{"id": 1, "name": f"word{n:02}"}] for n in range(60)}

    def _search(self, words):
        self._browser.press("k", virtual=75, control=True)
        self._wait(f"{by_id('palette')}.open && document.activeElement.id === 'palette-text'", "the palette")
        self._browser.type(words)

    def control_k_finds_a_record_of_the_last(self):
        self._show("#records/things00")
        self._search("word59")
        self._press("word59", by_id("palette"))
        self._wait("location.hash === '#records/things59/1'", "the record")

    def control_k_leads_to_a_tool(self):
        self._show("#records/things00")
        self._search("request log")
        self._press("Request log", by_id("palette"))
        self._wait("location.hash === '#log'", "the log")

    def control_k_says_that_there_is_nothing(self):
        self._show("#records/things00")
        self._search("nowhere")
        self._wait_text("palette", "Nothing is named “nowhere”")
