#!/usr/bin/env python3
"""Checks that what the documents show compiles, and that their links lead somewhere.

    check-documents.py

The lines of a `swift` block stand, in their order, in one of the files that the tests compile below
Tests/JSONServerTestingTests/Examples; a part of a manifest is none of these. A link within the repository leads to a
file, or to a heading. Standard library only.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARTICLES = sorted(ROOT.glob("Sources/*/Documentation.docc/*.md"))
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", "fixtures/README.md")]
EXAMPLES = sorted((ROOT / "Tests/JSONServerTestingTests/Examples").glob("*.swift"))
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def swift_blocks(text):
    """The number of each block's first line, and its lines without indentation and blank ones."""
    block = None
    for number, line in enumerate(text.splitlines(), 1):
        if line == "```swift":
            block = (number + 1, [])
        elif line.startswith("```") and block:
            yield block
            block = None
        elif block and line.strip():
            block[1].append(line.strip())


def is_contained(lines, others):
    """Whether lines stand among others, in the same order."""
    rest = iter(others)
    return all(line in rest for line in lines)


def uncompiled_blocks(document):
    examples = [[line.strip() for line in file.read_text().splitlines()] for file in EXAMPLES]
    for number, lines in swift_blocks(document.read_text()):
        is_manifest = lines[0].startswith("dependencies:")
        if not is_manifest and not any(is_contained(lines, example) for example in examples):
            yield f"{document.relative_to(ROOT)}:{number}: no file of the tests' Examples has these lines"


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors(document):
    """The names that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.*)$", without_code(document.read_text()), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(document):
    for target in LINK.findall(without_code(document.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = document.parent / path if path else document
        if not file.exists() or anchor and anchor not in anchors(file):
            yield f"{document.relative_to(ROOT)}: the link to {target} leads nowhere"


def main():
    problems = [problem for document in PAGES + ARTICLES for problem in broken_links(document)]
    problems += [problem for document in [PAGES[0], *ARTICLES] for problem in uncompiled_blocks(document)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
