#!/usr/bin/env python3
"""Checks the page in a headless browser.

    check-page.py PROGRAM [GROUP …]

PROGRAM is swift-json-server; each group of checks starts it anew, with data of its own, and a browser. The groups are those of GROUPS
below; without one, all of them, two at once, and those that fail once more, alone. With AXE, the path of axe-core's axe.min.js, they
include axe. Exit status: 0 when everything holds, 1 when something does not; each check says so in a line. Set CHROMIUM to the browser's
path if it is not found.
"""

import concurrent.futures
import os
import sys
import traceback

from accessibility import AXE, Accessible
from basics import Basics
from chromium import Browser
from drawer import Drawer
from editing import Editing
from finding import Finding
from frame import Again, Crowded, Frame, Tabs
from honesty import Honesty
from lists import Lists, SignedIn, Sizes
from meanwhile import Meanwhile
from mocking import Mocking, Strict
from panel import Panel
from reading import Reading
from requestlog import RequestLog
from safety import Safety
from server import Server
from transfer import OtherDialect, Transfer
from walks import Dark, Keyboard, Many, Phone, Slow

GROUPS = {
    "basics": Basics, "safety": Safety, "honesty": Honesty, "finding": Finding, "editing": Editing, "reading": Reading, "log": RequestLog,
    "meanwhile": Meanwhile, "mocking": Mocking, "strict": Strict, "many": Many, "phone": Phone, "slow": Slow, "keyboard": Keyboard, "dark": Dark,
    "frame": Frame, "again": Again, "tabs": Tabs, "crowded": Crowded,
    "panel": Panel, "transfer": Transfer, "otherdialect": OtherDialect, "lists": Lists, "sizes": Sizes, "signedin": SignedIn, "drawer": Drawer,
}
if AXE:
    GROUPS["axe"] = Accessible
# Browsers wait most of the time; more at once would wait for the processor, and checks have time limits.
AT_ONCE = 2


def run(group, program):
    """Runs a group's checks; returns a line for each, and how many failed."""
    lines, failed = [], 0
    with Server(program, group._data(), group._options) as server, Browser() as browser:
        browser.resize(1280, 900)
        checks = group(browser, server)
        for name in [name for name in vars(group) if not name.startswith("_")]:
            try:
                getattr(checks, name)()
                lines.append(f"ok      {name.replace('_', ' ')}")
            except Exception as error:
                failed += 1
                # An assertion without words of its own is told by its line.
                reason = str(error) or traceback.extract_tb(error.__traceback__)[-1].line
                lines.append(f"FAILED  {name.replace('_', ' ')}: {reason}")
        if browser.problems:
            failed += 1
            lines.append(f"FAILED  the console is silent: {'; '.join(browser.problems)}")
    return lines, failed


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= GROUPS.keys():
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    names = sys.argv[2:] or list(GROUPS)
    failed = 0
    again = []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for name, result in [(name, pool.submit(run, GROUPS[name], program)) for name in names]:
            lines, count = result.result()
            if count: again.append(name)
            print(f"{name}:", *lines, sep="\n  ", flush=True)
    # Several browsers at once may exceed a check's time limit, so a failed group is repeated alone.
    for name in again:
        lines, count = run(GROUPS[name], program)
        failed += count
        print(f"{name}, alone:", *lines, sep="\n  ", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
