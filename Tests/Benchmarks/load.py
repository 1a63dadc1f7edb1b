#!/usr/bin/env python3
"""Measures servers of a JSON file over HTTP, side by side, and prints one table.

    Tests/Benchmarks/load.py --server 'ours=swift-json-server --quiet --port {port} {db}' \\
                       --server 'theirs=npx json-server --quiet --port {port} {db}'

`{db}` becomes the path of a database, `{port}` a free port, `{postgres}` the address of a fresh schema of a PostgreSQL that
is started for the run. Beside the commands runs a bare C epoll server (epoll.c), which sends one prepared record: no server
can do much less.

Needs wrk, a C compiler and Linux (/proc). Rows are chosen with --only, the time of each load with --duration. The exit code
is 1 when a server refused something.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from typing import NamedTuple

from databases import FREQUENT_NEEDLE, HERE, HUGE, LARGE, MEDIUM, NEEDLE, RECORD_BYTES, SMALL, Databases, record
from server import Server

CLIENTS = 32
# How many records all clients write together, where two servers share them.
SHARED = 24
# How often the servers take turns in what is compared most closely.
TURNS = 5

# name, unit
ROWS = {
    "by-id": ("GET by id, 1 MB", "requests/s"),
    "by-id-cpu": ("GET by id, CPU", "µs/request"),
    "page": ("GET a page of 10, 100 MB", "requests/s"),
    "sorted": ("GET a sorted page of 10, 100 MB", "requests/s"),
    "deep": ("GET a page from the middle of a sorted list, 100 MB", "requests/s"),
    "two-keys": ("GET a page sorted by two members, 100 MB", "requests/s"),
    "filtered": ("GET a filtered page of 10, 100 MB", "requests/s"),
    "range": ("GET a page of views_gte and views_lte, 100 MB", "requests/s"),
    "half": ("GET a page of what views_gte halves, 100 MB", "requests/s"),
    "two-filters": ("GET a page of category and views_gte, sorted, 100 MB", "requests/s"),
    "expand": ("GET a page with _expand, 100 MB", "requests/s"),
    "embed": ("GET a record with 100 embedded ones, 100 MB", "requests/s"),
    "whole": ("GET the whole list, 100 MB", "ms"),
    "q": ("q over 100 MB", "GB/s"),
    "like": ("_like over 100 MB", "GB/s"),
    "pattern": ("_like with a pattern that holds a literal, 100 MB", "GB/s"),
    "q-frequent": ("q for 'façade zzz' over 20 MB of 'façade zz'", "GB/s"),
    "q-escaped": ("the same, each 'ç' in the file as '\\u00e7'", "GB/s"),
    "put-small": ("PUT, 1 MB, 32 clients", "requests/s"),
    "put-medium": ("PUT, 10 MB, 32 clients", "requests/s"),
    "put-large": ("PUT, 100 MB, 32 clients", "requests/s"),
    "put-huge": ("PUT, 1 GB, 32 clients", "requests/s"),
    "shared-one": (f"PUT of the same {SHARED} records, 32 clients, one server", "requests/s"),
    "shared-two": (f"PUT of the same {SHARED} records, 32 clients, two servers", "requests/s"),
    "post": ("POST, 1 MB, 32 clients", "requests/s"),
    "put-grown": ("PUT into the file as these POSTs left it", "requests/s"),
    "write-while-reading": ("PUT of one client while lists are read, 1 MB, median", "ms"),
    "start-small": ("start to first response, 1 MB", "ms"),
    "start-large": ("start to first response, 100 MB", "ms"),
    "memory": ("memory with 100 MB loaded", "MB"),
    "refused": ("responses that were errors, or did not come", "count"),
}

# How many records the database has whose records are replaced.
PUTS = {"put-small": SMALL, "put-medium": MEDIUM, "put-large": LARGE, "put-huge": HUGE}

# How many times as long such a load lasts: json-server 1.0 formats all data for each client before it responds to any.
LONGER = {MEDIUM: 2, LARGE: 5}

# Requests for pages of the large database; {n} is from 1 to 10,000.
PAGES = {
    "page": "/posts?_page={n}&_limit=10",
    "sorted": "/posts?_sort=views&_order=desc&_page={n}&_limit=10",
    "deep": "/posts?_sort=views&_order=desc&_page=5000&_limit=10",
    "two-keys": "/posts?_sort=category,views&_order=asc,desc&_page={n}&_limit=10",
    "filtered": "/posts?authorId={author}&_page={page}&_limit=10",
    "range": "/posts?views_gte={n}00&views_lte={n}99&_limit=10",
    "half": "/posts?views_gte=500000&_page={page}&_limit=10",
    "two-filters": "/posts?category=category+7&views_gte=500000&_sort=views&_page={page}&_limit=10",
    "expand": "/posts?_expand=author&_page={n}&_limit=10",
    "embed": "/authors/{author}?_embed=posts",
}

# What is searched for in the large database.
SEARCHES = {"q": f"q={NEEDLE}", "like": f"body_like={NEEDLE}", "pattern": f"body_like=^{NEEDLE}.*sit"}

# The requests for pages that json-server 1.0 has parameters for; it has no searches.
PAGES_V1 = {
    "page": "/posts?_page={n}&_per_page=10",
    "sorted": "/posts?_sort=-views&_page={n}&_per_page=10",
    "filtered": "/posts?authorId={author}&_page={page}&_per_page=10",
}


# What each request of a load is, made in advance: wrk shall have time to send them.
SCRIPT = """
local requests, number = {}, 0
function init()
  wrk.headers["Content-Type"] = %(type)s
  for line in io.lines(%(lines)s) do
    number = number + 1
    requests[number] = %(request)s
  end
