#!/usr/bin/env python3
"""Runs what README.md shows, and checks that it says what is true.

    check-readme.py PATH/swift-json-server

In a `console` block each line after "$ " is a command and the lines up to the next one are what it prints. A command
that begins with the program and --watch starts the server anew, on fresh copies of database.json and
fixtures/routes.json, and on a free port that stands in for 3000. "…" stands for any text within a line, and alone in a
line for any number of lines. In a table of the columns "request" and "ids" the second one holds the ids of the records
that are answered. The table of options must name the options of --help, no more and no fewer. Standard library only;
needs curl.
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
START = re.compile(r"^(?:swift run )?swift-json-server (?=--watch )")
ROW = re.compile(r"^\| `GET (?P<target>/[^`]*)` \| (?P<ids>[^|]*) \|")


class Server:
    """The server that the README started last, in a directory of its own."""

    def __init__(self, binary):
        self.binary, self.process, self.directory = binary, None, None

    def start(self, arguments):
        self.stop()
        self.directory = tempfile.mkdtemp(prefix="readme-")
        shutil.copy(ROOT / "database.json", self.directory)
        os.mkdir(os.path.join(self.directory, "fixtures"))
        shutil.copy(ROOT / "fixtures" / "routes.json", os.path.join(self.directory, "fixtures"))
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

    def run(self, command):
        """What a command prints, with the port of the README in the place of the real one."""
        environment = dict(os.environ, PATH=f"{os.path.dirname(self.binary)}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
        command = command.replace("localhost:3000", f"localhost:{self.port}")
        result = subprocess.run(
            ["bash", "-c", command], cwd=self.directory, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        text = result.stdout.decode().replace("\r\n", "\n")
        return text.replace(f":{self.port}", ":3000").rstrip("\n").split("\n")

    def ids(self, target):
        with urllib.request.urlopen(f"http://localhost:{self.port}{target}", timeout=30) as answer:
            records = json.load(answer)
        return ", ".join(str(record["id"]) for record in records) or "none"

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(30)
            shutil.rmtree(self.directory, ignore_errors=True)
            self.process = None


def blocks(lines):
    """The commands of the README with the number of their line and what they print, and the rows of its tables."""
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


def failed_examples(lines, server):
    for number, command, expected in blocks(lines):
        if START.match(command):
            server.start(shlex.split(START.sub("", command), comments=True))
            continue
        if command.startswith("GET "):
            actual = [server.ids(command[4:])]
        elif expected:
            actual = server.run(command)
        else:
            server.run(command)
            continue
        if not matches(expected, actual):
            yield f"README.md:{number}: {command}\nprints\n" + "\n".join(actual)


def undocumented_options(lines, binary):
    """The options that either --help or the README's table names alone."""
    helped = subprocess.run([binary, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    shown = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", helped.split("OPTIONS:")[1]))
    rows = [line.split("|")[1] for line in lines if re.match(r"^\| `--?\w", line)]
    documented = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", " ".join(rows)))
    for option in sorted(shown - documented):
        yield f"README.md: the table of options lacks {option}"
    for option in sorted(documented - shown):
        yield f"README.md: --help has no {option}"


def main():
    binary = os.path.abspath(sys.argv[1])
    lines = (ROOT / "README.md").read_text().splitlines()
    server = Server(binary)
    try:
        problems = [*undocumented_options(lines, binary), *failed_examples(lines, server)]
    finally:
        server.stop()
    print("\n\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
