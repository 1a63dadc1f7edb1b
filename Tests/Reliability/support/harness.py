"""What every harness is made of: its options, its scratch directory and its verdict."""

import argparse
import ctypes
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import traceback

from support.server import Server

# The exit status of a harness for each of its results.
STATUSES = {"ok": 0, "found": 1, "broken": 70, "skipped": 77}


class Skip(Exception):
    """The machine lacks what the harness needs."""


class Harness:
    """Collects failures and the figure of one harness."""

    def __init__(self, options):
        self.options = options
        self.binary = os.path.abspath(options.server)
        self.failures = []
        # Why the harness itself could not go on or decide: it has not shown anything about the server.
        self.breaks = []
        self.figure = ""
        self.directory = tempfile.mkdtemp(prefix="reliability-", dir=options.directory)

    def fail(self, message):
        self.failures.append(message)
        print(f"  FAILED: {message}", file=sys.stderr, flush=True)

    def broke(self, message):
        self.breaks.append(message)
        print(f"  BROKEN: {message}", file=sys.stderr, flush=True)

    def check(self, condition, message):
        if not condition:
            self.fail(message)
        return bool(condition)

    def note(self, message):
        print(f"  {message}", file=sys.stderr, flush=True)

    def subdirectory(self, name):
        path = os.path.join(self.directory, name)
        os.makedirs(path)
        return path


def main(measure, add_options=lambda parser: None):
    """Runs a harness: prints its verdict as JSON on standard output, and exits with the status of its result."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--server", required=True, help="the binary under test")
    parser.add_argument("--directory", help="where scratch directories are made (default: the system's)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--thorough", action="store_true", help="as many trials as the promises name")
    add_options(parser)
    harness = Harness(parser.parse_args())

    def report(error):
        traceback.print_exception(type(error), error, error.__traceback__)
        harness.broke(repr(error))

    threading.excepthook = lambda arguments: report(arguments.exc_value)
    # Who has waited long enough asks for the end, and mounts and directories are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(STATUSES["broken"]))
    keep_mounts_private()
    skipped = None
    try:
        # A server that never starts shows nothing.
        path = os.path.join(harness.subdirectory("start"), "database.json")
        with open(path, "w") as file:
            file.write("{}")
        with Server(harness.binary, path, "--quiet"):
            pass
        measure(harness)
    except Skip as skip:
        skipped = str(skip)
    except Exception as error:
        report(error)
    finally:
        shutil.rmtree(harness.directory, ignore_errors=True)
    result, said = judged(harness, skipped)
    print(json.dumps({"result": result, "said": said, "failures": harness.failures[:20]}))
    sys.exit(STATUSES[result])


def keep_mounts_private():
    """Gives the process mounts of its own: nobody else can hold them, and they end with it."""
    libc = ctypes.CDLL(None)
    if sys.platform == "linux" and libc.unshare(0x20000) == 0:
        # No change passes to or from the others.
        libc.mount(b"none", b"/", None, 0x44000, None)


def judged(harness, skipped):
    """The result of a harness, and one line about it. What was found before the harness broke remains found."""
    broke = [f"broke: {harness.breaks[0]}"] if harness.breaks else []
    figure = [harness.figure] if harness.figure else []
    if harness.failures:
        first = f"{len(harness.failures)} failures, first: {harness.failures[0]}"
        return "found", "; ".join([first, *broke, *figure])
    if broke:
        return "broken", "; ".join([*broke, *figure])
    return ("ok", harness.figure) if skipped is None else ("skipped", skipped)