end
function request()
  number = number %% #requests + 1
  return requests[number]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %%d %%d %%d %%d\\n", summary.requests, summary.duration,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
"""


class Result(NamedTuple):
    """What a load has shown."""

    # Responses per second, without those that refuse.
    rate: float
    # The seconds of processor time of each request.
    cost: float
    # How many responses were errors, or did not come.
    refused: int


class Dialect(NamedTuple):
    """What a server is asked, by the rows: in the parameters of json-server 0.17 or of 1.0."""

    pages: dict
    searches: dict


V0, V1 = Dialect(PAGES, SEARCHES), Dialect(PAGES_V1, {})


class Load:
    """Runs wrk against servers."""

    def __init__(self, directory, duration):
        self.directory = directory
        self.duration = duration

    def get(self, server, targets):
        """Requests the targets in turn."""
        lines = self.write("targets", "\n".join(targets))
        request = 'wrk.format("GET", line)'
        return self.run([server], SCRIPT % {"lines": json.dumps(lines), "type": "nil", "request": request})

    def put(self, servers, count):
        """Replaces the first records in turn, a thousand at most, through all servers at once."""
        random_numbers = random.Random(1)
        bodies = [json.dumps(record(number, random_numbers)) for number in range(1, min(count, 1000) + 1)]
        lines = self.write("bodies", "\n".join(bodies))
        request = 'wrk.format("PUT", "/posts/" .. number, nil, line)'
        return self.run(
            servers, SCRIPT % {"lines": json.dumps(lines), "type": '"application/json"', "request": request},
            self.duration * LONGER.get(count, 1))

    def post(self, server):
        """Adds records."""
        value = record(1, random.Random(1))
        del value["id"]
        lines = self.write("bodies", json.dumps(value))
        request = 'wrk.format("POST", "/posts", nil, line)'
        return self.run(
            [server], SCRIPT % {"lines": json.dumps(lines), "type": '"application/json"', "request": request})

    def run(self, servers, script, duration=None):
        """Shares the clients out among the servers, of which one may be named twice."""
        path = self.write("load.lua", script)
        before = sum(server.cpu_seconds() for server in set(servers))
        clients = CLIENTS // len(servers)
        running = [
            subprocess.Popen(
                ["wrk", "-t1", f"-c{clients}", f"-d{duration or self.duration}s", "--timeout", "60s", "-s", path,
                 f"http://127.0.0.1:{server.port}"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for server in servers]
        rate, sent, refused = 0, 0, 0
        for process in running:
            output, errors = process.communicate()
            result = next((line for line in output.splitlines() if line.startswith("RESULT")), None)
            if result is None:
                sys.exit(f"load.py: wrk failed: {errors}")
            requests, microseconds, wrong, broken = map(int, result.split()[1:])
            rate += (requests - wrong) / (microseconds / 1e6)
            sent += requests
            refused += wrong + broken
        used = sum(server.cpu_seconds() for server in set(servers)) - before
        return Result(rate, used / max(sent, 1), refused)

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        return path


def put_latency(server, count):
    """The median time of PUTs, one after the other, while another client reads lists without a pause."""
    is_done = threading.Event()

    def read():
        client = http.client.HTTPConnection("127.0.0.1", server.port)
        while not is_done.is_set():
            client.request("GET", "/posts?_start=0&_limit=100")
            client.getresponse().read()

    reader = threading.Thread(target=read)
    reader.start()
    client = http.client.HTTPConnection("127.0.0.1", server.port)
    times = []
    for number in range(1, count + 1):
        body = json.dumps(record(number, random.Random(number)))
        started = time.monotonic()
        client.request("PUT", f"/posts/{number}", body, {"Content-Type": "application/json"})
        client.getresponse().read()
        times.append(time.monotonic() - started)
    is_done.set()
    reader.join()
    return statistics.median(times)


class Measurement:
    """The figures of one server."""

    def __init__(self, command, dialect, databases, load, wanted):
        self.command = command
        self.dialect = dialect
        self.databases = databases
        self.load = load
        self.wanted = wanted
        self.figures = {}
        self.refused = 0

    def run(self):
        for row, count, times in [("start-small", SMALL, 7), ("start-large", LARGE, 3)]:
            if row in self.wanted:
                self.figures[row] = self.start_time(count, times)
        if self.wanted & {"post", "put-grown"}:
            with self.server(SMALL) as server:
                self.figures["post"] = self.count(self.load.post(server)).rate
                # A file that grows takes longer to write: this is what such a file allows.
                self.figures["put-grown"] = self.count(self.load.put([server], SMALL)).rate
        for row, kind in [("q-frequent", "frequent"), ("q-escaped", "escaped")]:
            if row in self.wanted and self.dialect.searches:
                with self.server(kind) as server:
                    size = os.path.getsize(self.databases.original(kind))
                    target = f"/posts?q={urllib.parse.quote(FREQUENT_NEEDLE)}&_page=1&_limit=10"
                    self.scan(row, server, target, size)
        if "write-while-reading" in self.wanted:
            with self.server(SMALL) as server:
                self.figures["write-while-reading"] = put_latency(server, 200) * 1000
        if self.wanted & {*PAGES, *SEARCHES, "whole", "memory"}:
            with self.server(LARGE) as server:
                self.measure_large(server)

    @contextlib.contextmanager
    def server(self, kind):
        """Starts the server on a fresh database."""
        with self.databases.fresh(self.command, kind) as database, Server(self.command, database) as server:
            yield server

    def start_time(self, count, times):
        """The median time of starts on a database that is there already."""
        with self.databases.fresh(self.command, count) as database:
            durations = []
            for _ in range(times + 1):
                with Server(self.command, database) as server:
                    durations.append(server.start_time * 1000)
        return statistics.median(durations[1:])

    def measure_large(self, server):
        self.figures["memory"] = server.resident_bytes() / 1e6
        numbers = random.Random(2)
        pages = [numbers.randrange(1, LARGE // 10) for _ in range(500)]
        for row, query in self.dialect.pages.items():
            self.rate(row, server, [query.format(n=page, author=page % 1000, page=page % 10 + 1) for page in pages])
        for row, query in self.dialect.searches.items():
            self.scan(row, server, f"/posts?{query}&_page=1&_limit=10")
        if "whole" in self.wanted:
            self.figures["whole"] = self.time_once(server, "/posts") * 1000

    def rate(self, row, server, targets):
        if row in self.wanted:
            # What is built at first use is not a part of the steady state.
            for target in targets[:2]:
                self.load_once(server, target)
            self.figures[row] = self.count(self.load.get(server, targets)).rate

    def scan(self, row, server, target, size=LARGE * RECORD_BYTES):
        if row in self.wanted:
            self.load_once(server, target)
            self.figures[row] = self.count(self.load.get(server, [target])).rate * size / 1e9

    def count(self, result):
        self.refused += result.refused
        return result

    def time_once(self, server, target):
        started = time.monotonic()
        self.load_once(server, target)
        return time.monotonic() - started

    @staticmethod
    def load_once(server, target):
        client = http.client.HTTPConnection("127.0.0.1", server.port)
        client.request("GET", target)
        client.getresponse().read()


def take_turns(measurements, count, turn):
    """Starts all servers on databases of their own, and returns what their turns have shown, by server.

    The next turn begins when the server has also done what its clients stopped waiting for. A server that ended takes no more
    turns: json-server 0.17 runs out of memory when 32 clients write to 100 MB for half a minute.
    """
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(measurement.server(count)) for measurement in measurements]
        results = [[] for _ in servers]
        for _ in range(TURNS):
            for measurement, server, shown in zip(measurements, servers, results):
                if server.process.poll() is None:
                    shown.append(measurement.count(turn(server)))
                    server.wait_until_idle()
    return zip(measurements, results)


def measure_by_id(measurements, load):
    """Gets records by id from all servers in turns, and keeps the best turn of each.

    A machine that does other work, too, only ever adds to what a request costs; the least is the nearest to the truth.
    """
    targets = [f"/posts/{number}" for number in range(1, SMALL + 1)]
    for measurement, results in take_turns(measurements, SMALL, lambda server: load.get(server, targets)):
        measurement.figures["by-id"] = max(result.rate for result in results)
        measurement.figures["by-id-cpu"] = min(result.cost for result in results) * 1e6


def measure_puts(measurements, load, row, count):
    """Has all servers replace records in turns, and keeps each one's median."""
    for measurement, results in take_turns(measurements, count, lambda server: load.put([server], count)):
        measurement.figures[row] = statistics.median(result.rate for result in results)


