"""Basic features: lists, forms, live changes, tools, and accessibility."""

import json
import uuid

from page import ROWS, Page, by_id

TITLE = f"check {uuid.uuid4().hex[:8]}"

PLACES = ["#records/posts", "#records/posts/1", "#try", "#server", "/docs"]

# The texts whose contrast is below WCAG 2.2's AA: 4.5, or 3 for large ones; colours as sRGB, backgrounds laid over each other.
FAINT_TEXT = """(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = {};
  const channels = (colour) => known[colour] ??= (() => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return { rgb: [red, green, blue], alpha: alpha / 255 };
  })();
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

# In a tab list or a table's head, the Tab key reaches one element and the arrow keys reach the others.
FOCUSABLE = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((e) => e.checkVisibility() && e.tabIndex >= 0 && !e.closest("[inert]"))"""

# The element with the focus: "nothing", "hidden" when nothing shows the focus, "again" or "new".
FOCUSED = """(() => {
  const element = document.activeElement;
  if (element === document.body) return "nothing";
  if (getComputedStyle(element).outlineStyle === "none") return "hidden";
  if (window.reached.has(element)) return "again";
  window.reached.add(element);
  return "new";
})()"""

# The elements beyond the right edge of the page that are not in a scrolling element.
CUT_OFF = """[...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1)
  .filter((e) => {
    for (let around = e; around; around = around.parentElement) if (/auto|scroll/.test(getComputedStyle(around).overflowX)) return false;
    return true;
  }).map((e) => e.outerHTML.slice(0, 90))"""


