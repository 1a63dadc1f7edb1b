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

    def a_rule_that_is_added_before_the_rules_are_read_is_shown(self):
        self._show("#records/posts")
        self._hold("__admin.stubs")
        self._value("location.hash = '#server'; 0")
        self._wait("window.release", "the first read of the rules")
        self._add("status", path="/early")
        self._wait_text("status", "Rule added")
        self._release()
        self._wait(self._rule("/early"), "the rule", 10)
        self._press("Remove", self._rule("/early"))
        self._wait(f"!{self._rule('/early')}", "it is gone")

    def a_held_request_is_seen_waiting_and_released(self):
        self._show("#server")
        self._add("hold", path="/users")
        self._wait(self._rule("0 waiting"), "the hold")
        thread, answers = self._start("/users")
        self._wait(self._rule("1 waiting"), "the request in the hold")
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

    def a_rule_is_a_sentence_that_is_edited_and_switched_off(self):
        self._request("POST", "/__admin/faults", {"status": 503, "method": "GET", "path": "/me", "times": 3})
        self._show("#server")
        rule = self._rule("every GET /me: 503, 3 more times")
        self._wait(rule, "the sentence")
        self._press("Edit", rule)
        self._wait(f"{by_id('rule-path')}.value === '/me' && {by_id('rule-times')}.value === '3'", "the rule in the form")
        self._browser.press("Escape", virtual=27)
        assert self._value(f"{by_id('rule-save')}.innerText === 'Add' && !{by_id('rule-path')}.value"), "Escape does not leave the rule."
        assert self._value("document.activeElement.innerText") == "Edit", "The focus has left the rule."
        self._press("Edit", rule)
        self._fill("rule-number", "404")
        self._submit("rule-form")
        rule = self._rule("every GET /me: 404, 3 more times")
        self._wait(f"{rule} && !{self._rule('503')}", "the edited rule alone")
        self._value(f"{rule}.querySelector('input').click()")
        self._wait(f"{rule} && !{rule}.querySelector('input').checked", "it is off")
        assert self._request("GET", "/__admin/faults") == [], "The server still has it."
        self._show("#server")
        self._wait(rule, "it is there after the page opened anew")
        self._value(f"{rule}.querySelector('input').click()")
        self._wait(f"{rule}?.innerText.includes('Edit')", "it is on")
        [fault] = self._request("GET", "/__admin/faults")
        assert {name: fault[name] for name in ["method", "path", "status", "times"]} == {"method": "GET", "path": "/me", "status": 404, "times": 3}, fault
        self._press("Remove", rule)
        self._wait(f"!{rule}", "it is gone")

    def a_rule_for_all_paths_is_asked_about(self):
        self._show("#server")
        self._add("status", path="")
        self._wait_text("confirm", "every request on any path: 503")
        self._answer("Cancel")
        assert self._request("GET", "/__admin/faults") == [], "It was added."

    def a_snapshot_that_undoes_a_restore_is_restored(self):
        self._show("#server")
        self._request("POST", "/__admin/snapshots", {"name": "first"})
        self._request("PATCH", "/users/1", {"name": "second"})
        self._show("#server")
        for name, expected in [("first", "Ada Lovelace"), ("before first", "second"), ("before before first", "Ada Lovelace")]:
            button = f"document.querySelector('[aria-label=\"Restore {name}\"]')"
            self._wait(button, f"the snapshot {name}")
            self._value(f"{button}.click()")
            self._answer("Restore")
            self._wait_text("status", "Restore: done")
            assert self._request("GET", "/users/1")["name"] == expected, f"{name}: {self._request('GET', '/users/1')}"
            self._value(f"{by_id('status')}.replaceChildren()")

    def a_rule_says_all_that_it_does(self):
        self._request("POST", "/__admin/faults", {"path": "/all", "delay": 20, "status": 500, "headers": {"X-A": "1"}, "body": "no"})
        self._show("#server")
        rule = self._rule("every request /all: after 20 ms, 500, no, with headers")
        self._wait(rule, "the sentence")
        shown = self._value("""import(document.querySelector('script').src.replace('page.js', 'rules.js')).then(({ sentence }) =>
            sentence({ kind: 'faults', rule: { id: 1, path: '/me', slowness: 100, action: 'explode' } }))""")
        assert shown == "every request /me: explode, slowness 100", shown
        shown = self._value("""import(document.querySelector('script').src.replace('page.js', 'rules.js')).then(({ sentence }) =>
            sentence({ kind: 'stubs', rule: { id: 1, request: { path: '/a', unless: { method: 'POST' } }, find: { users: { id: '$path.id' } },
                probability: 0.25, addHeaders: { 'X-A': '1' } } }))""")
        assert shown == '25 % of requests /a unless POST if users has {"id":"$path.id"}: adds X-A', shown
        self._press("Remove", rule)
        self._wait(f"!{rule}", "it is gone")

    def a_reset_says_what_it_does_and_is_undone(self):
        self._request("PATCH", "/users/1", {"name": "changed before"})
        self._show("#server")
        self._wait(f"{by_id('rules')}.children.length", "the rules")
        self._click("reset")
        self._wait_text("confirm", "or at the last edit of the file. Delay, faults, holds and stubs stay.")
        self._answer("Reset")
        self._wait_text("status", "Reset: done")
        assert self._request("GET", "/users/1")["name"] == "Ada Lovelace"
        self._press("Undo", by_id("status"))
        self._wait_text("status", "as before")
        assert self._request("GET", "/users/1")["name"] == "changed before"

    def sessions_are_hidden_where_there_are_none(self):
        assert not self._value(f"{by_id('sessions')}.checkVisibility()"), "They are shown."
        failed = self._value("performance.getEntriesByType('resource').filter((e) => e.responseStatus >= 400).map((e) => e.name)")
        assert not failed, f"The console shows in red: {failed}"


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
        assert self._value(f"{by_id('sessions')}.querySelector('a').href") == f"{self._server.url}/__session/anna/"
        self._browser.open(f"{self._server.url}/__session/anna/")
        self._wait_text("banners", "This is the session anna")
        self._show("#server")
        self._wait(f"{by_id('sessions')}.innerText.includes('anna')", "the session")
        self._press("End", by_id("sessions"))
        self._answer("End")
        self._wait(f"!{by_id('sessions')}.innerText.includes('anna')", "it has ended")
        assert self._request("GET", "/__admin/sessions") == [], "The server still has it."
