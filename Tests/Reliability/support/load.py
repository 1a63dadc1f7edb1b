"""Clients that change records of their own, and the comparison of a file with what they know."""

import json
import random
import threading

from support.server import Connection, Dropped

ABSENT = None


class Client(threading.Thread):
    """Changes its own records, one request at a time, until its connection breaks."""

    def __init__(self, number, port, expected, seed, cut=None):
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
        self.cut = cut  # an event after which an answer cannot come from a machine that has lost its power

    def run(self):
        try:
            self.connection = Connection(self.port)
            while True:
                self.step()
        except (Dropped, OSError):
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
        if self.cut and self.cut.is_set():
            raise Dropped()
        if answer.status == status:
            self.expected[key] = [new]
            self.acknowledged += 1
        elif answer.status in (503, 507):
            self.refused += 1
            if answer.json.get("durability") == "unknown":
                # Memory holds the new state, the disk may hold either: what follows could not be judged.
                raise Dropped()
            self.expected[key] = [old]
        else:
            self.problem = f"{method} {target} was answered {answer.status} {answer.body[:200]}"


def compare(harness, path, expectations, name):
    """Compares the file with what the clients know, and goes on from what it holds."""
    try:
        with open(path, "rb") as file:
            records = json.loads(file.read())["items"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        harness.fail(f"{name}: torn file: {error}")
        return False
    found = {record["id"]: record for record in records}
    harness.check(len(found) == len(records), f"{name}: an id twice")
    for expected in expectations:
        for key, states in list(expected.items()):
            state = found.pop(key, ABSENT)
            if state not in states:
                harness.fail(f"{name}: {key} is {state}, not one of {states}")
            if state is ABSENT:
                del expected[key]
            else:
                expected[key] = [state]
    harness.check(not found, f"{name}: nobody wrote {list(found)[:5]}")
    return True
