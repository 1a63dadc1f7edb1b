#!/usr/bin/env python3
"""Measures servers of a JSON file over HTTP, side by side, and prints one table.

    Tests/Benchmarks/load.py --server 'ours=swift-json-server --quiet --port {port} {db}' \\
                       --server 'theirs=npx json-server --quiet --port {port} {db}'

`{db}` becomes the path of a database, `{port}` a free port. Beside the commands runs a bare C epoll server (epoll.c),
which sends one prepared record: no server can do much less. The column "0.17.4" holds figures of json-server 0.17.4 on
another machine; they are there to be read as ratios.

Needs wrk, a C compiler and Linux (/proc). Rows are chosen with --only, the time of each load with --duration.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
RECORD_BYTES = 1024
SMALL, LARGE = 1_000, 100_000
# How often the servers take turns in what is compared most closely.
TURNS = 5
NEEDLE = "quizzical"
# What the bodies of the databases are made of in which searches are slowest, and a text whose letters all occur there.
FREQUENT, FREQUENT_NEEDLE = " façade zz façade zy", "façade zzz"

# name, unit, json-server 0.17.4's figure from issue 7 (None: not measured)
ROWS = {
    "by-id": ("GET by id, 1 MB", "requests/s", None),
    "by-id-cpu": ("GET by id, CPU", "µs/request", 340),
    "page": ("GET a page of 10, 100 MB", "requests/s", None),
    "sorted": ("GET a sorted page of 10, 100 MB", "requests/s", 8),
    "deep": ("GET a page from the middle of a sorted list, 100 MB", "requests/s", None),
    "two-keys": ("GET a page sorted by two members, 100 MB", "requests/s", None),
    "filtered": ("GET a filtered page of 10, 100 MB", "requests/s", 7),
    "range": ("GET a page of views_gte and views_lte, 100 MB", "requests/s", None),
    "half": ("GET a page of what views_gte halves, 100 MB", "requests/s", None),
    "two-filters": ("GET a page of category and views_gte, sorted, 100 MB", "requests/s", None),
    "expand": ("GET a page with _expand, 100 MB", "requests/s", None),
    "embed": ("GET a record with 100 embedded ones, 100 MB", "requests/s", None),
    "whole": ("GET the whole list, 100 MB", "ms", None),
    "q": ("q over 100 MB", "GB/s", None),
    "like": ("_like over 100 MB", "GB/s", None),
    "pattern": ("_like with a pattern that holds a literal, 100 MB", "GB/s", None),
    "q-frequent": ("q for 'façade zzz' over 20 MB of 'façade zz'", "GB/s", None),
    "q-escaped": ("the same, each 'ç' in the file as '\\u00e7'", "GB/s", None),
    "put-small": ("PUT, 1 MB, 32 clients", "requests/s", 120),
    "put-large": ("PUT, 100 MB, 32 clients", "requests/s", 0.6),
    "post": ("POST, 1 MB, 32 clients", "requests/s", None),
    "put-grown": ("PUT into the file as these POSTs left it", "requests/s", None),
    "write-while-reading": ("PUT of one client while lists are read, 1 MB, median", "ms", None),
    "start-small": ("start to first response, 1 MB", "ms", 277),
    "start-large": ("start to first response, 100 MB", "ms", 1900),
    "memory": ("memory with 100 MB loaded", "MB", 524),
}

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


def record(number, random_numbers):
    """A record of about 1 KB; one in 1,000 holds the word that searches look for."""
    word = NEEDLE if number % 1000 == 500 else "ordinary"
    value = {
        "id": number,
        "title": f"Post {number}",
        "authorId": number % 1000,
        "views": random_numbers.randrange(10**6),
        "category": f"category {number % 17}",
        "isDraft": number % 5 == 0,
        "body": word,
    }
    padding = RECORD_BYTES - len(json.dumps(value, indent=2))
    value["body"] += " lorem ipsum dolor sit amet"[: padding] * max(1, padding // 27)
    return value


def make_database(path, count):
    random_numbers = random.Random(count)
    with open(path, "w") as file:
        posts = [record(number, random_numbers) for number in range(1, count + 1)]
        authors = [{"id": number, "name": f"Author {number}"} for number in range(1000)]
        json.dump({"posts": posts, "authors": authors, "profile": {"name": "typicode"}}, file, indent=2)


def make_frequent_database(path, count, is_escaped):
    """A database of records whose bodies hold nearly what is searched for."""
    random_numbers = random.Random(count)
    with open(path, "w") as file:
        posts = [record(number, random_numbers) for number in range(1, count + 1)]
        for post in posts:
            post["body"] = FREQUENT * (RECORD_BYTES * 4 // 5 // len(FREQUENT))
        json.dump({"posts": posts}, file, indent=2, ensure_ascii=is_escaped)


class Server:
    """A running server and what it has cost."""

    def __init__(self, command, database):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        arguments = shlex.split(command.format(db=shlex.quote(database), port=self.port))
        started = time.monotonic()
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        self.start_time = self.wait_for_response() - started

    def wait_for_response(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=30) as client:
                    client.sendall(b"GET /posts/1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    if client.recv(12).startswith(b"HTTP/1.1 200"):
                        return time.monotonic()
            except OSError:
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.0005)
        self.stop()
        sys.exit(f"load.py: no answer from {self.process.args}")

    def pids(self):
        """The process and all below it: a server may have been started by a script."""
        parents = {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                pass
        found = [self.process.pid]
        for pid in found:
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def cpu_seconds(self):
        total = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def resident_bytes(self):
        total = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/statm") as file:
                total += int(file.read().split()[1]) * PAGE
        return total

    def stop(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(10)
        except ProcessLookupError:
            pass
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


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


class Load:
    """Runs wrk against a server."""

    def __init__(self, directory, duration):
        self.directory = directory
        self.duration = duration

    def get(self, server, targets):
        """Requests the targets in turn, and returns the requests per second and the CPU seconds of each."""
        lines = self.write("targets", "\n".join(targets))
        request = 'wrk.format("GET", line)'
        return self.run(server, SCRIPT % {"lines": json.dumps(lines), "type": "nil", "request": request})

    def put(self, server, count):
        """Replaces the first thousand records in turn, and returns the same."""
        random_numbers = random.Random(1)
        bodies = [json.dumps(record(number, random_numbers)) for number in range(1, min(count, 1000) + 1)]
        lines = self.write("bodies", "\n".join(bodies))
        request = 'wrk.format("PUT", "/posts/" .. number, nil, line)'
        return self.run(
            server, SCRIPT % {"lines": json.dumps(lines), "type": '"application/json"', "request": request})

    def post(self, server):
        """Adds records, and returns the same."""
        value = record(1, random.Random(1))
        del value["id"]
        lines = self.write("bodies", json.dumps(value))
        request = 'wrk.format("POST", "/posts", nil, line)'
        return self.run(
            server, SCRIPT % {"lines": json.dumps(lines), "type": '"application/json"', "request": request})

    def run(self, server, script):
        path = self.write("load.lua", script)
        url = f"http://127.0.0.1:{server.port}"
        before = server.cpu_seconds()
        output = subprocess.run(
            ["wrk", "-t1", "-c32", f"-d{self.duration}s", "--timeout", "60s", "-s", path, url],
            capture_output=True, text=True)
        used = server.cpu_seconds() - before
        result = next((line for line in output.stdout.splitlines() if line.startswith("RESULT")), None)
        if result is None:
            sys.exit(f"load.py: wrk failed: {output.stderr}")
        requests, microseconds, wrong, broken = map(int, result.split()[1:])
        if wrong or broken:
            print(f"load.py: {wrong} answers were errors, {broken} did not come", file=sys.stderr)
        return (requests - wrong) / (microseconds / 1e6), used / max(requests, 1)

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

    def __init__(self, command, directory, load, wanted):
        self.command = command
        self.directory = directory
        self.load = load
        self.wanted = wanted
        self.figures = {}

    def run(self):
        self.measure_small()
        self.measure_frequent()
        if self.wanted & {row for row, (title, _, _) in ROWS.items() if "100 MB" in title}:
            self.measure_large()

    def server(self, count, name="db.json"):
        """Starts the server on a fresh database."""
        path = os.path.join(self.directory, name)
        subprocess.run(["cp", os.path.join(self.directory, f"{count}.json"), path], check=True)
        return Server(self.command, path)

    def starts(self, count, times):
        durations = []
        for _ in range(times):
            with self.server(count) as server:
                durations.append(server.start_time * 1000)
        return statistics.median(durations)

    def measure_small(self):
        if "start-small" in self.wanted:
            self.figures["start-small"] = self.starts(SMALL, 7)
        if "put-small" in self.wanted:
            with self.server(SMALL) as server:
                self.figures["put-small"] = self.load.put(server, SMALL)[0]
        if self.wanted & {"post", "put-grown"}:
            with self.server(SMALL) as server:
                self.figures["post"] = self.load.post(server)[0]
                # A file that grows takes longer to write: this is what such a file allows.
                self.figures["put-grown"] = self.load.put(server, SMALL)[0]
        if "write-while-reading" in self.wanted:
            with self.server(SMALL) as server:
                self.figures["write-while-reading"] = put_latency(server, 200) * 1000

    def measure_frequent(self):
        target = f"/posts?q={urllib.parse.quote(FREQUENT_NEEDLE)}&_page=1&_limit=10"
        for row, is_escaped in (("q-frequent", False), ("q-escaped", True)):
            if row in self.wanted:
                path = os.path.join(self.directory, f"{row}.json")
                make_frequent_database(path, 20_000, is_escaped)
                with Server(self.command, path) as server:
                    self.scan(row, server, target, os.path.getsize(path))

    def measure_large(self):
        if "start-large" in self.wanted:
            self.figures["start-large"] = self.starts(LARGE, 3)
        with self.server(LARGE) as server:
            self.figures["memory"] = server.resident_bytes() / 1e6
            numbers = random.Random(2)
            pages = [numbers.randrange(1, LARGE // 10) for _ in range(500)]
            for row, query in PAGES.items():
                self.rate(row, server, [query.format(n=page, author=page % 1000, page=page % 10 + 1) for page in pages])
            self.scan("q", server, f"/posts?q={NEEDLE}&_page=1&_limit=10")
            self.scan("like", server, f"/posts?body_like={NEEDLE}&_page=1&_limit=10")
            self.scan("pattern", server, f"/posts?body_like=^{NEEDLE}.*sit&_page=1&_limit=10")
            if "whole" in self.wanted:
                self.figures["whole"] = self.time_once(server, "/posts") * 1000
        if "put-large" in self.wanted:
            with self.server(LARGE) as server:
                self.figures["put-large"] = self.load.put(server, LARGE)[0]

    def rate(self, row, server, targets):
        if row in self.wanted:
            # What is built at first use is not a part of the steady state.
            for target in targets[:2]:
                self.load_once(server, target)
            self.figures[row] = self.load.get(server, targets)[0]

    def scan(self, row, server, target, size=LARGE * RECORD_BYTES):
        if row in self.wanted:
            self.load_once(server, target)
            self.figures[row] = self.load.get(server, [target])[0] * size / 1e9

    def time_once(self, server, target):
        started = time.monotonic()
        self.load_once(server, target)
        return time.monotonic() - started

    @staticmethod
    def load_once(server, target):
        client = http.client.HTTPConnection("127.0.0.1", server.port)
        client.request("GET", target)
        client.getresponse().read()


def measure_by_id(measurements, load):
    """Gets records by id from all servers in turns, and keeps the best turn of each.

    A machine that does other work, too, only ever adds to what a request costs; the least is the nearest to the truth.
    """
    targets = [f"/posts/{number}" for number in range(1, SMALL + 1)]
    with contextlib.ExitStack() as stack:
        servers = [
            stack.enter_context(measurement.server(SMALL, f"by-id-{position}.json"))
            for position, measurement in enumerate(measurements)]
        turns = [[load.get(server, targets) for server in servers] for _ in range(TURNS)]
    for measurement, results in zip(measurements, zip(*turns)):
        measurement.figures["by-id"] = max(rate for rate, _ in results)
        measurement.figures["by-id-cpu"] = min(cost for _, cost in results) * 1e6


def compile_yardstick(directory):
    path = os.path.join(directory, "epoll")
    subprocess.run(["cc", "-O2", "-D_GNU_SOURCE", "-o", path, os.path.join(HERE, "epoll.c")], check=True)
    return path + " {port}"


def number(figure):
    if figure is None:
        return "–"
    if figure >= 100:
        return f"{figure:,.0f}"
    return f"{figure:.1f}" if figure >= 10 else f"{figure:.2f}"


def print_table(columns, wanted):
    names = list(columns)
    print("| work | unit | " + " | ".join(names) + " |")
    print("| --- | --- |" + " ---: |" * len(names))
    for row, (title, unit, _) in ROWS.items():
        if row in wanted:
            cells = [number(columns[name].get(row)) for name in names]
            print(f"| {title} | {unit} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", action="append", required=True, metavar="[NAME=]COMMAND")
    parser.add_argument("--duration", type=int, default=3, help="seconds of each load (default: 3)")
    parser.add_argument("--only", action="append", choices=list(ROWS), help="measure this row alone")
    parser.add_argument("--directory", help="where the databases are made (default: a temporary directory)")
    options = parser.parse_args()
    wanted = set(options.only or ROWS)
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        for count in (SMALL, LARGE):
            make_database(os.path.join(directory, f"{count}.json"), count)
        load = Load(directory, options.duration)
        measurements = {}
        for position, text in enumerate(options.server, 1):
            name, separator, command = text.partition("=")
            if not separator or " " in name:
                name, command = f"server {position}", text
            measurements[name] = Measurement(command, directory, load, wanted)
            measurements[name].run()
        measurements["C epoll"] = Measurement(compile_yardstick(directory), directory, load, wanted)
        if wanted & {"by-id", "by-id-cpu"}:
            measure_by_id(list(measurements.values()), load)
        columns = {name: measurement.figures for name, measurement in measurements.items()}
    columns["0.17.4"] = {row: figure for row, (_, _, figure) in ROWS.items()}
    print_table(columns, wanted)


if __name__ == "__main__":
    main()
