"""Accessibility: problems that axe-core finds."""

import json
import os

from page import Page, by_id

# The path of axe-core's axe.min.js; without one nothing is checked.
AXE = os.environ.get("AXE")


class Accessible(Page):
    """Every view, and everything that opens, by day and by night."""

    def axe_finds_nothing_in_the_light(self):
        self._check()

    def axe_finds_nothing_in_the_dark(self):
        self._browser.prefer(prefers_color_scheme="dark")
        self._check()

    def _check(self):
        self._request("POST", "/__admin/stubs", {"request": {"path": "/me"}, "response": {"body": {}}})
        self._server.status("/me")
        # The element to click, and the element that is shown then.
        for place, target, shown in [
            ("#records/posts", None, "records-range"),
            ("#records/posts/1", None, "record-json"),
            ("#records/posts/1", by_id("record-edit"), "record-fields"),
            ("#records/posts", by_id("filter-add"), "filter-box"),
            ("#records/posts", "document.querySelector('#columns .pick input')", "selection"),
            ("#records/posts/1", by_id("record-delete"), "confirm"),
            ("#records/posts", by_id("open-palette"), "palette"),
            ("#records/posts", by_id("columns-choose"), "panel"),
            ("#records/posts", "document.querySelector('#log-list button')", "panel"),
            ("#records/posts", self._cell(1, "title"), "menu"),
            ("#try", None, "try"),
            ("#log", None, "log"),
            ("#server", None, "server"),
            ("/docs", None, "posts"),
        ]:
            self._show(place)
            if target:
                self._wait(target, "what is clicked")
                event = "contextmenu" if shown == "menu" else "click"
                self._value(f"{target}.dispatchEvent(new MouseEvent('{event}', {{ bubbles: true, cancelable: true }})); 0")
            self._wait(f"{by_id(shown)}?.checkVisibility()", f"#{shown}")
            found = self._violations()
            assert not found, f"{place}, #{shown}: {'; '.join(found)}"

    def _violations(self):
        with open(AXE, encoding="utf-8") as file:
            self._value(f"{file.read()}; 0")
        self._value("""
            window.violations = null;
            axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => {
              window.violations = violations.map(({ id, help, nodes }) => `${id} (${help}): ${nodes.map(node => node.target.join(' '))}`);
            }); 0""")
        self._wait("window.violations !== null", "what axe found")
        return json.loads(self._value("JSON.stringify(window.violations)"))
