#!/usr/bin/env python3
"""Runs the commands in README.md and the guides, and checks that they print what the documents show.

    check-examples.py PATH/swift-json-server [DOCUMENT…]

In a `console` block each line after "$ " is a command and the lines up to the next one are what it prints. Each document
is followed from top to bottom in a directory of its own, with a copy of database.json and of some files of fixtures; what one command leaves, the next one finds. A command that begins with the program and --watch starts
a server in the place of the one before, on a free port that replaces 3000; with `--port 4000` it starts a second server
beside the first. A document that does not start a server gets one of database.json. "…" matches any text within a line, and
alone in a line any number of lines. In a table whose columns begin with "request" and "ids" the second one holds the ids of
the records in the response. The files that a document leaves are ignored by git. Standard library only; needs curl.
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
FIXTURES = ("routes.json", "stubs.json", "users.json", "openapi/bookings.yaml")
PORT = "3000"
ROW = re.compile(r"^\| `GET (?P<target>/[^`]*)` \| (?P<ids>[^|]*) \|")


class Terminals:
    """The environment of a document: a directory, and the servers that run in it by the ports that the document names."""

    def __init__(self, binary):
        self.binary, self.servers, self.ports = binary, {}, {}
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="examples-"))
        shutil.copy(ROOT / "database.json", self.directory)
        (self.directory / "fixtures/openapi").mkdir(parents=True)
        for name in FIXTURES:
            shutil.copy(ROOT / "fixtures" / name, self.directory / "fixtures" / name)

    def start(self, arguments):
        port = PORT
        if "--port" in arguments:
            index = arguments.index("--port")
            port = arguments[index + 1]
            del arguments[index:index + 2]
        self.stop(port)
        ready = self.directory / f".ready-{port}"
        arguments = [self.with_real_ports(argument) for argument in arguments]
        server = self.servers[port] = subprocess.Popen(
            [self.binary, *arguments, "--port", "0", "--ready-file", ready], cwd=self.directory,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while not ready.exists():
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server does not start with {shlex.join(arguments)}")
            time.sleep(0.02)
        self.ports[port] = str(json.loads(ready.read_text())["port"])

    def with_real_ports(self, text):
        return re.sub(r"\blocalhost:(\d+)", lambda match: f"localhost:{self.ports.get(match[1], match[1])}", text)

    def run(self, command):
        """The output of a command, with the ports of the document in place of the real ones."""
        environment = dict(os.environ, PATH=f"{os.path.dirname(self.binary)}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
        result = subprocess.run(
            ["bash", "-c", self.with_real_ports(command)], cwd=self.directory, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        text = result.stdout.decode().replace("\r\n", "\n")
        for port, real in self.ports.items():
            text = text.replace(f":{real}", f":{port}")
        return text.rstrip("\n").split("\n")

    def ids(self, target):
        with urllib.request.urlopen(f"http://localhost:{self.ports[PORT]}{target}", timeout=30) as response:
            records = json.load(response)
        return ", ".join(str(record["id"]) for record in records) or "none"

    def stop(self, port):
        if server := self.servers.pop(port, None):
            server.terminate()
            server.wait(30)

    def left_files(self):
        """The files that are left when all servers have stopped and that git does not ignore."""
        for port in list(self.servers):
            self.stop(port)
        paths = [str(path.relative_to(self.directory)) for path in self.directory.rglob("*") if path.is_file()]
        given = {"database.json", *(f"fixtures/{name}" for name in FIXTURES)}
        ignored = subprocess.run(["git", "check-ignore", "--stdin"], cwd=ROOT, input="\n".join(paths),
                                 stdout=subprocess.PIPE, text=True).stdout.splitlines()
        return sorted(set(paths) - given - set(ignored))

    def close(self):
        for port in list(self.servers):
            self.stop(port)
        shutil.rmtree(self.directory, ignore_errors=True)


def blocks(lines):
    """A document's commands with their line numbers and output, and the rows of its tables."""
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
    """Whether lines are as expected; a first line "…" matches any number of lines."""
    if not expected:
        return not actual
    if expected[0].strip() == "…":
        return any(matches(expected[1:], actual[index:]) for index in range(len(actual) + 1))
    pattern = ".*".join(re.escape(part) for part in expected[0].rstrip().split("…"))
    return bool(actual) and re.fullmatch(pattern, actual[0].rstrip()) is not None and matches(expected[1:], actual[1:])


def failed_examples(document, binary):
    name = document.relative_to(ROOT)
    terminals = Terminals(binary)
    try:
        for number, command, expected in blocks(document.read_text().splitlines()):
            if START.match(command):
                terminals.start(shlex.split(START.sub("", command), comments=True))
                continue
            if not terminals.servers:
                terminals.start(["--watch", "database.json"])
            actual = [terminals.ids(command[4:])] if command.startswith("GET ") else terminals.run(command)
            if expected and not matches(expected, actual):
                yield f"{name}:{number}: {command}\nprints\n" + "\n".join(actual)
        for path in terminals.left_files():
            yield f"{name}: leaves {path}; have the document remove it, or name it in .gitignore"
    finally:
        terminals.close()


def main():
    binary = os.path.abspath(sys.argv[1])
    documents = [pathlib.Path(name).resolve() for name in sys.argv[2:]] or DOCUMENTS
    problems = [problem for document in documents for problem in failed_examples(document, binary)]
    print("\n\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
