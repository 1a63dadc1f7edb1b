#!/usr/bin/env python3
"""Checks the types in the comments of the page's modules with TypeScript's compiler (Debian: node-typescript).

The modules are not compiled: browsers load them as they are. The elements of `ui` in dom.js come from the pages' HTML: a missing id,
and a property that the element lacks, are errors.
"""
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile

ASSETS = pathlib.Path(__file__).resolve().parent.parent / "Sources" / "CPage" / "Assets"
OPTIONS = ["--allowJs", "--checkJs", "--noEmit", "--skipLibCheck", "--noUnusedLocals", "--target", "esnext",
           "--module", "esnext", "--lib", "esnext,dom,dom.iterable"]
# Features of browsers that the compiler's declarations may lack.
NEWER = """
interface JSON { rawJSON(text: string): any; isRawJSON(value: any): boolean }
interface Array<T> { findLast(find: (value: T) => unknown): T; toSpliced(start: number, count?: number, ...more: T[]): T[] }
interface String { toWellFormed(): string }
interface MapConstructor { groupBy<K, V>(items: Iterable<V>, key: (item: V) => K): Map<K, V[]> }
interface URLSearchParams { readonly size: number }
interface HTMLElement { popover: string | null; showPopover(): void; hidePopover(): void; togglePopover(): void }
interface HTMLDialogElement { oncancel: ((event: Event) => void) | null }
interface HTMLElement { ariaInvalid: string | null; inert: boolean }
// Lists have members of type Element; all elements of the page are HTML elements.
interface Element { checkVisibility(): boolean; dataset: DOMStringMap; focus(): void; click(): void }
"""


class Ids(html.parser.HTMLParser):
    """The tags of the elements with an id."""

    def __init__(self):
        super().__init__()
        self.tags = {}

    def handle_starttag(self, tag, attributes):
        name = dict(attributes).get("id")
        if name:
            self.tags[re.sub(r"-(.)", lambda match: match[1].upper(), name)] = tag


def main():
    ids = Ids()
    for page in sorted(ASSETS.glob("*.html")):
        ids.feed(page.read_text(encoding="utf-8"))
    members = "".join(f'  {name}: HTMLElementTagNameMap["{tag}"];\n' if tag not in ("section", "nav", "main", "header", "aside")
                      else f"  {name}: HTMLElement;\n" for name, tag in ids.tags.items())
    with tempfile.TemporaryDirectory() as directory:
        declarations = pathlib.Path(directory, "page.d.ts")
        declarations.write_text(f"{NEWER}interface Elements {{\n{members}}}\n", encoding="utf-8")
        modules = sorted(ASSETS.glob("*.js"))
        status = subprocess.run(["tsc", *OPTIONS, declarations, *modules], cwd=ASSETS, check=False).returncode
    if status:
        sys.exit(status)
    print(f"{len(modules)} modules, {len(ids.tags)} elements")


if __name__ == "__main__":
    main()
