"""The base of all page checks: a tab, a server, and a user's actions with both."""

import json
import re

from server import data

ROWS = "[...document.querySelectorAll('#rows tr')]"


def quoted(text):
    return json.dumps(text)


def by_id(name):
    return f"document.getElementById({quoted(name)})"


class Page:
    """A group of checks: its methods without a leading underscore, in their order."""

    # Further arguments of the group's server.
    _options = ()
    _data = staticmethod(data)

    def __init__(self, browser, server):
        self._browser = browser
        self._server = server
        self._request = server.request

    def _go(self, place):
        self._browser.open("about:blank")
        self._browser.open(f"{self._server.url}/__admin{place}")

    def _show(self, place):
        """Goes to a place and waits until it is filled."""
        self._go(place)
        self._wait("document.querySelectorAll('#resources a').length > 0", f"resources at {place}")
        if place == "/docs":
            self._browser.evaluate("document.querySelector('#posts details').open = true")
        elif place.startswith("#records"):
            self._wait(f"{ROWS}.length > 0 && !document.querySelector('.skeleton')", f"rows at {place}")
        if re.search(r"/\d", place):
            self._wait(f"{by_id('record-json')}.textContent", f"the record at {place}")

    def _value(self, script):
        return self._browser.evaluate(script)

    def _wait(self, script, what, seconds=30):
        self._browser.wait_for(script, what, seconds)

    def _text(self, name):
        return self._value(f"{by_id(name)}.innerText")

    def _wait_text(self, name, text):
        self._wait(f"{by_id(name)}.innerText.includes({quoted(text)})", f"“{text}” in #{name}, which says “{self._text(name)[:200]}”")

    def _click(self, name):
        self._value(f"{by_id(name)}.click()")

    def _press(self, text, within="document.body"):
        """Presses the button, link or option of this text."""
        found = f"[...{within}.querySelectorAll('button, a, [role=option]')].find((e) => e.checkVisibility() && e.innerText.trim().startsWith({quoted(text)}))"
        self._wait(found, f"a button “{text}”")
        self._value(f"{found}.click()")

    def _answer(self, text):
        """Answers a question."""
        self._wait(f"{by_id('confirm')}.open", "a question")
        self._press(text, by_id("confirm"))
        self._wait(f"!{by_id('confirm')}.open", "the question is gone")

    def _fill(self, name, text):
        if name == "record-text":
            self._show_json()
        self._value(f"{by_id(name)}.focus(); {by_id(name)}.select()")
        self._browser.type(text)

    def _show_json(self):
        """Leaves a record's form for its JSON."""
        self._value(f"{by_id('record-tab-json')}?.click()")
        self._wait(f"{by_id('record-text')}.checkVisibility()", "the JSON")

    def _submit(self, name):
        self._value(f"{by_id(name)}.requestSubmit()")

    def _row_with(self, text):
        return f"{ROWS}.find((row) => row.textContent.includes({quoted(text)}))"

    def _cell(self, key, name):
        return f"document.querySelector('#rows tr[data-id=\"{key}\"] td[data-name=\"{name}\"]')"

    def _mouse(self, script, button="left"):
        """Clicks the middle of an element, with all the events of a mouse."""
        self._value(f"{script}.scrollIntoView({{ block: 'center', inline: 'center' }})")
        box = self._value(f"(({{ x, y, width, height }}) => [x + width / 2, y + height / 2])({script}.getBoundingClientRect())")
        for kind in ["mousePressed", "mouseReleased"]:
            self._browser.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button=button, clickCount=1)

    def _edit(self, key, name):
        """Opens a cell's editor by a double click, whose events come at once: on a busy machine a mouse would be too slow."""
        self._wait(self._cell(key, name), f"{name} of {key}")
        self._value(f"""(() => {{ for (const [type, detail] of [["click", 1], ["click", 2], ["dblclick", 2]])
            {self._cell(key, name)}.dispatchEvent(new MouseEvent(type, {{ bubbles: true, cancelable: true, detail }})); }})()""")
        self._wait("document.querySelector('.in-cell')", f"a field for {name} of {key}")

    def _hold(self, pattern):
        """Keeps the answer to the page's next request whose address has this pattern, until `_release()`."""
        self._value(f"""window.release = undefined; window.kept ??= fetch; window.fetch = async (url, options) => {{
            const answer = await kept(url, options);
            if (/{pattern}/.test(url) && !window.release) await new Promise((resolve) => {{ window.release = resolve; }});
            return answer; }}; 0""")

    def _release(self):
        """Gives the page the answer, and the time to use it."""
        self._wait("window.release", "an answer that is kept")
        self._value("release(), kept('__admin/health').then((answer) => answer.text())")

    def _open_editor(self, place, text):
        """Opens the form of a record and fills it."""
        self._show(place)
        self._click("record-edit")
        self._fill("record-text", text)
