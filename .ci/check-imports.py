#!/usr/bin/env python3
"""Checks that imports follow the arrows between the targets, and that what differs by platform keeps to its folders."""
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources"

# Which of our targets a target may import.
ARROWS = {
    "OrderedJSON": set(),
    "JSONDescription": {"OrderedJSON"},
    "JSONDatabase": {"OrderedJSON"},
    "JSONStorage": {"JSONDatabase", "OrderedJSON", "CStorage"},
    "JSONServer": {"JSONStorage", "JSONDatabase", "JSONDescription", "OrderedJSON", "CStorage", "CZlib"},
    "JSONServerTesting": {"JSONServer", "JSONDatabase", "JSONDescription", "OrderedJSON"},
    "swift-json-server": {"JSONServer", "JSONDatabase", "JSONDescription", "OrderedJSON", "CStorage"},
    "JSONServerPlugin": set(),
    "CStorage": set(),
    "CZlib": set(),
}

# These know no files, clocks, threads or HTTP.
PURE = {"OrderedJSON", "JSONDescription", "JSONDatabase"}
PURE_MODULES = {"FoundationEssentials", "Foundation", "OrderedCollections", "HeapModule", "DequeModule"}

# A module of locks and nothing else, which the thread sanitizer sees into, as it does not into the standard library's.
LOCKS = "NIOConcurrencyHelpers"

# Where NIO may be named.
NETWORK = {("JSONServer", "Transport"), ("JSONServer", "Platform")}

# Deeper indented imports stand in string literals.
IMPORT = re.compile(r"^ {0,2}(?:(?P<attribute>@\w+) +)?(?:\w+ +)?import (?:(?:struct|func|class|enum) +)?(?P<module>\w+)")


def problems(path):
    target, *folders = path.relative_to(SOURCES).parts
    if target not in ARROWS:
        yield 1, f"{target} has no arrows in .ci/check-imports.py"
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith("#if") and "os(" in line and "Platform" not in folders:
            yield number, "'#if os' stands in Platform folders only"
        found = IMPORT.match(line)
        if not found:
            continue
        module = found["module"]
        if found["attribute"] == "@_exported":
            yield number, "nothing is exported again"
        if module in ARROWS and module not in ARROWS[target]:
            yield number, f"{target} may not import {module}"
        if module == "CStorage" and "Platform" not in folders:
            yield number, "only Platform folders may import CStorage"
        if module.startswith("NIO") and module != LOCKS and (target, *folders[:1]) not in NETWORK:
            yield number, f"only JSONServer/Transport and JSONServer/Platform may import {module}"
        if target in PURE and module not in PURE_MODULES | ARROWS[target]:
            yield number, f"{target} is pure and may not import {module}"


def main():
    lines = [
        f"{path.relative_to(SOURCES.parent)}:{number}: {problem}"
        for path in sorted(SOURCES.rglob("*.swift"))
        for number, problem in problems(path)
    ]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
