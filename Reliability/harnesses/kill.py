"""Kills the server at random instants under load, and compares the file with what was acknowledged.

Each of 16 clients owns its records. After a kill, a record must hold what was acknowledged last, or what the one request
that was not answered would have made of it. The file must be whole, and no temporary file may outlive a restart.
"""

import json
import os
import random
import threading
import time

from support.harness import main
from support.server import Dropped, Server, side_files

ABSENT = None


class Client(threading.Thread):
    """Changes its own records, one request at a time, until its connection breaks."""

    def __init__(self, number, port, expected, seed):
        super().__init__(daemon=True)
        self.number = number
        self.port = port
        self.expected = expected  # id -> the states that are allowed; more than one only for what was in doubt
        self.random = random.Random(seed)
        self.acknowledged = 0
        self.refused = 0
        self.problem = None
        self.serial = max([int(key.split("-")[1]) for key in expected] or [0])
        self.connection = None

    def run(self):
        from support.server import Connection
        try:
            self.connection = Connection(self.port)
            while True:
                self.step()
        except (Dropped, OSError, ValueError):
            pass

    def step(self):
        live = [key for key, states in self.expected.items() if states[0] is not ABSENT]
        kind = self.random.choice(["POST", "PUT", "PATCH", "DELETE"]) if live else "POST"
        if kind == "POST" or len(live) < 2:
            self.serial += 1
            key = f"c{self.number}-{self.serial}"
            record = {"id": key, "value": self.random.random(), "text": "x" * self.random.randrange(200)}
            self.write("POST", "/items", record, key, record, 201)
            return
        key = self.random.choice(live)
        old = self.expected[key][0]
        if kind == "DELETE":
            self.write("DELETE", f"/items/{key}", None, key, ABSENT, 200)
        elif kind == "PUT":
            record = {"id": key, "value": self.random.random(), "put": True}
            self.write("PUT", f"/items/{key}", record, key, record, 200)
        else:
            change = {"value": self.random.random(), "patched": self.random.randrange(1000)}
            self.write("PATCH", f"/items/{key}", change, key, {**old, **change}, 200)

    def write(self, method, target, body, key, new, status):
        old = self.expected.get(key, [ABSENT])[0]
        # In doubt from here until the answer is read.
        self.expected[key] = [old, new]
        answer = self.connection.request(method, target, body)
        if answer.status == status:
            self.expected[key] = [new]
            self.acknowledged += 1
        else:
            self.problem = f"{method} {target} was answered {answer.status} {answer.body[:200]}"
            self.expected[key] = [old]
            self.refused += 1


def trial(harness, path, options, expectations, number, generator):
    server = Server(harness.binary, path, "--quiet", *options)
    if not server.wait():
        harness.fail(f"trial {number}: no restart: {server.log[-500:]}")
        server.kill()
        return 0, False
    left = side_files(path)
    harness.check(not left, f"trial {number}: left after the restart: {left}")
    clients = [
        Client(index, server.port, expectations[index], generator.random()) for index in range(len(expectations))]
    for client in clients:
        client.start()
    time.sleep(generator.uniform(0.01, 0.15))
    server.kill()
    for client in clients:
        client.join(10)
    for client in clients:
        if client.problem:
            harness.fail(f"trial {number}: {client.problem}")
    return sum(client.acknowledged for client in clients), compare(harness, path, expectations, number)


def compare(harness, path, expectations, number):
    """Compares the file with what the clients know, and goes on from what it holds."""
    try:
        with open(path, "rb") as file:
            records = json.loads(file.read())["items"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        harness.fail(f"trial {number}: torn file: {error}")
        return False
    found = {record["id"]: record for record in records}
    harness.check(len(found) == len(records), f"trial {number}: an id twice")
    for expected in expectations:
        for key, states in list(expected.items()):
            state = found.pop(key, ABSENT)
            if state not in states:
                harness.fail(f"trial {number}: {key} is {state}, not one of {states}")
            if state is ABSENT:
                del expected[key]
            else:
                expected[key] = [state]
    harness.check(not found, f"trial {number}: nobody wrote {list(found)[:5]}")
    return True


def measure(harness):
    trials = harness.options.trials or (1000 if harness.options.thorough else 200)
    figures = []
    for mode in ("full", "fast"):
        generator = random.Random(f"{harness.options.seed}{mode}")
        path = os.path.join(harness.subdirectory(mode), "database.json")
        with open(path, "w") as file:
            file.write('{"items": []}')
        expectations = [{} for _ in range(16)]
        acknowledged = done = 0
        for number in range(trials // 2):
            count, is_whole = trial(harness, path, ["--sync", mode], expectations, number, generator)
            acknowledged += count
            done += 1
            if not is_whole or len(harness.failures) > 20:
                break
        figures.append(f"{mode}: {done} kills, {acknowledged} acknowledged")
    harness.figure = "; ".join(figures) + f"; {len(harness.failures)} lost, torn or left over"


main(measure, lambda parser: parser.add_argument("--trials", type=int, help="kills in all, half for each mode"))
