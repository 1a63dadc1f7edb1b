#!/usr/bin/env python3
"""Counts the instructions of the main requests, and notices when one has grown.

    Tests/Benchmarks/instructions.py .build/release/swift-json-server            compares with instructions.json
    Tests/Benchmarks/instructions.py .build/release/swift-json-server --record   writes it

The count is valgrind's (callgrind), which hardly depends on the machine's load; what the kernel does is not in it. Of five
rounds, the smallest counts. Growth above 10 % makes the exit code 1. Counts of another compiler or another processor
architecture do not compare: those that were recorded with one are named, and not compared with.
"""

import argparse
import glob
import http.client
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time

from databases import SMALL, make_database, record

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.json")
ALLOWED_GROWTH = 1.10
ROUNDS = 5

# {n} is another number in each request, so that none of them has the response of an earlier one.
REQUESTS = {
    "GET by id": ("GET", "/posts/500"),
    "GET a page": ("GET", "/posts?_page=7&_limit=10"),
    "GET a sorted page": ("GET", "/posts?_sort=views&_order=desc&_page=7&_limit=10"),
    "GET a filtered page": ("GET", "/posts?authorId=37&_page=1&_limit=10"),
    "GET by id, each another": ("GET", "/posts/{n}"),
    "GET a page, each another": ("GET", "/posts?_page=7&_limit=10&_={n}"),
    "GET a sorted page, each another": ("GET", "/posts?_sort=views&_order=desc&_page=7&_limit=10&_={n}"),
    "GET a filtered page, each another": ("GET", "/posts?authorId=37&_page=1&_limit=10&_={n}"),
    "POST": ("POST", "/posts"),
}


def environment():
    """What counts depend on besides the program: the compiler, and what it compiles for."""
    version = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    return f"{re.search(r'Swift version [0-9.]+', version)[0]}, {platform.machine()}"


class CountedServer:
    """The server under callgrind, and one connection to it."""

    def __init__(self, program, directory):
        self.output = os.path.join(directory, "callgrind")
        database = os.path.join(directory, "db.json")
        ready = os.path.join(directory, "ready")
        make_database(database, SMALL)
        # Valgrind cannot read the debugging information of every Swift compiler.
        stripped = os.path.join(directory, "program")
        subprocess.run(["strip", "--strip-debug", "-o", stripped, program], check=True)
        shim = os.path.join(directory, "sigsuspend.so")
        source = os.path.join(os.path.dirname(RECORDED), "sigsuspend.c")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", shim, source], check=True)
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.output}", "--quiet",
             stripped, "--quiet", "--port", "0", "--ready-file", ready, database],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=os.environ | {"LD_PRELOAD": shim})
        while not os.path.exists(ready):
            if self.process.poll() is not None:
                sys.exit("instructions.py: the server has ended")
            time.sleep(0.05)
        with open(ready) as file:
            self.client = http.client.HTTPConnection("127.0.0.1", json.load(file)["port"])
        self.number = 0

    def send(self, method, target, count):
        for number in range(count):
            body, fields = None, {}
            if method == "POST":
                # A file that is replaced within 20 ms is hashed once more, since its time proves nothing: whether it is
                # must not depend on the machine.
                time.sleep(0.03)
                value = record(number + 1, random.Random(number))
                del value["id"]
                body, fields = json.dumps(value), {"Content-Type": "application/json"}
            self.number = self.number % SMALL + 1
            self.client.request(method, target.format(n=self.number), body, fields)
            response = self.client.getresponse()
            response.read()
            if response.status >= 300:
                sys.exit(f"instructions.py: {method} {target} is answered with {response.status}")

    def dump(self):
        """Ends a count, begins the next, and returns what was counted."""
        subprocess.run(
            ["callgrind_control", "--dump", str(self.process.pid)], check=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        newest = max(glob.glob(self.output + ".*"), key=lambda path: int(path.rpartition(".")[2]))
        with open(newest) as file:
            return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE)[1])

    def stop(self):
        self.process.terminate()
        self.process.wait()


def count(program, repetitions):
    counts = {}
    with tempfile.TemporaryDirectory() as directory:
        server = CountedServer(program, directory)
        try:
            for name, (method, target) in REQUESTS.items():
                # What is built at first use is not a part of the steady state.
                server.send(method, target, 20)
                server.dump()
                rounds = []
                for _ in range(ROUNDS):
                    server.send(method, target, repetitions)
                    rounds.append(server.dump() // repetitions)
                # What the server does by the clock, such as to look at the files that it has replaced, only adds.
                counts[name] = min(rounds)
        finally:
            server.stop()
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--record", action="store_true", help="keep the counts as those to compare with")
    parser.add_argument(
        "--repetitions", type=int, default=50, help="requests of each kind in each of five rounds (default: 50)")
    options = parser.parse_args()
    counts = count(options.program, options.repetitions)
    recorded = {}
    if os.path.exists(RECORDED):
        with open(RECORDED) as file:
            recording = json.load(file)
        if recording["environment"] == environment():
            recorded = recording["instructions"]
        else:
            print(f"recorded with {recording['environment']}, and so not compared with {environment()}")
    has_grown = False
    for name, instructions in counts.items():
        ratio = instructions / recorded.get(name, instructions)
        has_grown |= ratio > ALLOWED_GROWTH
        print(f"{name:34} {instructions:>12,} {ratio:6.2f} {'GROWN' if ratio > ALLOWED_GROWTH else ''}".rstrip())
    if options.record:
        with open(RECORDED, "w") as file:
            json.dump({"environment": environment(), "instructions": counts}, file, indent=2)
            file.write("\n")
    elif has_grown:
        sys.exit("instructions.py: a request costs over 10 % more than recorded; mend it, or --record and say why")


if __name__ == "__main__":
    main()
