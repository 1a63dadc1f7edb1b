#!/usr/bin/env python3
"""Checks the page in a browser, against a running server.

    check-page.py http://localhost:3000

The server must have a collection named `posts` with at least two records that have a `title`, one of them with the id 1.
The check adds records and deletes them again. Exit status: 0 when everything holds, 1 when something does not; each check says so in a line.
Set CHROMIUM to the browser's path if it is not found.
"""

import json
import sys
import urllib.request
import uuid

from chromium import Browser

TITLE = f"check {uuid.uuid4().hex[:8]}"
ROWS = "[...document.querySelectorAll('#rows tr')]"

PLACES = ["#records/posts", "#records/posts/1", "#try", "#server", "/docs"]

# The texts whose contrast is below WCAG 2.2's AA: 4.5, or 3 for large ones; colours as sRGB, backgrounds laid over each other.
FAINT_TEXT = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return { rgb: [red, green, blue], alpha: alpha / 255 };
  };
  const over = (top, bottom) => top.rgb.map((value, index) => value * top.alpha + bottom[index] * (1 - top.alpha));
  const background = (element) => {
    if (!element) return channels(getComputedStyle(document.body).backgroundColor).rgb;
    const own = channels(getComputedStyle(element).backgroundColor);
    return own.alpha === 1 ? own.rgb : over(own, background(element.parentElement));
  };
  const luminance = (rgb) => rgb.map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const faint = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("[inert], option, [aria-hidden=true]")) continue;
    const style = getComputedStyle(element);
    const behind = background(element);
    const [a, b] = [luminance(over(channels(style.color), behind)), luminance(behind)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) faint.add(`${walker.currentNode.data.trim().slice(0, 30)} (${ratio.toFixed(2)})`);
  }
  return [...faint];
})()"""

FOCUSABLE = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((e) => e.checkVisibility() && !e.closest("[inert]"))"""

# What the focus came to: "nothing", "hidden" when nothing shows it, "again" or "new".
FOCUSED = """(() => {
  const element = document.activeElement;
  if (element === document.body) return "nothing";
  if (getComputedStyle(element).outlineStyle === "none") return "hidden";
  if (window.reached.has(element)) return "again";
  window.reached.add(element);
  return "new";
})()"""

# What stands beyond the right edge of the page and in nothing that scrolls.
CUT_OFF = """[...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1)
  .filter((e) => {
    for (let around = e; around; around = around.parentElement) if (/auto|scroll/.test(getComputedStyle(around).overflowX)) return false;
    return true;
  }).map((e) => e.outerHTML.slice(0, 90))"""


def by_id(name):
    return f"document.getElementById({json.dumps(name)})"


