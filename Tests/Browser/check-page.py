#!/usr/bin/env python3
"""Checks the page in a headless browser.

    check-page.py PROGRAM [GROUP …]

PROGRAM is swift-json-server; each group of checks starts it anew, with data of its own. The groups are basics, safety, honesty, finding,
editing, reading and log; without one, all of them. Exit status: 0 when everything holds, 1 when something does not; each check says so in
a line. Set CHROMIUM to the browser's path if it is not found.
"""

import os
import sys
import traceback

from basics import Basics
from chromium import Browser
from editing import Editing
from finding import Finding
from honesty import Honesty
from reading import Reading
from requestlog import RequestLog
from safety import Safety
from server import Server

GROUPS = {
    "basics": Basics, "safety": Safety, "honesty": Honesty, "finding": Finding, "editing": Editing, "reading": Reading, "log": RequestLog,
}


def run(group, program):
    """Runs a group's checks, says how each went, and returns how many failed."""
    failed = 0
    with Server(program) as server, Browser() as browser:
        browser.resize(1280, 900)
        checks = group(browser, server)
        for name in [name for name in vars(group) if not name.startswith("_")]:
            try:
                getattr(checks, name)()
                print(f"ok      {name.replace('_', ' ')}", flush=True)
            except Exception as error:
                failed += 1
                # An assertion without words of its own is told by its line.
                reason = str(error) or traceback.extract_tb(error.__traceback__)[-1].line
                print(f"FAILED  {name.replace('_', ' ')}: {reason}", flush=True)
        if browser.problems:
            failed += 1
            print(f"FAILED  the console is silent: {'; '.join(browser.problems)}")
    return failed


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= GROUPS.keys():
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    failed = sum(run(GROUPS[name], program) for name in sys.argv[2:] or GROUPS)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
