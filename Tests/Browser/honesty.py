"""The page shows the state of the server, of its file, and of a slow list."""

from page import ROWS, Page, by_id

BANNERS = "banners"


class Honesty(Page):
    def the_pages_own_requests_meet_no_faults(self):
        fault = self._request("POST", "/__admin/faults", {"status": 503, "times": 2})
        try:
            self._show("#records/posts")
            assert self._value(f"{ROWS}.length") == 20, "The page met the fault."
            found = [other["times"] for other in self._request("GET", "/__admin/faults")]
            assert found == [2], f"The page used the fault up: {found}"
        finally:
            self._request("DELETE", f"/__admin/faults/{fault['id']}")

    def the_pages_own_requests_are_not_logged(self):
        self._show("#records/posts")
        self._request("GET", "/users?n=1")
        self._wait_text("log-list", "/users?n=1")
        assert "/posts" not in self._text("log-list"), self._text("log-list")
        paths = [exchange["path"] for exchange in self._request("GET", "/__admin/requests")]
        assert paths == ["/users?n=1"], f"The journal holds {paths}."

    def a_slow_list_says_that_it_is_read_and_shows_no_old_head(self):
        self._show("#records/posts")
        self._server.stall()
        try:
            self._value("location.hash = '#records/users'; 0")
            self._wait_text("records-range", "Reading rows …")
            assert self._value("document.querySelectorAll('#rows .skeleton').length") > 0, "No skeleton."
            assert "views" not in self._text("columns"), "The head of the collection before."
        finally:
            self._server.resume()
        self._wait(self._row_with("Grace Hopper"), "the users")

    def a_pattern_that_cannot_be_used_is_named(self):
        self._show("#records/posts")
        self._value("location.hash = '#records/posts?title_like=('; 0")
        self._wait_text("records-note", "not closed")
        assert "fault" not in self._text("records-note").lower(), "It blames a fault."

    def a_server_that_is_gone_is_announced_and_welcomed_back(self):
        self._show("#records/posts")
        self._server.stop()
        try:
            self._wait_text(BANNERS, "does not answer")
            self._value("location.hash = '#records/users'; 0")
            self._wait_text("records-note", "The server does not answer")
        finally:
            self._server.start()
        self._wait(f"{by_id(BANNERS)}.innerText === ''", "the banner goes")
        self._wait(self._row_with("Grace Hopper"), "the list reads itself again")

    def a_read_only_server_says_so_and_offers_no_changes(self):
        self._show("#records/posts")
        self._request("PATCH", "/__admin/settings", {"readOnly": True})
        try:
            self._wait_text(BANNERS, "read-only")
            visible = self._value("[...document.querySelectorAll('.writes')].filter((e) => e.checkVisibility()).map((e) => e.id)")
        finally:
            self._request("PATCH", "/__admin/settings", {"readOnly": False})
        assert visible == [], f"It still offers {visible}."
        self._wait(f"{by_id(BANNERS)}.innerText === '' && {by_id('record-new')}.checkVisibility()", "changes are offered again")

    def a_broken_file_is_announced_with_its_line(self):
        text = self._server.file.read_text()
        self._server.file.write_text('{\n  "posts": [\n    oops\n  ]\n}')
        try:
            self._wait_text(BANNERS, "database.json:3:")
        finally:
            self._server.file.write_text(text)
        self._wait(f"{by_id(BANNERS)}.innerText === ''", "the banner goes")

    def trying_starts_at_a_resource_and_takes_nothing_from_the_cache(self):
        self._go("#try")
        self._wait(f"{by_id('try-path')}.value === '/posts'", "the first resource")
        self._value("window.used = []; window.kept = fetch; window.fetch = (url, options) => { used.push(options.cache); return kept(url, options); }; 0")
        self._submit("try-form")
        self._wait(f"{by_id('answer-line')}.textContent.startsWith('200')", "the answer")
        assert "no-store" in self._value("used"), "The cache may answer."

    def without_javascript_the_page_says_what_to_do(self):
        assert self._value("document.querySelector('noscript').textContent.includes('JavaScript')"), "No word."
