#!/usr/bin/env python3
"""Checks the layout: the imports of targets, the places of conditional compilation, the top level.

Each rule is a function from the files of a clone, as {path: text}, to problems, as (path, line, sentence).
`.ci/check_layout_tests.py` shows each rule a violation.
"""
import pathlib
import re
import subprocess
import sys

# The targets of ours that a target may import.
ARROWS = {
    "JSONServerValues": set(),
    "JSONDescription": {"JSONServerValues", "CDescription"},
    "TextMatching": {"JSONServerValues"},
    "JSONDatabase": {"TextMatching", "JSONServerValues"},
    "JSONOpenAPI": {"JSONDatabase", "JSONDescription", "TextMatching", "JSONServerValues"},
    "JSONStorage": {"JSONDatabase", "JSONServerValues", "CStorage"},
    "PostgreSQLStorage": {"JSONStorage", "JSONDatabase", "JSONServerValues", "CPostgreSQL"},
    "JSONServerHTTP": {
        "JSONDatabase", "JSONDescription", "TextMatching", "JSONServerValues", "CPage", "CStorage", "CZlib",
    },
    "JSONServerRules": {"JSONServerHTTP", "JSONStorage", "JSONServerValues"},
    "JSONServerResources": {
        "JSONServerHTTP", "JSONStorage", "JSONDatabase", "JSONDescription", "JSONOpenAPI", "JSONServerValues",
    },
    "JSONServer": {
        "JSONServerRules", "JSONServerResources", "JSONServerHTTP", "JSONStorage", "PostgreSQLStorage", "JSONDatabase", "JSONDescription",
        "JSONOpenAPI", "TextMatching", "JSONServerValues", "CStorage",
    },
    "JSONServerMock": {"JSONServer", "JSONServerValues"},
    "JSONServerRehearsal": {"JSONServer", "JSONDatabase", "JSONDescription", "JSONServerValues"},
    "JSONServerTesting": {"JSONServerMock", "JSONServerRehearsal", "JSONServer"},
    "JSONServerPlugin": set(),
    "swift-json-server": {
        "JSONServerRehearsal", "JSONServer", "JSONServerResources", "JSONStorage", "JSONDatabase", "JSONDescription", "JSONOpenAPI",
        "JSONServerValues", "CStorage",
    },
    "CDescription": set(),
    "CPage": set(),
    "CStorage": set(),
    "CZlib": set(),
    "CPostgreSQL": set(),
}

# The targets without files, clocks, threads and HTTP.
PURE = {"JSONServerValues", "TextMatching", "JSONDescription", "JSONDatabase", "JSONOpenAPI"}
PURE_MODULES = {"Synchronization", "FoundationEssentials", "Foundation", "OrderedCollections", "DequeModule"}

# A module that has only locks. The thread sanitizer understands them, but not those of the standard library.
LOCKS = "NIOConcurrencyHelpers"

# The content of the top level, apart from ignored files.
TOP_LEVEL = {
    "Package.swift", "Sources", "Tests", "fixtures", "database.json", "README.md", "LICENSE", "CHANGELOG.md",
    "Packaging", ".ci", ".github", ".spi.yml", ".editorconfig", ".gitignore", ".swift-format", ".swift-version", ".gitattributes",
}

# More deeply indented imports are in string literals.
IMPORT = re.compile(
    r"^ {0,2}(?:(?P<attribute>@\w+) +)?(?:\w+ +)?import (?:(?:struct|func|class|enum) +)?(?P<module>\w+)")

# The folders that may test for a trait of the package.
TRAITS = {
    "#if HTTPS": ("Sources/JSONServerHTTP/Transport/Security/",),
    "#if PostgreSQL": ("Sources/PostgreSQLStorage/", "Sources/JSONServer/Server/PostgreSQL/"),
}

# The only condition allowed outside of these folders and folders named Platform: Foundation without the parts that only
# Darwin has.
FOUNDATION = re.compile(
    r"^#if canImport\(FoundationEssentials\)\n +((?:\w+ )?)import FoundationEssentials\n"
    r"#else\n +\1import Foundation\n#endif$", re.MULTILINE)


def swift(files, folder):
    """The Swift files below a folder, except a tutorial's code and assets, which belong to no target."""
    return {
        path: text for path, text in files.items()
        if path.startswith(folder + "/") and path.endswith(".swift") and ".docc/" not in path and "/Assets/" not in path
    }


def target_of(path):
    return path.split("/")[1]


def imports(files):
    for path, text in swift(files, "Sources").items():
        target, *folders = path.split("/")[1:]
        if target not in ARROWS:
            yield path, 1, f"{target} has no arrows in .ci/check-layout.py"
            continue
        for number, line in enumerate(text.splitlines(), 1):
            found = IMPORT.match(line)
            if not found:
                continue
            module = found["module"]
            if found["attribute"] == "@_exported":
                if folders[-1] != "Exports.swift":
                    yield path, number, "only Exports.swift exports a module again"
            if module in ARROWS and module not in ARROWS[target]:
                yield path, number, f"{target} may not import {module}"
            if module == "CStorage" and "Platform" not in folders:
                yield path, number, "only Platform folders may import CStorage"
            if module.startswith("NIO") and module != LOCKS and target != "JSONServerHTTP":
                yield path, number, f"only JSONServerHTTP may import {module}"
            if target in PURE and module not in PURE_MODULES | ARROWS[target]:
                yield path, number, f"{target} is pure and may not import {module}"


def top_level(files):
    for name in sorted({path.split("/")[0] for path in files} - TOP_LEVEL):
        yield name, 1, "the top level has no such entry; find it a room"


def conditions(files):
    """Code that depends on the platform is in folders named Platform, code that depends on a trait in the trait's folder."""
    for path, text in swift(files, "Sources").items():
        if "Platform" in path.split("/"):
            continue
        text = FOUNDATION.sub(lambda found: "\n" * found[0].count("\n"), text)
        for number, line in enumerate(text.splitlines(), 1):
            is_traits = path.startswith(TRAITS.get(line.strip(), ("-",)))
            if not is_traits and line.lstrip().startswith("#if"):
                yield path, number, f"'{line.strip()}' stands in Platform folders only"


RULES = [imports, top_level, conditions]


def read_clone(root):
    """The files that git does not ignore."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, capture_output=True, text=True).stdout
    paths = sorted({path for path in listing.split("\0") if path and (root / path).is_file()})
    return {path: (root / path).read_text() if path.endswith(".swift") else "" for path in paths}


def main():
    files = read_clone(pathlib.Path(__file__).resolve().parent.parent)
    lines = [f"{path}:{line}: {problem}" for rule in RULES for path, line, problem in rule(files)]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
