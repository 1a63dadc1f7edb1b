#!/usr/bin/env python3
"""Checks the page in a browser, against a running server.

    check-page.py http://localhost:3000

The server must have a collection named `posts` with at least two records that have a `title`. The check adds records to it
and deletes them again. Exit status: 0 when everything holds, 1 when something does not; each check says so in a line.
Set CHROMIUM to the browser's path if it is not found.
"""

import json
import sys
import urllib.request
import uuid

from chromium import Browser

TITLE = f"check {uuid.uuid4().hex[:8]}"
ROWS = "[...document.querySelectorAll('#rows tr')]"


def by_id(name):
    return f"document.getElementById({json.dumps(name)})"


class Check:
    def __init__(self, browser, server):
        self.browser = browser
        self.server = server.rstrip("/")

    def request(self, method, path, value=None):
        """Sends a request as another client does."""
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(
            self.server + path, data=data, method=method, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)

    def go(self, place):
        self.browser.open("about:blank")
        self.browser.open(f"{self.server}/__admin{place}")

    def click(self, name):
        self.browser.evaluate(f"{by_id(name)}.click()")

    def fill(self, name, text):
        self.browser.evaluate(f"{by_id(name)}.focus(); {by_id(name)}.select()")
        self.browser.type(text)

    def row_with(self, text):
        return f"{ROWS}.find((row) => row.textContent.includes({json.dumps(text)}))"

    def records_made(self):
        return [post for post in self.request("GET", "/posts") if TITLE in str(post.get("title"))]

    def resources_are_listed_with_counts(self):
        self.go("")
        self.browser.wait_for("document.querySelectorAll('#resources a').length > 0", "resources in the navigation")
        listed = self.browser.evaluate("[...document.querySelectorAll('#resources a span:first-child')].map((e) => e.textContent)")
        expected = [resource["name"] for resource in self.request("GET", "/__admin/resources")]
        assert listed == expected, f"{listed} instead of {expected}"

    def a_table_shows_a_page(self):
        self.go("#records/posts")
        self.browser.wait_for(f"{ROWS}.length > 0", "rows of posts")
        total = len(self.request("GET", "/posts"))
        text = self.browser.evaluate(f"{by_id('records-range')}.textContent")
        assert text.replace(",", "").endswith(f" of {total}"), f"“{text}” does not end with the total {total}"

    def text_that_is_not_json_is_explained(self):
        self.click("record-new")
        self.fill("record-text", "{ title }")
        self.browser.evaluate(f"{by_id('record-form')}.requestSubmit()")
        self.browser.wait_for(f"{by_id('record-error')}.textContent.includes('not JSON')", "a message about the text")

    def a_record_made_in_the_form_appears(self):
        markup = f"{TITLE} made <img src=x onerror=document.title='broken'>"
        self.fill("record-text", json.dumps({"title": markup}))
        self.browser.evaluate(f"{by_id('record-form')}.requestSubmit()")
        self.browser.wait_for(self.row_with(markup), "the new record in the table, its markup as text")
        assert not self.browser.evaluate("document.querySelector('#rows img')"), "Data became markup."
        assert len(self.records_made()) == 1, "The server has no such record."

    def changes_of_another_client_appear(self):
        made = self.request("POST", "/posts", {"title": f"{TITLE} by another"})
        self.browser.wait_for(self.row_with(f"{TITLE} by another"), "the other client's record")
        self.browser.wait_for(f"{self.row_with(TITLE + ' by another')}.classList.contains('changed')", "a highlight")
        self.request("PATCH", f"/posts/{made['id']}", {"title": f"{TITLE} changed"})
        self.browser.wait_for(self.row_with(f"{TITLE} changed"), "the other client's change")
        self.request("DELETE", f"/posts/{made['id']}")
        self.browser.wait_for(f"!{self.row_with(TITLE + ' changed')}", "the deletion")

    def requests_of_another_client_are_logged(self):
        self.request("GET", f"/posts?title={TITLE.replace(' ', '-')}")
        logged = f"[...document.querySelectorAll('#log-list .path')].some((e) => e.textContent.includes('{TITLE.replace(' ', '-')}'))"
        self.browser.wait_for(logged, "the request in the log")
        self.browser.evaluate("document.querySelector('#log-list button').click()")
        self.browser.wait_for(f"{by_id('exchange')}.open && {by_id('exchange')}.querySelector('dt')", "its headers")
        self.browser.press("Escape", virtual=27)
        self.browser.wait_for(f"!{by_id('exchange')}.open", "Escape closes the request")

    def search_narrows_the_table(self):
        self.browser.press("/", code="Slash", virtual=191, text="/")
        assert self.browser.evaluate("document.activeElement.id") == "search", "/ does not focus the search."
        self.browser.type(TITLE)
        self.browser.wait_for(f"{ROWS}.length === 1 && {self.row_with(TITLE)}", "only the record searched for")
        self.fill("search", "no record says this")
        self.browser.wait_for(f"{by_id('records-note')}.textContent.includes('Nothing matches')", "what to do when nothing matches")

    def a_column_sorts(self):
        self.go("#records/posts")
        head = "[...document.querySelectorAll('#columns th')].find((e) => e.textContent === 'title')"
        titles = "[...document.querySelectorAll('#rows tr')].map((e) => e.dataset.id)"
        for order, parameters in [("ascending", "_sort=title"), ("descending", "_sort=title&_order=desc")]:
            self.browser.wait_for(head, "a column named title")
            self.browser.evaluate(f"{head}.querySelector('button').focus(); {head}.querySelector('button').click()")
            self.browser.wait_for(f"{head}?.ariaSort === '{order}'", f"aria-sort {order}")
            expected = [str(post["id"]) for post in self.request("GET", f"/posts?{parameters}&_page=1&_limit=20")]
            shown = self.browser.evaluate(titles)
            assert shown == expected, f"{order}: {shown} instead of {expected}"
        assert self.browser.evaluate("document.activeElement.textContent") == "title", "Sorting loses the focus."

    def a_record_is_edited_and_deleted(self):
        [post] = self.records_made()
        self.go(f"#records/posts/{post['id']}")
        self.browser.wait_for(f"{by_id('record-json')}.textContent", "the record's JSON")
        self.click("record-edit")
        self.fill("record-text", json.dumps({"title": f"{TITLE} edited"}))
        self.browser.evaluate(f"{by_id('record-form')}.requestSubmit()")
        self.browser.wait_for(f"{by_id('record-json')}.textContent.includes('edited')", "the edited record")
        assert self.records_made()[0]["title"] == f"{TITLE} edited", "The server has another title."
        self.click("record-delete")
        self.browser.wait_for(f"{by_id('confirm')}.open", "a question before the deletion")
        self.click("confirm-action")
        self.browser.wait_for(f"!{by_id('record')}.open", "the record has closed")
        assert self.records_made() == [], "The server still has the record."

    def a_request_can_be_tried(self):
        self.go("#try?method=GET&path=/posts%3F_limit%3D1")
        self.browser.wait_for(f"{by_id('try-path')}.value === '/posts?_limit=1'", "the request from the address")
        self.browser.evaluate(f"{by_id('try-form')}.requestSubmit()")
        self.browser.wait_for(f"{by_id('answer-line')}.textContent.startsWith('200')", "the status")
        assert json.loads(self.browser.evaluate(f"{by_id('answer-body')}.textContent"))[0]["id"], "No record in the answer."
        self.browser.evaluate(f"{by_id('code-kind')}.value = 'swift'; {by_id('code-kind')}.onchange()")
        assert "URLSession" in self.browser.evaluate(f"{by_id('code-text')}.textContent"), "No Swift."

    def switches_change_the_server(self):
        self.go("#server")
        self.browser.wait_for(f"{by_id('faults')}.children.length", "the list of faults")
        self.fill("snapshot-name", "check-page")
        self.browser.evaluate(f"{by_id('snapshot-form')}.requestSubmit()")
        self.browser.wait_for("document.querySelector('[aria-label=\"Delete check-page\"]')", "the snapshot")
        self.browser.evaluate("document.querySelector('[aria-label=\"Delete check-page\"]').click()")
        self.click("confirm-action")
        self.browser.wait_for("!document.querySelector('[aria-label=\"Delete check-page\"]')", "the snapshot is gone")
        self.fill("fault-path", "/check-page*")
        self.browser.evaluate(f"{by_id('fault-form')}.requestSubmit()")
        remove = "[...document.querySelectorAll('#faults li')].find((e) => e.textContent.includes('/check-page*'))?.querySelector('button')"
        self.browser.wait_for(remove, "the fault")
        self.browser.evaluate(f"{remove}.click()")
        self.browser.wait_for(f"!{remove}", "the fault is gone")

    def the_documentation_shows_each_resource(self):
        self.browser.open("about:blank")
        self.browser.open(f"{self.server}/__admin/docs")
        self.browser.wait_for("document.querySelector('#posts details')", "operations of posts")
        self.browser.evaluate("document.querySelector('#posts details').open = true")
        assert self.browser.evaluate("document.querySelector('#posts a').href").endswith("&body="), "No link to try it."
        assert json.loads(self.browser.evaluate("document.querySelector('#posts pre').textContent")), "No example."

    def everything_has_a_role_and_a_name(self):
        for place in ["#records/posts", "#try", "#server"]:
            self.go(place)
            self.browser.wait_for("document.querySelectorAll('#resources a').length > 0", "resources")
            nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
            seen = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]}
            roles = {role for role, _ in seen}
            assert {"banner", "navigation", "main", "status"} <= roles, f"{place} lacks a landmark: {sorted(roles)}"
            needing = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "switch", "spinbutton"}
            nameless = [role for role, name in seen if role in needing and not name]
            assert not nameless, f"{place}: no name for {nameless}"
            levels = self.browser.evaluate(
                "[...document.querySelectorAll('h1, h2, h3, h4')].filter((e) => e.checkVisibility()).map((e) => Number(e.tagName[1]))")
            jumps = [pair for pair in zip(levels, levels[1:]) if pair[1] > pair[0] + 1]
            assert levels[0] == 1 and not jumps, f"{place}: heading levels {levels}"

    def nothing_overflows_at_any_width(self):
        for width in [320, 390, 800, 1280]:
            self.browser.resize(width, 844, mobile=width < 500)
            for place in ["#records/posts", "#try", "#server", "#log"]:
                self.go(place)
                self.browser.wait_for("document.querySelectorAll('#resources a').length > 0", "resources")
                excess = self.browser.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert excess <= 0, f"{place} is {excess} px wider than {width}"
        self.browser.resize(1280, 900)

    def the_console_is_silent(self):
        assert not self.browser.problems, "; ".join(self.browser.problems)

    def clean_up(self):
        for post in self.records_made():
            self.request("DELETE", f"/posts/{post['id']}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    names = [name for name in vars(Check) if name not in
             ("__init__", "request", "go", "click", "fill", "row_with", "records_made", "clean_up") and not name.startswith("__")]
    failed = 0
    with Browser() as browser:
        browser.resize(1280, 900)
        check = Check(browser, sys.argv[1])
        try:
            for name in names:
                try:
                    getattr(check, name)()
                    print(f"ok      {name.replace('_', ' ')}")
                except Exception as error:
                    failed += 1
                    print(f"FAILED  {name.replace('_', ' ')}: {error}")
        finally:
            check.clean_up()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
