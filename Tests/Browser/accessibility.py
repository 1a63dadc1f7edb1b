"""What axe-core finds wrong for people who do not see the page, or not well."""

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
        for place, script in [
            ("#records/posts", "0"),
            ("#records/posts/1", "0"),
            ("#records/posts/1", f"{by_id('record-edit')}.click()"),
            ("#records/posts/1", f"{by_id('record-delete')}.click()"),
            ("#records/posts", f"{by_id('open-palette')}.click()"),
            ("#records/posts", f"{by_id('columns-choose')}.click()"),
            ("#records/posts", "document.querySelector('#log-list button').click()"),
            ("#try", "0"),
            ("#server", "0"),
            ("/docs", "0"),
        ]:
            self._show(place)
            if "log-list" in script:
                self._wait("document.querySelector('#log-list button')", "the log")
            self._value(f"{script}; 0")
            found = self._violations()
            assert not found, f"{place}, {script}: {'; '.join(found)}"

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
