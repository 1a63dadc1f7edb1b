"""The log of requests: filtered, paused, and turned into code."""

from page import Page, by_id

LINES = "[...document.querySelectorAll('#log-list li')]"


class RequestLog(Page):
    def it_is_filtered_by_method_path_and_status(self):
        self._request("GET", "/posts/1")
        self._request("POST", "/users", {"name": "logged"})
        self._server.status("/posts/999")
        self._show("#records/messy")
        self._wait(f"{LINES}.length === 3", "three requests")
        for name, value, expected in [("log-method", "POST", "/users"), ("log-status", "4", "/posts/999"), ("log-path", "POSTS/1", "/posts/1")]:
            self._value(f"(() => {{ const e = {by_id(name)}; e.value = '{value}'; e.dispatchEvent(new Event('input')); }})()")
            self._wait(f"{LINES}.length === 1 && {LINES}[0].innerText.includes('{expected}')", f"{expected} by {name}")
            self._value(f"(() => {{ const e = {by_id(name)}; e.value = ''; e.dispatchEvent(new Event('input')); }})()")
        self._wait(f"{LINES}.length === 3", "all again")

    def it_pauses(self):
        self._click("log-pause")
        self._request("GET", "/posts/2")
        self._wait_text("log-pause", "Resume (1)")
        assert self._value(f"{LINES}.length") == 3, "It goes on."
        self._click("log-pause")
        self._wait(f"{LINES}.length === 4", "what came meanwhile")

    def what_came_is_there_after_the_page_opened_anew(self):
        for number in range(60):
            self._request("GET", f"/posts?n={number}")
        self._wait(f"{LINES}.length === 64", "all of them")
        self._show("#records/messy")
        self._wait(f"{LINES}.length === 64", "all of them after the page opened anew")

    def an_entry_becomes_a_test_and_a_curl_line(self):
        self._request("POST", "/users", {"name": "code\b", "n": [1, None, {}]})
        self._wait(f"{LINES}[0].innerText.includes('POST')", "the request")
        self._shows_as_code([
            ("Swift test", 'try await server.expect(.post("/users", body: ["name": "code\\u{8}", "n": [1, nil, [:]]]))'),
            ("curl", "curl -X POST"),
        ])

    def a_query_becomes_a_test(self):
        self._request("GET", "/posts?title=a?b&id=1&id=2")
        self._wait(f"{LINES}[0].innerText.includes('a?b')", "the request")
        self._shows_as_code([("Swift test", 'try await server.expect(.get("/posts", query: ["title": "a?b", "id": "1", "id": "2"]))')])

    def what_is_cleared_in_a_pause_does_not_come_back(self):
        self._click("log-pause")
        self._request("GET", "/posts/3")
        self._wait_text("log-pause", "Resume (1)")
        self._click("log-clear")
        self._answer("Clear")
        self._wait(f"{by_id('log-pause')}.innerText === 'Resume'", "nothing to show after the pause", 5)
        self._click("log-pause")
        assert self._value(f"{LINES}.length") == 0, "It came back."

    def _shows_as_code(self, forms):
        """Opens the newest entry."""
        self._value(f"{LINES}[0].querySelector('button').click()")
        self._wait(f"{by_id('panel')}.open", "the entry")
        for kind, text in forms:
            self._value(f"(() => {{ const e = document.querySelector('#panel select'); e.value = '{kind}'; e.onchange(); }})()")
            shown = self._value("document.querySelector('#panel .code pre').textContent")
            assert text in shown, f"{kind}: {shown}"
        self._click("panel-close")
