#!/usr/bin/env python3
"""Measures how long one client waits while others ask for something large, and prints one table.

    Tests/Benchmarks/mixed.py --server 'ours=swift-json-server --quiet --port {port} {db}' \\
                        --server 'theirs=npx json-server --quiet --port {port} {db}'

`{db}` becomes the path of a database of 100,000 records, 100 MB (or --records), `{port}` a free port. One client gets a
record of a small resource every millisecond; beside it one client, and then four, ask for something large without a pause.
All clients are programs of their own (client.c), so that nothing in them makes another wait.

Needs a C compiler and Linux (/proc).
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading

from databases import NEEDLE, Database, make_database, record
from server import Server

HERE = os.path.dirname(os.path.abspath(__file__))
PROBE_PAUSE = 1000
# Resources of the database whose description is asked for: its cost grows with them.
RESOURCES = 5_000


def permutations(count):
    """Sort keys that no request before has named."""
    names = ["id", "title", "authorId", "views", "category", "isDraft", "body"]
    numbers = random.Random(3)
    lines = []
    while len(lines) < count:
        keys = numbers.sample(names, 3)
        orders = ",".join(numbers.choice(["asc", "desc"]) for _ in keys)
        lines.append(f"/posts?_sort={','.join(keys)}&_order={orders}&_page=1&_limit=10")
    return lines


# What is done is no request: the file is saved again and again by a program of its own.
EDIT = "EDIT"
# name: title, method, targets, body
LOADS = {
    "none": ("none", None, [], None),
    "list": ("the whole list", "GET", ["/posts"], None),
    "db": ("/db", "GET", ["/db"], None),
    "q": ("q", "GET", [f"/posts?q={NEEDLE}&_page=1&_limit=10"], None),
    "like": ("_like", "GET", [f"/posts?body_like={NEEDLE}&_page=1&_limit=10"], None),
    "filter": ("a filter that reads all records", "GET", ["/posts?title_ne=Post+1&id_like=7&_page=1&_limit=10"], None),
    "sort": ("a sort whose index is new", "GET", permutations(400), None),
    "embed": ("the whole list with _expand", "GET", ["/posts?_expand=author"], None),
    "put": ("PUT", "PUT", [f"/posts/{number}" for number in range(1, 1001)], "record"),
    "bulk": ("bulk POST of 1,000 records", "POST", ["/posts"], "records"),
    "patch": ("bulk PATCH of a fifth of them", "PATCH", ["/posts?isDraft=true&_fields=id"], "change"),
    "reset": ("reset", "POST", ["/__admin/reset"], None),
    "edit": ("an edit of the file", EDIT, [], None),
    "openapi": (f"openapi.json of {RESOURCES:,} resources", "GET", ["/__admin/openapi.json"], None),
}


class Files:
    """The files of one run."""

    def __init__(self, directory, count):
        self.directory = directory
        self.large = self.path("large.json")
        self.many = self.path("many.json")
        self.client = self.path("client")
        make_database(self.large, count)
        with open(self.large) as file:
            value = json.load(file)
        value["small"] = [{"id": number, "name": f"Small {number}"} for number in range(1, 11)]
        with open(self.large, "w") as file:
            json.dump(value, file, indent=2)
        value["posts"][0]["title"] = "Edited"
        with open(self.path("other.json"), "w") as file:
            json.dump(value, file, indent=2)
        numbers = random.Random(1)
        with open(self.many, "w") as file:
            many = {f"resource{number}": [{"id": 1, "name": "a", "size": number}] for number in range(RESOURCES)}
            # What the server is asked for until it is there.
            json.dump(many | {"posts": [{"id": 1}], "small": value["small"]}, file, indent=2)
        self.write("record", json.dumps(record(1, numbers)))
        records = [record(number, numbers) for number in range(1000)]
        for value in records:
            del value["id"]
        self.write("records", json.dumps(records))
        self.write("change", json.dumps({"note": "changed"}))
        subprocess.run(
            ["cc", "-O2", "-D_GNU_SOURCE", "-o", self.client, os.path.join(HERE, "client.c")], check=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def copy(self, name):
        path = self.path("db.json")
        subprocess.run(["cp", self.many if name == "openapi" else self.large, path], check=True)
        return path


class Memory:
    """The most memory that a server takes, looked at every few milliseconds."""

    def __init__(self, server):
        self.server = server
        self.before = self.most = server.resident_bytes()
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        pids = self.server.pids()
        while not self.is_done.wait(0.01):
            total = 0
            for pid in pids:
                try:
                    with open(f"/proc/{pid}/statm") as file:
                        total += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
                except OSError:
                    pass
            self.most = max(self.most, total)

    def growth(self):
        self.is_done.set()
        self.thread.join()
        return (self.most - self.before) / 1e6


def start_editor(files, seconds):
    """Saves another version of the file every second, by a rename, and prints a line for each."""
    script = f"""
        end=$(( $(date +%s) + {max(1, round(seconds))} ))
        while [ $(date +%s) -lt $end ]; do
          for version in large other; do
            cp "{files.directory}/$version.json" "{files.directory}/.saved"
            mv "{files.directory}/.saved" "{files.path('db.json')}"
            echo "0 0 0 200"
            sleep 1
          done
        done"""
    return subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True)


def start_client(files, port, seconds, pause, method, targets, body=None):
    if method == EDIT:
        return start_editor(files, seconds)
    command = [files.client, str(port), str(seconds), str(pause), method, targets]
    if body:
        command.append(files.path(body))
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def times(client):
    """The requests of a client: milliseconds to the first byte, milliseconds in all, bytes, status."""
    rows = [line.split() for line in client.communicate()[0].splitlines()]
    return [(int(first) / 1000, int(total) / 1000, int(size), int(status)) for first, total, size, status in rows]


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))] if values else float("nan")


def measure(command, files, name, requesters, seconds):
    """One row: what the small requests wait for, what the large ones take, and what memory they need."""
    title, method, targets, body = LOADS[name]
    if method == EDIT and "--watch" not in command:
        command += " --watch"
    with Server(command, Database(files.copy(name))) as server:
        small = files.write("small", "/small/1\n")
        for _ in range(3):
            server.wait_for_response()
        times(start_client(files, server.port, 0.2, PROBE_PAUSE, "GET", small))
        memory = Memory(server)
        large = [
            start_client(
                files, server.port, seconds, 0, method,
                files.write(f"targets{number}", "\n".join(targets[number::requesters] or targets)), body)
            for number in range(requesters if method else 0)]
        probe = start_client(files, server.port, seconds, PROBE_PAUSE, "GET", small)
        waits = [total for _, total, _, _ in times(probe)]
        requests = [row for client in large for row in times(client)]
        growth = memory.growth()
    wrong = [status for _, _, _, status in requests if not 200 <= status < 300]
    if wrong:
        print(f"mixed.py: {title}: {len(wrong)} of {len(requests)} answers were errors, {wrong[0]} first", file=sys.stderr)
    answers = [] if method == EDIT else requests
    figures = [
        percentile(waits, 0.5), percentile(waits, 0.99), max(waits), percentile([row[0] for row in answers], 0.5),
        percentile([row[1] for row in answers], 0.5), len(requests) / seconds, growth]
    return [title, str(requesters if method else 0)] + ["–" if value != value else number(value) for value in figures]


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", action="append", required=True, metavar="[NAME=]COMMAND")
    parser.add_argument("--duration", type=float, default=4, help="seconds of each load (default: 4)")
    parser.add_argument("--records", type=int, default=100_000, help="records of 1 KB (default: 100,000)")
    parser.add_argument("--only", action="append", choices=list(LOADS), help="measure this load alone")
    parser.add_argument("--requesters", action="append", type=int, help="how many ask for it at a time (default: 1 and 4)")
    parser.add_argument("--directory", help="where the databases are made (default: a temporary directory)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        files = Files(directory, options.records)
        for position, text in enumerate(options.server, 1):
            name, separator, command = text.partition("=")
            if not separator or " " in name:
                name, command = f"server {position}", text
            print(f"\n{name}: milliseconds; large requests per second; MB\n")
            print("| the large request | at a time | small p50 | p99 | max | large: first byte | whole | per second | memory |")
            print("| --- |" + " ---: |" * 8)
            for load in options.only or LOADS:
                for requesters in [1] if load in ["none", "edit"] else options.requesters or [1, 4]:
                    row = measure(command, files, load, requesters, options.duration)
                    print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
