#!/usr/bin/env python3
"""Checks where things are: imports, the sizes of files and folders, conditions of compilation, `package` declarations.

Each rule is a function from the files of a clone, as {path: text}, to problems, as (path, line, sentence).
`.ci/check_layout_tests.py` shows each rule a violation.
"""
import collections
import pathlib
import re
import statistics
import subprocess
import sys

# Which of our targets a target may import.
ARROWS = {
    "OrderedJSON": set(),
    "JSONDescription": {"OrderedJSON"},
    "JSONDatabase": {"OrderedJSON"},
    "JSONStorage": {"OrderedJSON", "CStorage"},
    "PostgreSQLStorage": {"OrderedJSON", "CPostgreSQL"},
    "JSONServer": {
        "JSONStorage", "PostgreSQLStorage", "JSONDatabase", "JSONDescription", "OrderedJSON", "CPage",
        "CStorage", "CZlib",
    },
    "JSONServerTesting": {"JSONServer", "OrderedJSON"},
    "JSONServerPlugin": set(),
    "swift-json-server": {"JSONServer", "JSONDatabase", "OrderedJSON", "CStorage"},
    "CPage": set(),
    "CStorage": set(),
    "CZlib": set(),
    "CPostgreSQL": set(),
}

# These know no files, clocks, threads or HTTP.
PURE = {"OrderedJSON", "JSONDescription", "JSONDatabase"}
PURE_MODULES = {"FoundationEssentials", "Foundation", "OrderedCollections", "HeapModule", "DequeModule"}

# A module of locks and nothing else, which the thread sanitizer sees into, as it does not into the standard library's.
LOCKS = "NIOConcurrencyHelpers"

# What the top level holds, apart from ignored files.
TOP_LEVEL = {
    "Package.swift", "Sources", "Tests", "fixtures", "database.json", "README.md", "LICENSE", "CHANGELOG.md",
    "Packaging", ".ci", ".github", ".editorconfig", ".gitignore", ".swift-format", ".swift-version", ".gitattributes",
}

FEWEST_FILES = 3
MOST_ENTRIES = 12
LINES_OF_A_FILE = 350
MEDIAN_LINES = range(60, 121)

# Deeper indented imports stand in string literals.
IMPORT = re.compile(
    r"^ {0,2}(?:(?P<attribute>@\w+) +)?(?:\w+ +)?import (?:(?:struct|func|class|enum) +)?(?P<module>\w+)")

# The folders in which a trait of the package is asked for.
TRAITS = {
    "#if HTTPS": ("Sources/JSONServer/Transport/Security/",),
    "#if PostgreSQL": ("Sources/PostgreSQLStorage/", "Sources/JSONServer/Persistence/PostgreSQL/"),
}

# The one condition that may stand outside of those and of folders named Platform: Foundation without what only Darwin's
# has.
FOUNDATION = re.compile(
    r"^#if canImport\(FoundationEssentials\)\n +((?:\w+ )?)import FoundationEssentials\n"
    r"#else\n +\1import Foundation\n#endif$", re.MULTILINE)

TYPES = "struct|class|enum|protocol|typealias|actor".split("|")
ATTRIBUTES = r"(?:@\w+(?:\([^)]*\))? +)*"
MODIFIERS = r"(?:(?:static|final|mutating|nonmutating|convenience|class|indirect|nonisolated|lazy|weak) )*"

# A declaration for other targets.
PACKAGE = re.compile(
    rf"^ *{ATTRIBUTES}package(?:\(set\))? {MODIFIERS}"
    rf"(?P<kind>let|var|func|init|subscript|extension|{'|'.join(TYPES)})\b ?(?P<name>\w*)", re.MULTILINE)

# What other targets see of a declaration: its signature, whose further lines are indented, or what a case holds.
SIGNATURE = re.compile(
    rf"^(?P<indent> *)(?:{ATTRIBUTES}(?:public|package)(?:\(set\))? {MODIFIERS}(?!import)\w+ ?(?P<name>\w*)|case \w+\()"
    r"[^{\n]*(?:\n(?P=indent)(?:  |\))[^{\n]*)*", re.MULTILINE)

# A type or an extension of one at the top of a file.
TYPE = re.compile(
    rf"^{ATTRIBUTES}(?P<access>public |package )?(?:private |fileprivate )?{MODIFIERS}"
    rf"(?:{'|'.join(TYPES)}) (?P<name>\w+)|^extension (?P<extended>\w+)", re.MULTILINE)


