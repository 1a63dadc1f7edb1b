#!/usr/bin/env python3
"""Measures whole lists and /db of 100 MB beside a server that sends as many bytes from its memory, and prints one table.

    Tests/Benchmarks/whole.py --server 'ours=.build/release/swift-json-server --quiet --port {port} {db}'

The other server (epoll.c) makes nothing: one call sends all bytes. No server can do much less. The servers take turns in
each row; of the turns the smallest processor time counts, and the smallest time of a request.

Needs a C compiler and Linux (/proc).
"""

import argparse
import contextlib
import os
import subprocess
import tempfile

from databases import HERE, LARGE, Databases
from load import compile_yardstick
from server import Server

TURNS = 5
# What is asked for: the title, the target, and what is written before.
ROWS = [("the whole list", "/posts", False), ("/db", "/db", False), ("the whole list after a write", "/posts", True)]


class Client:
    """Asks for one target again and again, and reads all bytes."""

    def __init__(self, directory):
        self.program = os.path.join(directory, "client")
        self.targets = os.path.join(directory, "targets")
        subprocess.run(
            ["cc", "-O2", "-D_GNU_SOURCE", "-o", self.program, os.path.join(HERE, "client.c")], check=True)

    def ask(self, server, target, seconds):
        """Returns the milliseconds of each response, and its bytes."""
        with open(self.targets, "w") as file:
            file.write(target + "\n")
        output = subprocess.run(
            [self.program, str(server.port), str(seconds), "0", "GET", self.targets], check=True, capture_output=True,
            text=True).stdout
        rows = [line.split() for line in output.splitlines()]
        return [int(row[1]) / 1000 for row in rows], int(rows[0][2])

    def write(self, server):
        subprocess.run(
            ["curl", "--silent", "--fail", "--output", os.devnull, "--request", "PATCH", "--header",
             "Content-Type: application/json", "--data", '{"title": "Written"}',
             f"http://127.0.0.1:{server.port}/posts/50000"], check=True)


def measure(client, servers, target, seconds):
    """The milliseconds of processor time of each response and of a client, by server."""
    costs = {name: [] for name in servers}
    times = {name: [] for name in servers}
    for _ in range(TURNS):
        for name, server in servers.items():
            before = server.cpu_seconds()
            answered, _ = client.ask(server, target, seconds)
            server.wait_until_idle()
            costs[name].append((server.cpu_seconds() - before) / len(answered) * 1000)
            times[name] += answered
    return {name: (min(costs[name]), min(times[name])) for name in servers}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", action="append", required=True, metavar="NAME=COMMAND")
    parser.add_argument("--seconds", type=float, default=1, help="the time of each turn (default: 1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory, Databases(directory) as databases, contextlib.ExitStack() as stack:
        client = Client(directory)
        servers = {}
        for option in options.server:
            name, _, command = option.partition("=")
            database = stack.enter_context(databases.fresh(command, LARGE))
            servers[name] = stack.enter_context(Server(command, database))
        first = next(iter(servers.values()))
        print("| request | server | CPU, ms | × C | time, ms | × C |\n| --- | --- | ---: | ---: | ---: | ---: |")
        for title, target, is_written in ROWS:
            for server in servers.values():
                if is_written:
                    client.write(server)
            _, count = client.ask(first, target, 0.001)
            yardstick = f"{compile_yardstick(directory)} {count}"
            with databases.fresh(yardstick, 1) as database, Server(yardstick, database) as other:
                figures = measure(client, {**servers, "C": other}, target, options.seconds)
            least = figures["C"]
            for name, (cost, time) in figures.items():
                print(
                    f"| {title}, {count / 1e6:.0f} MB | {name} | {cost:.1f} | {cost / least[0]:.2f} | {time:.1f}"
                    f" | {time / least[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
