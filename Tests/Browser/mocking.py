"""Controls of a mock server: faults, holds, stubs, sessions and unexpected requests."""

import threading

from page import Page, by_id
from requestlog import LINES

RULES = "[...document.querySelectorAll('#rules li')]"


class Mocking(Page):
    def _add(self, kind, **fields):
        self._value(f"(() => {{ const e = {by_id('rule-kind')}; e.value = '{kind}'; e.onchange(); }})()")
        for name, text in fields.items():
            self._fill(f"rule-{name}", text)
        self._submit("rule-form")

    def _rule(self, text):
        return f"{RULES}.find((e) => e.innerText.includes({text!r}))"

    def _start(self, path):
        """Sends a request from elsewhere that may have to wait."""
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self._server.status(path)), daemon=True)
        thread.start()
        return thread, answers

    def a_stub_answers_and_goes(self):
        self._show("#server")
        self._add("stub", path="/me", body='{"name": "Ada"}')
        self._wait(self._rule("/me"), "the stub")
        assert self._request("GET", "/me") == {"name": "Ada"}, "It does not answer."
        self._press("Remove", self._rule("/me"))
        self._wait(f"!{self._rule('/me')}", "it is gone")
        assert self._server.status("/me") == 404, "It still answers."

    def a_held_request_is_seen_waiting_and_released(self):
        self._show("#server")
        self._add("hold", path="/users")
        self._wait(self._rule('"waiting":0'), "the hold")
        thread, answers = self._start("/users")
        self._wait(self._rule('"waiting":1'), "the request in the hold")
        self._wait(f"{LINES}[0].innerText.includes('waits')", "the request in the log")
        self._press("Release", self._rule("/users"))
        thread.join(30)
        assert answers == [200], f"It got {answers}."
        self._wait(f"{LINES}[0].innerText.includes('200') && {LINES}[0].innerText.includes('hold 1')", "its answer")
        assert self._value(f"{LINES}.filter((e) => e.innerText.includes('/users')).length") == 1, "It stands there twice."

    def a_held_request_is_failed_from_the_log(self):
        self._show("#server")
        self._add("hold", path="/posts")
        self._wait(self._rule("/posts"), "the hold")
        thread, answers = self._start("/posts")
        self._wait(f"{LINES}[0].innerText.includes('waits')", "the request in the log")
        self._value(f"{LINES}[0].querySelector('button').click()")
        self._press("Fail it", by_id("panel"))
        thread.join(30)
        assert answers == [503], f"It got {answers}."

    def a_request_becomes_a_stub(self):
        before = self._request("GET", "/users/2")
        self._show("#records/users")
        self._wait(f"{LINES}.some((e) => e.innerText.includes('/users/2'))", "the request in the log")
        self._value(f"{LINES}.find((e) => e.innerText.includes('/users/2')).querySelector('button').click()")
        self._press("Make it a stub", by_id("panel"))
        self._wait(self._rule("/users/2"), "the stub")
        self._request("PATCH", "/users/2", {"name": "another"})
        assert self._request("GET", "/users/2") == before, "The data answers, not the stub."
        self._press("Remove", self._rule("/users/2"))
        self._wait(f"!{self._rule('/users/2')}", "it is gone")

    def a_row_becomes_a_fault(self):
        self._show("#records/posts")
        self._mouse(self._cell(2, "title"), button="right")
        self._press("Make the record fail")
        self._wait(f"{by_id('rule-path')}.value === '/posts/2'", "the path of the row")
        self._submit("rule-form")
        self._wait(self._rule("/posts/2"), "the fault")
        assert [self._server.status("/posts/2"), self._server.status("/posts/2")] == [503, 200], "It fails not once."
        self._wait(f"{LINES}.some((e) => e.innerText.includes('fault'))", "what the request met, in the log")

    def a_rule_in_the_making_stays_when_the_data_changes(self):
        self._show("#server?path=/posts")
        self._fill("rule-path", "/typed")
        self._value("document.querySelector('#resources li').id = 'old'; 0")
        self._request("POST", "/__admin/reset")
        self._wait("!document.querySelector('#old')", "the new data")
        assert self._value(f"{by_id('rule-path')}.value") == "/typed", "It is overwritten."

    def sessions_are_hidden_where_there_are_none(self):
        assert not self._value(f"{by_id('sessions')}.checkVisibility()"), "They are shown."


class Strict(Page):
    """The same with a server that is strict, and has sessions."""

    _options = ["--strict", "--sessions"]

    def an_unexpected_request_is_listed(self):
        self._server.status("/psots")
        self._show("#server")
        self._wait(f"{by_id('unexpected')}.innerText.includes('GET /psots')", "the request")
        self._press("Show", by_id("unexpected"))
        self._wait_text("panel", "did you mean")
        self._click("panel-close")

    def a_session_is_listed_and_ended(self):
        self._request("GET", "/__session/anna/posts")
        self._show("#server")
        self._wait(f"{by_id('sessions')}.innerText.includes('anna')", "the session")
        self._press("End", by_id("sessions"))
        self._answer("End")
        self._wait(f"!{by_id('sessions')}.innerText.includes('anna')", "it has ended")
        assert self._request("GET", "/__admin/sessions") == [], "The server still has it."
