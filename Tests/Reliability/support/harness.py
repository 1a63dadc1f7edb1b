"""What every harness is made of: its options, its scratch directory and its verdict."""

import argparse
import json
import os
import shutil
import sys
import tempfile
import traceback


class Skip(Exception):
    """The machine lacks what the harness needs."""


class Harness:
    """Collects failures and the figure of one harness."""

    def __init__(self, options):
        self.options = options
        self.binary = os.path.abspath(options.server)
        self.failures = []
        self.figure = ""
        self.directory = tempfile.mkdtemp(prefix="reliability-", dir=options.directory)

    def fail(self, message):
        self.failures.append(message)
        print(f"  FAILED: {message}", file=sys.stderr, flush=True)

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
    """Runs a harness: prints its verdict as JSON on standard output, exits 1 on failure and 77 when it cannot run."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--server", required=True, help="the binary under test")
    parser.add_argument("--directory", help="where scratch directories are made (default: the system's)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--thorough", action="store_true", help="as many trials as RELIABILITY.md asks for")
    add_options(parser)
    harness = Harness(parser.parse_args())
    status = 0
    verdict = {}
    try:
        measure(harness)
        status = 1 if harness.failures else 0
    except Skip as skip:
        verdict["skipped"] = str(skip)
        status = 77
    except Exception as error:  # A harness that breaks has not shown anything.
        traceback.print_exc()
        harness.failures.append(f"the harness broke: {error!r}")
        status = 1
    finally:
        shutil.rmtree(harness.directory, ignore_errors=True)
    verdict |= {"figure": harness.figure, "failures": harness.failures[:20], "failureCount": len(harness.failures)}
    print(json.dumps(verdict))
    sys.exit(status)