class Check:
    def __init__(self, browser, server):
        self.browser = browser
        self.server = server.rstrip("/")
        self.id_name = next(
            resource["idName"] for resource in self.request("GET", "/__admin/resources") if resource["name"] == "posts")

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

    def show(self, place):
        """Goes to a place and waits until it is filled."""
        self.go(place)
        self.browser.wait_for("document.querySelectorAll('#resources a').length > 0", f"resources at {place}")
        if place == "/docs":
            self.browser.evaluate("document.querySelector('#posts details').open = true")
        elif place.startswith("#records"):
            self.browser.wait_for(f"{ROWS}.length > 0", f"rows at {place}")
        if "/1" in place:
            self.browser.wait_for(f"{by_id('record-json')}.textContent", f"the record at {place}")

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
        assert str(total) in text.replace(",", ""), f"“{text}” does not name the total {total}"

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
        self.request("PATCH", f"/posts/{made[self.id_name]}", {"title": f"{TITLE} changed"})
        self.browser.wait_for(self.row_with(f"{TITLE} changed"), "the other client's change")
        self.request("DELETE", f"/posts/{made[self.id_name]}")
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
            expected = [str(post[self.id_name]) for post in self.request("GET", f"/posts?{parameters}&_page=1&_limit=20")]
            shown = self.browser.evaluate(titles)
            assert shown == expected, f"{order}: {shown} instead of {expected}"
        assert self.browser.evaluate("document.activeElement.textContent") == "title", "Sorting loses the focus."

    def a_member_without_a_name_has_a_column(self):
        [post] = self.records_made()
        self.request("PATCH", f"/posts/{post[self.id_name]}", {"": "nameless"})
        self.go(f"#records/posts?q={TITLE.replace(' ', '+')}")
        self.browser.wait_for(self.row_with("nameless"), "the value of the nameless member")
        heads = self.browser.evaluate("[...document.querySelectorAll('#columns button')].map((e) => e.textContent)")
        assert all(heads), f"A column has no name: {heads}"

    def a_record_is_edited_and_deleted(self):
        [post] = self.records_made()
        self.go(f"#records/posts/{post[self.id_name]}")
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
        assert json.loads(self.browser.evaluate(f"{by_id('answer-body')}.textContent"))[0][self.id_name], "No record in the answer."
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
        for place in PLACES:
            self.show(place)
            nodes = self.browser.call("Accessibility.getFullAXTree")["nodes"]
            seen = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]}
            roles = {role for role, _ in seen}
            # Behind a modal dialog everything else is inert, landmarks too.
            landmarks = {"dialog"} if "/1" in place else {"banner", "navigation", "main"}
            assert landmarks <= roles, f"{place} lacks a landmark: {sorted(roles)}"
            needing = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "switch", "spinbutton", "region"}
            nameless = [role for role, name in seen if role in needing and not name]
            assert not nameless, f"{place}: no name for {nameless}"
            levels = self.browser.evaluate(
                "[...document.querySelectorAll('h1, h2, h3, h4')].filter((e) => e.checkVisibility()).map((e) => Number(e.tagName[1]))")
            jumps = [pair for pair in zip(levels, levels[1:]) if pair[1] > pair[0] + 1]
            assert levels.count(1) == 1 and levels[0] == 1 and not jumps, f"{place}: heading levels {levels}"
            twice = self.browser.evaluate(
                "[...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, index, all) => all.indexOf(id) !== index)")
            assert not twice, f"{place}: ids that are there twice: {twice}"
        assert self.browser.evaluate("document.documentElement.lang") == "en", "The page has no language."

    def text_stands_out_from_its_background(self):
        for theme in ["light", "dark"]:
            self.browser.prefer(prefers_color_scheme=theme)
            for place in PLACES:
                self.show(place)
                faint = self.browser.evaluate(FAINT_TEXT)
                assert not faint, f"{place}, {theme}: {faint}"
        self.browser.prefer(prefers_color_scheme="light")

    def the_keyboard_reaches_everything_and_shows_where_it_is(self):
        for place in ["#records/posts", "#try", "#server", "/docs"]:
            self.show(place)
            self.browser.evaluate("window.reached = new Set(); 0")
            focus = "nothing"
            while focus != "again":
                self.browser.press("Tab", virtual=9)
                focus = self.browser.evaluate(FOCUSED)
                assert focus != "hidden", f"{place}: no focus ring on {self.browser.evaluate('document.activeElement.outerHTML')}"
            missed = self.browser.evaluate(f"({FOCUSABLE}).filter((e) => !window.reached.has(e)).map((e) => e.outerHTML)")
            assert not missed, f"{place}: Tab does not reach {missed[:3]}"

    def targets_are_large_enough(self):
        self.browser.resize(390, 844, mobile=True)
        for place in PLACES:
            self.show(place)
            small = self.browser.evaluate(
                "[...document.querySelectorAll('button, select, input:not([type=checkbox]), nav a')].filter((e) => e.checkVisibility())"
                ".filter((e) => Math.min(e.offsetWidth, e.offsetHeight) < 24).map((e) => e.outerHTML.slice(0, 90))")
            assert not small, f"{place}: smaller than 24 px: {small[:3]}"
        self.browser.resize(1280, 900)

    def motion_stops_where_it_is_unwanted(self):
        self.browser.prefer(prefers_reduced_motion="reduce")
        self.show("#records/posts")
        self.browser.evaluate("document.querySelector('#rows tr').classList.add('changed')")
        moving = self.browser.evaluate("document.getAnimations().length")
        self.browser.prefer(prefers_reduced_motion="no-preference")
        assert moving == 0, "Rows move although the reader wants none of it."

    def nothing_overflows_at_any_width(self):
        for width in [320, 390, 800, 1280]:
            self.browser.resize(width, 844, mobile=width < 500)
            for place in PLACES + ["#log"]:
                self.show(place)
                excess = self.browser.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert excess <= 0, f"{place} is {excess} px wider than {width}"
                cut = self.browser.evaluate(CUT_OFF)
                assert not cut, f"{place} at {width}: beyond the edge: {cut[:3]}"
        self.browser.resize(1280, 900)

    def the_page_loads_only_its_own_files(self):
        self.show("#records/posts")
        foreign = self.browser.evaluate(
            "performance.getEntriesByType('resource').map((e) => e.name).filter((name) => new URL(name).origin !== location.origin)")
        assert not foreign, f"from elsewhere: {foreign}"
        size = self.browser.evaluate(
            "Promise.all(['', ...['docs', 'icon.svg', 'page.css', ...'api docs dom json log page record records relations request server theme'"
            ".split(' ').map((name) => name + '.js')].map((name) => '/' + name)].map((name) => fetch(`/__admin${name}`)"
            ".then((response) => response.ok ? response.arrayBuffer() : Promise.reject(name)).then((bytes) => bytes.byteLength)))"
            ".then((sizes) => sizes.reduce((a, b) => a + b))")
        assert size <= 60 * 1024, f"The page takes {size} bytes."

    def the_console_is_silent(self):
        assert not self.browser.problems, "; ".join(self.browser.problems)

    def clean_up(self):
        for post in self.records_made():
            self.request("DELETE", f"/posts/{post[self.id_name]}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    names = [name for name in vars(Check) if name not in
             ("__init__", "request", "go", "show", "click", "fill", "row_with", "records_made", "clean_up") and not name.startswith("__")]
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