def measure_sharing(measurement, load):
    """Has all clients replace the same records through one server, and through two servers of the same database."""
    rates = {"shared-one": [], "shared-two": []}
    with (
        measurement.databases.fresh(measurement.command, SMALL) as database,
        Server(measurement.command, database) as first, Server(measurement.command, database) as second,
    ):
        for _ in range(TURNS):
            for row, servers in [("shared-one", [first, first]), ("shared-two", [first, second])]:
                rates[row].append(measurement.count(load.put(servers, SHARED)).rate)
    for row, found in rates.items():
        measurement.figures[row] = statistics.median(found)


def compile_yardstick(directory):
    path = os.path.join(directory, "epoll")
    subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-o", path, os.path.join(HERE, "epoll.c")], check=True)
    return path + " {port}"


def number(figure):
    if figure is None:
        return "–"
    if figure >= 100 or isinstance(figure, int):
        return f"{figure:,.0f}"
    return f"{figure:.1f}" if figure >= 10 else f"{figure:.2f}"


def print_table(columns, wanted):
    names = list(columns)
    print("| work | unit | " + " | ".join(names) + " |")
    print("| --- | --- |" + " ---: |" * len(names))
    for row, (title, unit) in ROWS.items():
        if row in wanted:
            cells = [number(columns[name].get(row)) for name in names]
            print(f"| {title} | {unit} | " + " | ".join(cells) + " |")


