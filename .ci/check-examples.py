#!/usr/bin/env python3
"""Runs what README.md and the guides show, and checks that it is what happens.

    check-examples.py PATH/swift-json-server [DOCUMENT…]

In a `console` block each line after "$ " is a command and the lines up to the next one are what it prints. A command
that begins with the program and --watch starts the server anew, on fresh copies of database.json and of routes.json,
stubs.json and users.json of fixtures, beside the file that the server before has recorded (--record), and on a free port
that replaces 3000. Each document begins afresh; one that does not start a server gets one of database.json. In a command,
https://api.example.com stands for a second server, of database.json. "…" matches any text within a line, and alone in a
line any number of lines. In a table whose columns begin with "request" and "ids" the second one holds the ids of the
records in the response. One document has the table of the columns "option" and "meaning", which must name the options of
--help, no more and no fewer. Standard library only; needs curl.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("Sources/*/Documentation.docc/*.md"))]
START = re.compile(r"^(?:swift run )?swift-json-server (?=--watch )")
API = "https://api.example.com"
ROW = re.compile(r"^\| `GET (?P<target>/[^`]*)` \| (?P<ids>[^|]*) \|")
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")


class Server:
    """The server that a document started last, in a directory of its own."""

    def __init__(self, binary):
        self.binary, self.process, self.directory, self.api, self.recorded = binary, None, None, None, {}

    def start(self, arguments):
        self.stop()
        self.directory = tempfile.mkdtemp(prefix="examples-")
        for name, text in self.recorded.items():
            pathlib.Path(self.directory, name).write_bytes(text)
        arguments = [self.with_api(argument) for argument in arguments]
        self.record = arguments[arguments.index("--record") + 1] if "--record" in arguments else None
        shutil.copy(ROOT / "database.json", self.directory)
        os.mkdir(os.path.join(self.directory, "fixtures"))
        for name in ("routes.json", "stubs.json", "users.json"):
            shutil.copy(ROOT / "fixtures" / name, os.path.join(self.directory, "fixtures"))
        ready = os.path.join(self.directory, ".ready")
        self.process = subprocess.Popen(
            [self.binary, *arguments, "--port", "0", "--ready-file", ready], cwd=self.directory,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while not os.path.exists(ready):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server does not start with {shlex.join(arguments)}")
            time.sleep(0.02)
        self.port = json.loads(pathlib.Path(ready).read_text())["port"]

    def with_api(self, text):
        """A text with the address of the second server, which is started when it is named for the first time."""
        if API not in text:
            return text
        if self.api is None:
            self.api = Server(self.binary)
            self.api.start(["database.json"])
        return text.replace(API, f"http://localhost:{self.api.port}")

    def run(self, command):
        """What a command prints, with the port of the documents in place of the real one."""
        environment = dict(os.environ, PATH=f"{os.path.dirname(self.binary)}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
        command = self.with_api(command.replace("localhost:3000", f"localhost:{self.port}"))
        result = subprocess.run(
            ["bash", "-c", command], cwd=self.directory, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        text = result.stdout.decode().replace("\r\n", "\n")
        if self.api:
            text = text.replace(f"http://localhost:{self.api.port}", API)
        return text.replace(f":{self.port}", ":3000").rstrip("\n").split("\n")

    def ids(self, target):
        with urllib.request.urlopen(f"http://localhost:{self.port}{target}", timeout=30) as response:
            records = json.load(response)
        return ", ".join(str(record["id"]) for record in records) or "none"

    def stop(self):
        self.recorded = {}
        if self.process:
            self.process.terminate()
            self.process.wait(30)
            record = self.record and pathlib.Path(self.directory, self.record)
            if record and record.exists():
                self.recorded = {self.record: record.read_bytes()}
            shutil.rmtree(self.directory, ignore_errors=True)
            self.process = None

    def close(self):
        """Stops this server and the second one."""
        self.stop()
        if self.api:
            self.api.stop()
            self.api = None


def blocks(lines):
    """A document's commands with the number of their line and what they print, and the rows of its tables."""
    command, in_console, in_ids = None, False, False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            if command:
                yield command
            command, in_console = None, line == "```console"
        elif in_console and line.startswith("$ "):
            if command:
                yield command
            command = (number, line[2:], [])
        elif in_console and command and command[1].endswith("\\") and not command[2]:
            command = (command[0], f"{command[1]}\n{line}", [])
        elif in_console and command:
            command[2].append(line)
        elif not line.startswith("|"):
            in_ids = False
        elif line.startswith("| request | ids |"):
            in_ids = True
        elif in_ids and (row := ROW.match(line)):
            yield number, f"GET {row['target']}", [row["ids"].strip()]


def matches(expected, actual):
    """Whether lines are as expected; a first line "…" takes as many as it must."""
    if not expected:
        return not actual
    if expected[0].strip() == "…":
        return any(matches(expected[1:], actual[index:]) for index in range(len(actual) + 1))
    pattern = ".*".join(re.escape(part) for part in expected[0].rstrip().split("…"))
    return bool(actual) and re.fullmatch(pattern, actual[0].rstrip()) is not None and matches(expected[1:], actual[1:])


def failed_examples(document, server):
    server.close()
    for number, command, expected in blocks(document.read_text().splitlines()):
        if START.match(command):
            server.start(shlex.split(START.sub("", command), comments=True))
            continue
        if server.process is None:
            server.start(["--watch", "database.json"])
        if command.startswith("GET "):
            actual = [server.ids(command[4:])]
        elif expected:
            actual = server.run(command)
        else:
            server.run(command)
            continue
        if not matches(expected, actual):
            yield f"{document.relative_to(ROOT)}:{number}: {command}\nprints\n" + "\n".join(actual)


def wrong_options(documents, binary):
    """The options that either --help or the table of options names alone; and whether there is one table."""
    tables = {}
    for document in documents:
        _, header, rows = document.read_text().partition("\n| option | meaning |\n")
        if header:
            names = [row.split("|")[1] for row in rows.split("\n\n")[0].splitlines()]
            tables[document.relative_to(ROOT)] = set(OPTION.findall(" ".join(names)))
    if len(tables) != 1:
        yield f"one document has the table of options, not {len(tables)}: {', '.join(map(str, tables))}"
        return
    [(name, documented)] = tables.items()
    helped = subprocess.run([binary, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    shown = set(OPTION.findall(helped.split("OPTIONS:")[1]))
    for option in sorted(shown - documented):
        yield f"{name}: the table of options lacks {option}"
    for option in sorted(documented - shown):
        yield f"{name}: --help has no {option}"


def main():
    binary = os.path.abspath(sys.argv[1])
    documents = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    server = Server(binary)
    try:
        problems = [] if documents else [*wrong_options(DOCUMENTS, binary)]
        problems += [problem for document in documents or DOCUMENTS for problem in failed_examples(document, server)]
    finally:
        server.close()
    print("\n\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
