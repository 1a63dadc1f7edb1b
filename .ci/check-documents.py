#!/usr/bin/env python3
"""Checks that the Swift code of the documents is compiled, that their links lead somewhere, and that guides are found.

    check-documents.py

The lines of a `swift` block are, in their order, in one of the files that the tests compile below
Tests/JSONServerTestingTests/Examples; a part of a manifest is exempt, and so are blocks marked `Swift`, which show
another library. Those of a tutorial's code file are in one of the files of Tests/Downstream, and each code file is
shown by a step. A link or an image within the repository leads to a file, or to a heading; <doc:Name> to an article
of the same catalog, and an article of another catalog is named by its path; a path in backticks exists. Commands can be
pasted into zsh, every Mac's shell, which has no comments at its prompt; where zsh is installed, it parses them. Each
article is listed in its catalog's landing page, and says what it is for; README.md stays a page that is read in
three minutes, and the guides stay few and short. The diagram in CONTRIBUTING.md has the dependencies of
Package.swift. Standard library only.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
ARTICLES = sorted(ROOT.glob("Sources/*/Documentation.docc/*.md"))
CONTRIBUTING = ROOT / ".github/CONTRIBUTING.md"
PAGES = [README, ROOT / "CHANGELOG.md", CONTRIBUTING, ROOT / "fixtures/README.md", ROOT / "Packaging/README.md",
         *sorted(ROOT.glob("Tests/*/README.md"))]
LARGEST_README = 9_000
MOST_GUIDES, MOST_WORDS = 22, 28_000
EXAMPLES = sorted((ROOT / "Tests/JSONServerTestingTests/Examples").glob("*.swift"))
DOWNSTREAM = ROOT / "Tests/Downstream"
TUTORIALS = sorted(ROOT.glob("Sources/*/Documentation.docc/**/*.tutorial"))
CODE_FILES = sorted(ROOT.glob("Sources/*/Documentation.docc/**/*.swift"))
STEP = re.compile(r'@Code\(name: "([^"]+)", file: "([^"]+)"\)')
# What zsh prints about a word that another shell takes as it is.
REFUSED = re.compile(r"zsh: (?:no matches found|parse error|bad pattern|event not found|unmatched).*")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ARTICLE_LINK = re.compile(r"<doc:([^>]+)>")
PATH = re.compile(r"`((?:Sources|Tests|Packaging|fixtures|\.ci|\.github)/[\w./+@-]+)")


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
    """Whether lines occur among others, in the same order."""
    rest = iter(others)
    return all(line in rest for line in lines)


def uncompiled_blocks(document):
    examples = [[line.strip() for line in file.read_text().splitlines()] for file in EXAMPLES]
    for number, lines in swift_blocks(document.read_text()):
        is_manifest = lines[0].startswith("dependencies:")
        if not is_manifest and not any(is_contained(lines, example) for example in examples):
            yield f"{document.relative_to(ROOT)}:{number}: no file of the tests' Examples has these lines"


def code_lines(file):
    return [line.strip() for line in file.read_text().splitlines() if line.strip()]


def uncompiled_code_files():
    """Code files of tutorials whose lines are in no file of Tests/Downstream; SwiftPM reads the manifests."""
    compiled = [code_lines(file) for folder in ("Sources", "Tests") for file in DOWNSTREAM.glob(f"{folder}/**/*.swift")]
    for file in CODE_FILES:
        is_manifest = file.read_text().startswith("// swift-tools-version")
        if not is_manifest and not any(is_contained(code_lines(file), lines) for lines in compiled):
            yield f"{file.relative_to(ROOT)}: no file of {DOWNSTREAM.relative_to(ROOT)} has these lines"


def misplaced_code_files():
    """Steps that show a missing file, and files that no step shows."""
    shown = {}
    for tutorial in TUTORIALS:
        shown |= {name: tutorial for _, name in STEP.findall(tutorial.read_text())}
    names = {file.name for file in CODE_FILES}
    for name in sorted(shown.keys() - names):
        yield f"{shown[name].relative_to(ROOT)}: there is no {name} in its catalog"
    for name in sorted(names - shown.keys()):
        yield f"{name}: no step of a tutorial shows it"


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors(document):
    """The anchors that GitHub gives to headings."""
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


def broken_paths(document):
    for path in PATH.findall(re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)):
        if not (ROOT / path.rstrip(".")).exists():
            yield f"{document.relative_to(ROOT)}: there is no {path}"


def commands(document):
    """The commands of the console and sh blocks, with the numbers of their first lines."""
    language, command = None, None
    for number, line in enumerate(document.read_text().splitlines(), 1):
        line = line.strip()
        if line.startswith("```"):
            language = None if language is not None else line[3:]
            continue
        if command:
            command = (command[0], f"{command[1]}\n{line}")
        elif language == "sh" or language == "console" and line.startswith("$ "):
            command = (number, line.removeprefix("$ "))
        if command and not command[1].endswith("\\") and command[1].count("'") % 2 == 0:
            yield command
            command = None


def unpasteable_commands(document):
    for number, command in commands(document):
        if re.search(r"(^|\s)#(\s|$)", command):
            yield f"{document.relative_to(ROOT)}:{number}: a remark stands in a command; say it in the text"
        elif shutil.which("zsh"):
            # Without PATH no program runs: each becomes a call of this function.
            pasted = f"command_not_found_handler() {{ : }}\nPATH=\n{command}\n"
            with tempfile.TemporaryDirectory() as directory:
                output = subprocess.run(
                    ["zsh", "-f", "-i"], input=pasted, cwd=directory, capture_output=True, text=True, timeout=60)
            for refusal in REFUSED.findall(output.stderr):
                yield f"{document.relative_to(ROOT)}:{number}: {refusal}"


def broken_article_links(article):
    for name in ARTICLE_LINK.findall(article.read_text()):
        is_tutorial = name.startswith("tutorials/") and any(file.stem == name[10:] for file in TUTORIALS)
        if not is_tutorial and not (article.parent / f"{name}.md").exists():
            yield f"{article.relative_to(ROOT)}: <doc:{name}> leads nowhere"


def dead_when_hosted(article):
    """Relative links, which are dead in hosted documentation."""
    for target in LINK.findall(without_code(article.read_text())):
        if not re.match(r"[a-z]+:", target):
            yield f"{article.relative_to(ROOT)}: write the link to {target} as <doc:Name>, or as a path in backticks"


def unreachable(article):
    """Whether an article is neither a landing page, which has the name of its target, nor listed in one."""
    landing = article.parent / f"{article.parent.parent.name}.md"
    if article != landing and f"\n- <doc:{article.stem}>\n" not in landing.read_text():
        yield f"{landing.relative_to(ROOT)}: the topics lack {article.stem}"
    if article != landing and "## Overview\n\nThis guide is for " not in article.read_text():
        yield f"{article.relative_to(ROOT)}: the overview does not begin with what the guide is for"


def overlong_readme():
    size = README.stat().st_size
    if size > LARGEST_README:
        yield f"README.md: {size} bytes, more than {LARGEST_README}; a guide is the place for the rest"


def overlong_guides():
    if len(ARTICLES) > MOST_GUIDES:
        yield f"{len(ARTICLES)} guides, more than {MOST_GUIDES}: make one of two"
    words = sum(len(document.read_text().split()) for document in [README, *ARTICLES])
    if words > MOST_WORDS:
        yield f"{words} words in README.md and the guides, more than {MOST_WORDS}: say each thing once"


def drawn_arrows():
    """The pairs of targets between which the diagram has an arrow."""
    for line in CONTRIBUTING.read_text().splitlines():
        source, arrow, destinations = line.strip().partition(" --> ")
        if arrow:
            yield from ((source, destination) for destination in destinations.split(" & "))


def declared_arrows():
    """The pairs of a target below Sources and a target of ours on which it depends in the manifest."""
    targets = re.split(r"\n    \.(?=\w+\(name:|\w+\(\n)", (ROOT / "Package.swift").read_text())
    for target in targets[1:]:
        name = re.search(r'name: "([^"]+)"', target)[1]
        dependencies = re.search(r"\bdependencies: \[(.*?)\]", re.sub(r"\.(product|when)\(.*?\)", "", target), re.DOTALL)
        if (ROOT / "Sources" / name).is_dir() and dependencies:
            yield from ((name, dependency) for dependency in re.findall(r'"([^"]+)"', dependencies[1]))


def wrong_arrows():
    drawn, declared = set(drawn_arrows()), set(declared_arrows())
    for source, destination in sorted(declared - drawn):
        yield f"{CONTRIBUTING.relative_to(ROOT)}: the diagram lacks {source} --> {destination}"
    for source, destination in sorted(drawn - declared):
        yield f"{CONTRIBUTING.relative_to(ROOT)}: Package.swift has no {source} --> {destination}"


def main():
    problems = [problem for document in PAGES + ARTICLES for problem in broken_links(document)]
    problems += [problem for document in PAGES + ARTICLES for problem in broken_paths(document)]
    problems += [problem for document in [README, *ARTICLES] for problem in uncompiled_blocks(document)]
    problems += [problem for document in PAGES + ARTICLES for problem in unpasteable_commands(document)]
    problems += [problem for article in ARTICLES for problem in [*broken_article_links(article), *dead_when_hosted(article), *unreachable(article)]]
    problems += [*uncompiled_code_files(), *misplaced_code_files(), *wrong_arrows(), *overlong_readme(), *overlong_guides()]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
