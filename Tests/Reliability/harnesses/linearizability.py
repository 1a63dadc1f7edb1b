"""Records what 32 clients do to 24 shared records, and checks each record's history.

Three histories: undisturbed, across kills with restarts, and across edits of the file.
"""

import json
import os
import random
import threading
import time

from support.harness import main
from support.linearizable import ABSENT, Operation, is_linearizable
from support.server import Connection, Dropped, Server

KEYS = [f"r{number}" for number in range(24)]


class Histories:
    def __init__(self):
        self.lock = threading.Lock()
        self.operations = {key: [] for key in KEYS}
        self.count = 0

    def add(self, key, operation):
        with self.lock:
            self.operations[key].append(operation)
            self.count += 1


def effect(method, value, status, seen):
    """What an answer says of the states before and after; `status` is None when there was no answer."""
    if method == "GET":
        expected = ABSENT if status == 404 else seen
        return lambda state: (state,) if state == expected else ()
    is_done_on_absent = method == "POST"
    new = ABSENT if method == "DELETE" else value

    def apply(state):
        fits = (state is ABSENT) == is_done_on_absent
        if status is None:
            return (new, state) if fits else (state,)
        if status < 300:
            return (new,) if fits else ()
        return () if fits else (state,)

    return apply


ALLOWED = {"GET": {200, 404}, "POST": {201, 409}, "PUT": {200, 404}, "PATCH": {200, 404}, "DELETE": {200, 404}}


class Client(threading.Thread):
    def __init__(self, histories, port, seed, stop, limit):
        super().__init__(daemon=True)
        self.histories = histories
        self.port = port
        self.random = random.Random(seed)
        self.stop = stop
        self.limit = limit
        self.problem = None

    def run(self):
        try:
            connection = Connection(self.port, 30)
        except OSError:
            return
        for _ in range(self.limit):
            if self.stop.is_set():
                return
            try:
                self.step(connection)
            except (Dropped, OSError):
                return

    def step(self, connection):
        key = self.random.choice(KEYS)
        method = self.random.choices(["GET", "POST", "PUT", "PATCH", "DELETE"], [5, 2, 2, 2, 1])[0]
        value = self.random.getrandbits(60)
        target = "/items" if method == "POST" else f"/items/{key}"
        body = None if method in ("GET", "DELETE") else {"value": value} if method == "PATCH" else {
            "id": key, "value": value}
        start = time.monotonic()
        try:
            answer = connection.request(method, target, body)
        except (Dropped, OSError):
            if method != "GET":
                # Nothing happens any more once the server is gone.
                self.histories.add(
                    key, Operation(start, time.monotonic(), f"{method} {key} {value} ?", effect(method, value, None, None)))
            raise
        end = time.monotonic()
        if answer.status == 503:
            # Refused is absent.
            return
        if answer.status not in ALLOWED[method]:
            self.problem = f"{method} {target} was answered {answer.status} {answer.body[:200]}"
            return
        seen = answer.json.get("value") if method == "GET" and answer.status == 200 else None
        name = f"{method} {key} {value if body else seen} {answer.status}"
        self.histories.add(key, Operation(start, end, name, effect(method, value, answer.status, seen)))


def clients(histories, server, generator, stop, limit):
    started = [Client(histories, server.port, generator.random(), stop, limit) for _ in range(32)]
    for client in started:
        client.start()
    return started


def join(harness, name, started):
    for client in started:
        client.join(60)
        if client.problem:
            harness.fail(f"{name}: {client.problem}")


def judge(harness, name, histories):
    for key, operations in histories.operations.items():
        try:
            if not is_linearizable(operations, ABSENT):
                harness.fail(f"{name}: the history of {key} is not linearizable ({len(operations)} operations)")
        except RuntimeError as error:
            harness.fail(f"{name}: {key}: {error}")
    return histories.count


def prepare(harness, name):
    path = os.path.join(harness.subdirectory(name), "database.json")
    with open(path, "w") as file:
        file.write('{"items": []}')
    return path


def undisturbed(harness, generator, operations):
    path = prepare(harness, "undisturbed")
    histories = Histories()
    with Server(harness.binary, path, "--quiet") as server:
        join(harness, "undisturbed", clients(histories, server, generator, threading.Event(), operations // 32))
    return judge(harness, "undisturbed", histories)


def across_kills(harness, generator, rounds):
    path = prepare(harness, "kills")
    histories = Histories()
    for _ in range(rounds):
        server = Server(harness.binary, path, "--quiet")
        if not server.wait():
            harness.fail(f"kills: no restart: {server.log}")
            server.kill()
            break
        started = clients(histories, server, generator, threading.Event(), 10**6)
        time.sleep(generator.uniform(0.1, 0.5))
        server.kill()
        join(harness, "kills", started)
    return judge(harness, "kills", histories)


def across_edits(harness, generator, edits):
    """An edit is a write to every record at once, at some time between the save and its being seen."""
    path = prepare(harness, "edits")
    histories = Histories()
    stop = threading.Event()
    with Server(harness.binary, path, "--watch", "--quiet") as server:
        started = clients(histories, server, generator, stop, 10**6)
        for number in range(edits):
            time.sleep(generator.uniform(0.2, 0.6))
            values = {key: generator.getrandbits(60) for key in KEYS if generator.random() < 0.7}
            text = json.dumps({"items": [{"id": key, "value": value} for key, value in values.items()]})
            with open(path + ".new", "w") as file:
                file.write(text)
            start = time.monotonic()
            os.rename(path + ".new", path)
            end = time.monotonic() + 1.5
            for key in KEYS:
                value = values.get(key, ABSENT)
                histories.add(key, Operation(start, end, f"edit {value}", lambda state, value=value: (value,)))
            time.sleep(1.5)
        stop.set()
        join(harness, "edits", started)
    return judge(harness, "edits", histories)


def measure(harness):
    generator = random.Random(harness.options.seed)
    thorough = harness.options.thorough
    figures = [
        f"{undisturbed(harness, generator, 40_000 if thorough else 20_000)} operations undisturbed",
        f"{across_kills(harness, generator, 40 if thorough else 10)} across {40 if thorough else 10} kills",
        f"{across_edits(harness, generator, 20 if thorough else 6)} across {20 if thorough else 6} edits"]
    harness.figure = f"{', '.join(figures)}: {len(harness.failures)} histories not linearizable"


if __name__ == "__main__":
    main(measure)
