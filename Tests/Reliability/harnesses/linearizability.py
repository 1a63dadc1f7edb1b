"""Records what 32 clients do to 24 shared records, and checks each record's history.

Three histories: undisturbed, across kills with restarts, and across edits of the file.
"""

import json
import os
import random
import threading
import time

from support.harness import main
from support.histories import KEYS, Histories, RegisterClient
from support.linearizable import ABSENT, Operation
from support.server import Connection, Dropped, Server


class Client(RegisterClient):
    """Stops with its connection, or after a number of requests."""

    def __init__(self, histories, port, seed, stop, limit):
        super().__init__(histories, seed, stop)
        self.port = port
        self.limit = limit

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
    return histories.judge(harness, "undisturbed")


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
    return histories.judge(harness, "kills")


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
    return histories.judge(harness, "edits")


def measure(harness):
    options = harness.options
    generator = random.Random(options.seed)
    usual = (40_000, 40, 20) if options.thorough else (20_000, 10, 6)
    operations, kills, edits = (
        given or count for given, count in zip((options.operations, options.kills, options.edits), usual))
    figures = [
        f"{undisturbed(harness, generator, operations)} operations undisturbed",
        f"{across_kills(harness, generator, kills)} across {kills} kills",
        f"{across_edits(harness, generator, edits)} across {edits} edits"]
    harness.figure = f"{', '.join(figures)}: {len(harness.failures)} histories not linearizable"


def add_options(parser):
    parser.add_argument("--operations", type=int, help="requests when nothing disturbs them")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--edits", type=int)


if __name__ == "__main__":
    main(measure, add_options)