def swift(files, folder):
    """The files of Swift below a folder, but for what a tutorial shows, which is no part of a target."""
    return {
        path: text for path, text in files.items()
        if path.startswith(folder + "/") and path.endswith(".swift") and ".docc/" not in path
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
                yield path, number, "nothing is exported again"
            if module in ARROWS and module not in ARROWS[target]:
                yield path, number, f"{target} may not import {module}"
            if module == "CStorage" and "Platform" not in folders:
                yield path, number, "only Platform folders may import CStorage"
            if module.startswith("NIO") and module != LOCKS and (target, *folders[:1]) != ("JSONServer", "Transport"):
                yield path, number, f"only JSONServer/Transport may import {module}"
            if target in PURE and module not in PURE_MODULES | ARROWS[target]:
                yield path, number, f"{target} is pure and may not import {module}"


def top_level(files):
    for name in sorted({path.split("/")[0] for path in files} - TOP_LEVEL):
        yield name, 1, "the top level has no such entry; find it a room"


def conditions(files):
    """What differs by platform stands in folders named Platform, what differs by trait in the folder of that trait."""
    for path, text in swift(files, "Sources").items():
        if "Platform" in path.split("/"):
            continue
        text = FOUNDATION.sub(lambda found: "\n" * found[0].count("\n"), text)
        is_literal = False
        for number, line in enumerate(text.splitlines(), 1):
            is_traits = path.startswith(TRAITS.get(line.strip(), ("-",)))
            if not is_literal and not is_traits and line.lstrip().startswith("#if"):
                yield path, number, f"'{line.strip()}' stands in Platform folders only"
            if line.count('"""') % 2:
                is_literal = not is_literal


def folders(files):
    """The folders of Sources hold 3 files or more, in at most 12 entries; the roots of targets, and the folders of tests,
    hold at most 12 Swift files."""
    entries = collections.defaultdict(set)
    files_below = collections.Counter()
    for path in files:
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            entries[folder].add(parts[depth])
            files_below[folder] += 1
    for folder, names in sorted(entries.items()):
        depth = folder.count("/")
        count = sum(name.endswith(".swift") for name in names)
        if folder.split("/")[0] in ("Sources", "Tests") and count > MOST_ENTRIES:
            yield folder, 1, f"{count} Swift files; give some a folder of their own"
        # Headers, a DocC catalog and what a browser loads lie as their readers expect them.
        has_swift = any(name.endswith(".swift") for name in names)
        if not folder.startswith("Sources/") or depth == 1 or not has_swift:
            continue
        if files_below[folder] < FEWEST_FILES:
            yield folder, 1, f"{files_below[folder]} files; {FEWEST_FILES} are the least"
        if len(names) > MOST_ENTRIES:
            yield folder, 1, f"{len(names)} entries; {MOST_ENTRIES} are the most"


def lengths(files):
    """What the command generates is as long as its data has it."""
    for path, text in {**swift(files, "Sources"), **swift(files, "Tests")}.items():
        count = len(text.splitlines())
        if count > LINES_OF_A_FILE and not text.startswith("// Generated by swift-json-server "):
            yield path, count, f"{count} lines; {LINES_OF_A_FILE} is the most"


def median(files):
    lines = [len(text.splitlines()) for text in swift(files, "Sources").values()]
    if lines and int(statistics.median(lines)) not in MEDIAN_LINES:
        yield "Sources", 1, f"the median file has {statistics.median(lines):g} lines instead of 60 to 120"


def package(files):
    """`package` stands where another target names the declaration, or a declaration that another target sees does.

    Names alone are compared, so that it finds most but not all. A target's own tests see everything with `@testable`.
    """
    for target in ARROWS:
        own = swift(files, "Sources/" + target)
        named = names_outside(files, target)
        types = {found["name"] for text in own.values() for found in TYPE.finditer(text)}
        signatures = signature_words(own.values())
        shared = shared_types(own.values(), named, signatures)
        for path, text in own.items():
            for found in PACKAGE.finditer(text):
                name, number = found["name"], text[: found.start("kind")].count("\n") + 1
                owner = owner_of(found, text)
                if owner in types - shared:
                    yield path, number, f"no other target sees '{owner}', in which 'package' says that one does"
                # An initializer is called by the name of its type; operators have none. What stands in a second
                # signature of the type is a type within it.
                elif found["kind"] in ("init", "subscript", "extension") or not name or signatures[owner][name] > 1:
                    continue
                elif name not in named | shared:
                    yield path, number, f"no other target names '{name}'; 'package' says that one does"


def owner_of(found, text):
    """The name of the type that a declaration belongs to or is; a declaration at the top of a file is its own."""
    if not found[0].startswith(" "):
        return found["name"]
    owners = [other["name"] or other["extended"] for other in TYPE.finditer(text, 0, found.start())]
    return owners[-1] if owners else None


def signature_words(texts):
    """How many of the signatures of a type that others may see hold a word."""
    words = collections.defaultdict(collections.Counter)
    for text in texts:
        for found in SIGNATURE.finditer(text):
            words[owner_of(found, text)].update(set(re.findall(r"\w+", found[0])))
    return words


def shared_types(texts, named, signatures):
    """The types that other targets see: public ones, those that they name, and what these say in their signatures."""
    shared = {
        found["name"]
        for text in texts for found in TYPE.finditer(text)
        if found["access"] == "public " or found["access"] and found["name"] in named
    }
    pending = list(shared)
    while pending:
        new = set(signatures[pending.pop()]) & set(signatures) - shared
        shared |= new
        pending += new
    return shared


def names_outside(files, target):
    """The words of the files that see a target from outside."""
    module = target.replace("-", "_")
    names = set()
    for path, text in files.items():
        if not path.endswith(".swift") or path.startswith(f"Sources/{target}/"):
            continue
        reaches = f"import {module}\n" in text and f"@testable import {module}\n" not in text
        if reaches or path.startswith("Sources/") and target in ARROWS.get(target_of(path), ()):
            names.update(re.findall(r"\w+", text))
    return names


RULES = [imports, top_level, conditions, folders, lengths, median, package]


def read_clone(root):
    """The files that are no ignored ones."""
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