def named(texts):
    """The commands of the option --server by their names."""
    commands = {}
    for position, text in enumerate(texts, 1):
        name, separator, command = text.partition("=")
        if not separator or " " in name:
            name, command = f"server {position}", text
        commands[name] = command
    return commands


def measure_all(commands, databases, load, wanted):
    """The figures of all servers by name; each command comes with its dialect."""
    measurements = {}
    for name, (command, dialect) in commands.items():
        measurements[name] = Measurement(command, dialect, databases, load, wanted)
        measurements[name].run()
    servers = list(measurements.values())
    for row, count in PUTS.items():
        if row in wanted:
            measure_puts(servers, load, row, count)
    for measurement in servers:
        if wanted & {"shared-one", "shared-two"} and "{postgres}" in measurement.command:
            measure_sharing(measurement, load)
    for measurement in servers:
        measurement.figures["refused"] = measurement.refused
    measurements["C epoll"] = Measurement(compile_yardstick(databases.directory), V0, databases, load, wanted)
    if wanted & {"by-id", "by-id-cpu"}:
        measure_by_id(list(measurements.values()), load)
    return {name: measurement.figures for name, measurement in measurements.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", action="append", required=True, metavar="[NAME=]COMMAND")
    parser.add_argument("--duration", type=int, default=3, help="seconds of each load (default: 3)")
    parser.add_argument(
        "--only", action="append", choices=list(ROWS), help="measure this row alone (put-huge is measured only then)")
    parser.add_argument("--directory", help="where the databases are made (default: a temporary directory)")
    options = parser.parse_args()
    wanted = set(options.only or ROWS.keys() - {"put-huge"}) | {"refused"}
    commands = {name: (command, V0) for name, command in named(options.server).items()}
    columns = measure(commands, options.duration, wanted, options.directory)
    report(columns, wanted)


def measure(commands, duration, wanted, scratch=None):
    """The figures of all servers on databases in a temporary directory."""
    with tempfile.TemporaryDirectory(dir=scratch) as directory, Databases(directory, scratch) as databases:
        return measure_all(commands, databases, Load(directory, duration), wanted)


def report(columns, wanted):
    """Prints the table; exits with 1 when a server refused something."""
    print_table(columns, wanted)
    refused = sum(figures.get("refused") or 0 for figures in columns.values())
    if refused:
        sys.exit(f"load.py: {refused} responses were errors, or did not come")


if __name__ == "__main__":
    main()