class Basics(Page):
    def _records_made(self):
        return [post for post in self._request("GET", "/posts") if TITLE in str(post.get("title"))]

    def resources_are_listed_with_counts(self):
        self._go("")
        self._wait("document.querySelectorAll('#resources a').length > 0", "resources in the navigation")
        listed = self._value("[...document.querySelectorAll('#resources a span:first-child')].map((e) => e.textContent)")
        expected = [resource["name"] for resource in self._request("GET", "/__admin/resources")]
        assert listed == expected, f"{listed} instead of {expected}"

    def a_table_shows_a_page(self):
        self._show("#records/posts")
        total = len(self._request("GET", "/posts"))
        self._wait_text("records-range", f"of {total}")

    def text_that_is_not_json_is_explained(self):
        self._click("record-new")
        self._fill("record-text", "{ title }")
        self._submit("record-form")
        self._wait(f"{by_id('record-error')}.textContent.includes('not JSON')", "a message about the text")

    def a_record_made_in_the_form_appears(self):
        markup = f"{TITLE} made <img src=x onerror=document.title='broken'>"
        self._fill("record-text", json.dumps({"title": markup}))
        self._submit("record-form")
        self._wait(self._row_with(markup), "the new record in the table, its markup as text")
        assert not self._value("document.querySelector('#rows img')"), "Data became markup."
        assert len(self._records_made()) == 1, "The server has no such record."

    def changes_of_another_client_appear(self):
        made = self._request("POST", "/posts", {"title": f"{TITLE} by another"})
        self._wait(self._row_with(f"{TITLE} by another"), "the other client's record")
        self._wait(f"{self._row_with(TITLE + ' by another')}.classList.contains('changed')", "a highlight")
        self._request("PATCH", f"/posts/{made['id']}", {"title": f"{TITLE} changed"})
        self._wait(self._row_with(f"{TITLE} changed"), "the other client's change")
        self._request("DELETE", f"/posts/{made['id']}")
        self._wait(f"!{self._row_with(TITLE + ' changed')}", "the deletion")

    def requests_of_another_client_are_logged(self):
        self._request("GET", f"/posts?title={TITLE.replace(' ', '-')}")
        logged = f"[...document.querySelectorAll('#log-list .path')].some((e) => e.textContent.includes('{TITLE.replace(' ', '-')}'))"
        self._wait(logged, "the request in the log")
        self._value("document.querySelector('#log-list button').click()")
        self._wait(f"{by_id('panel')}.open && {by_id('panel')}.querySelector('dt')", "its headers")
        self._browser.press("Escape", virtual=27)
        self._wait(f"!{by_id('panel')}.open", "Escape closes the request")

    def search_narrows_the_table(self):
        self._fill("search", TITLE)
        self._wait(f"{ROWS}.length === 1 && {self._row_with(TITLE)}", "only the record searched for")
        self._fill("search", "no record says this")
        self._wait(f"{by_id('records-note')}.textContent.includes('No records match')", "what to do when nothing matches")

    def a_column_sorts(self):
        self._go("#records/posts")
        head = "[...document.querySelectorAll('#columns th')].find((e) => e.textContent === 'title')"
        titles = "[...document.querySelectorAll('#rows tr')].map((e) => e.dataset.id)"
        for order, parameters in [("ascending", "_sort=title"), ("descending", "_sort=title&_order=desc")]:
            self._wait(head, "a column named title")
            self._value(f"{head}.querySelector('button').focus(); {head}.querySelector('button').click()")
            self._wait(f"{head}?.ariaSort === '{order}'", f"aria-sort {order}")
            expected = [str(post["id"]) for post in self._request("GET", f"/posts?{parameters}&_page=1&_limit=20")]
            shown = self._value(titles)
            assert shown == expected, f"{order}: {shown} instead of {expected}"
        assert self._value("document.activeElement.textContent") == "title", "Sorting loses the focus."

    def a_member_without_a_name_has_a_column(self):
        [post] = self._records_made()
        self._request("PATCH", f"/posts/{post['id']}", {"": "nameless"})
        self._go(f"#records/posts?q={TITLE.replace(' ', '+')}")
        self._wait(self._row_with("nameless"), "the value of the nameless member")
        heads = self._value("[...document.querySelectorAll('#columns button')].map((e) => e.textContent)")
        assert all(heads), f"A column has no name: {heads}"

    def a_record_is_edited_and_deleted(self):
        [post] = self._records_made()
        self._go(f"#records/posts/{post['id']}")
        self._wait(f"{by_id('record-json')}.textContent", "the record's JSON")
        self._click("record-edit")
        self._fill("record-text", json.dumps({"title": f"{TITLE} edited"}))
        self._submit("record-form")
        self._wait(f"{by_id('record-json')}.textContent.includes('edited')", "the edited record")
        assert self._records_made()[0]["title"] == f"{TITLE} edited", "The server has another title."
        self._click("record-delete")
        self._answer("Delete")
        self._wait(f"!{by_id('record')}.open", "the record has closed")
        assert self._records_made() == [], "The server still has the record."

    def a_request_can_be_tried(self):
        self._go("#try?method=GET&path=/posts%3F_limit%3D1")
        self._wait(f"{by_id('try-path')}.value === '/posts?_limit=1'", "the request from the address")
        self._value(f"{by_id('try-form')}.requestSubmit()")
        self._wait(f"{by_id('answer-line')}.textContent.startsWith('200')", "the status")
        assert json.loads(self._value(f"{by_id('answer-body')}.textContent"))[0]["id"], "No record in the answer."
        self._value("(() => { const e = document.querySelector('#try .code select'); e.value = 'Swift'; e.onchange(); })()")
        assert "URLSession" in self._value("document.querySelector('#try .code pre').textContent"), "No Swift."

    def switches_change_the_server(self):
        self._go("#server")
        self._wait(f"{by_id('rules')}.children.length", "the list of faults")
        self._fill("snapshot-name", "check-page")
        self._value(f"{by_id('snapshot-form')}.requestSubmit()")
        self._wait("document.querySelector('[aria-label=\"Delete check-page\"]')", "the snapshot")
        self._value("document.querySelector('[aria-label=\"Delete check-page\"]').click()")
        self._answer("Cancel")
        assert self._value("Boolean(document.querySelector('[aria-label=\"Delete check-page\"]'))"), "The snapshot is gone without an answer."
        self._value("document.querySelector('[aria-label=\"Delete check-page\"]').click()")
        self._answer("Delete")
        self._wait("!document.querySelector('[aria-label=\"Delete check-page\"]')", "the snapshot is gone")
        self._fill("rule-path", "/check-page*")
        self._value(f"{by_id('rule-form')}.requestSubmit()")
        remove = "[...document.querySelectorAll('#rules li')].find((e) => e.textContent.includes('/check-page*'))?.querySelector('[aria-label^=Remove]')"
        self._wait(remove, "the fault")
        self._value(f"{remove}.click()")
        self._wait(f"!{remove}", "the fault is gone")

    def the_documentation_shows_each_resource(self):
        self._browser.open("about:blank")
        self._browser.open(f"{self._server.url}/__admin/docs")
        self._wait("document.querySelector('#posts details')", "operations of posts")
        self._value("document.querySelector('#posts details').open = true")
        assert self._value("document.querySelector('#posts a').href").endswith("&body="), "No link to try it."
        assert json.loads(self._value("document.querySelector('#posts pre').textContent")), "No example."

    def everything_has_a_role_and_a_name(self):
        for place in PLACES:
            self._show(place)
            nodes = self._browser.call("Accessibility.getFullAXTree")["nodes"]
            seen = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]}
            roles = {role for role, _ in seen}
            # Behind a modal dialog everything else is inert, landmarks too.
            landmarks = {"dialog"} if "/1" in place else {"banner", "navigation", "main"}
            assert landmarks <= roles, f"{place} lacks a landmark: {sorted(roles)}"
            needing = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "switch", "spinbutton", "region"}
            nameless = [role for role, name in seen if role in needing and not name]
            assert not nameless, f"{place}: no name for {nameless}"
            levels = self._value(
                "[...document.querySelectorAll('h1, h2, h3, h4')].filter((e) => e.checkVisibility()).map((e) => Number(e.tagName[1]))")
            jumps = [pair for pair in zip(levels, levels[1:]) if pair[1] > pair[0] + 1]
            assert levels.count(1) == 1 and levels[0] == 1 and not jumps, f"{place}: heading levels {levels}"
            twice = self._value(
                "[...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, index, all) => all.indexOf(id) !== index)")
            assert not twice, f"{place}: ids that are there twice: {twice}"
        assert self._value("document.documentElement.lang") == "en", "The page has no language."

    def text_stands_out_from_its_background(self):
        for theme in ["light", "dark"]:
            self._browser.prefer(prefers_color_scheme=theme)
            for place in PLACES:
                self._show(place)
                faint = self._value(FAINT_TEXT)
                assert not faint, f"{place}, {theme}: {faint}"
        self._browser.prefer(prefers_color_scheme="light")

    def a_link_within_text_is_more_than_a_colour(self):
        self._show("#records/posts/1")
        assert self._value("getComputedStyle(document.querySelector('#record-json a')).textDecorationLine") == "underline"

    def the_keyboard_reaches_everything_and_shows_where_it_is(self):
        for place in ["#records/posts", "#try", "#server", "/docs"]:
            self._show(place)
            # The next round reaches elements that were replaced behind the focus, such as a table when the page connects.
            for _ in range(3):
                missed = self._walk(place)
                if not missed:
                    break
            assert not missed, f"{place}: Tab does not reach {missed[:3]}"

    def _walk(self, place):
        """Presses Tab until all elements were reached; returns the others."""
        self._value("window.reached = new Set(); 0")
        focus = "nothing"
        while focus != "again":
            self._browser.press("Tab", virtual=9)
            focus = self._value(FOCUSED)
            assert focus != "hidden", f"{place}: no focus ring on {self._value('document.activeElement.outerHTML')}"
        return self._value(f"({FOCUSABLE}).filter((e) => !window.reached.has(e)).map((e) => e.outerHTML)")

    def targets_are_large_enough(self):
        self._browser.resize(390, 844, mobile=True)
        for place in PLACES:
            self._show(place)
            small = self._value(
                "[...document.querySelectorAll('button, select, input:not([type=checkbox]), nav a, .operation p a')].filter((e) => e.checkVisibility())"
                ".filter((e) => Math.min(e.offsetWidth, e.offsetHeight) < 24).map((e) => e.outerHTML.slice(0, 90))")
            assert not small, f"{place}: smaller than 24 px: {small[:3]}"
        self._browser.resize(1280, 900)

    def motion_stops_where_it_is_unwanted(self):
        self._browser.prefer(prefers_reduced_motion="reduce")
        self._show("#records/posts")
        self._value("document.querySelector('#rows tr').classList.add('changed')")
        moving = self._value("document.getAnimations().length")
        self._browser.prefer(prefers_reduced_motion="no-preference")
        assert moving == 0, "Rows move although the reader wants none of it."

    def nothing_overflows_at_any_width(self):
        for width in [320, 390, 800, 1280]:
            self._browser.resize(width, 844, mobile=width < 500)
            for place in PLACES + ["#log"]:
                self._show(place)
                excess = self._value("document.documentElement.scrollWidth - innerWidth")
                assert excess <= 0, f"{place} is {excess} px wider than {width}"
                cut = self._value(CUT_OFF)
                assert not cut, f"{place} at {width}: beyond the edge: {cut[:3]}"
        self._browser.resize(1280, 900)

    def the_page_loads_only_its_own_files(self):
        self._show("#records/posts")
        foreign = self._value(
            "performance.getEntriesByType('resource').map((e) => e.name).filter((name) => new URL(name).origin !== location.origin)")
        assert not foreign, f"from elsewhere: {foreign}"

    def the_page_stays_small(self):
        self._show("#records/posts")
        self._click("open-palette")
        own = "performance.getEntriesByType('resource').map((e) => new URL(e.name)).filter((e) => /\\.(js|css|svg)$/.test(e.pathname)).map((e) => e.pathname)"
        places = ["/", "/favicon.ico", *self._value(f"[...new Set({own})].filter((e) => !e.endsWith('icon.svg'))")]
        sizes = {place: self._server.compressed_size(place) for place in places}
        assert len(places) > 10 and sum(sizes.values()) <= 72 * 1024, f"The page takes {sum(sizes.values())} bytes: {sizes}"
