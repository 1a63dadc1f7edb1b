"""Records what 24 clients of three servers do to 24 shared records in one PostgreSQL, and checks each record's history.

One history undisturbed, one each across kills of servers, crashes of PostgreSQL, paused servers and cut connections.
"""

import os
import random
import signal
import threading
import time

from linearizability import ALLOWED, KEYS, Histories, effect, judge
from support.harness import main
from support.linearizable import Operation
from support.postgresql import PostgreSQL, Proxy
from support.server import Connection, Dropped, Server

# How long what was sent to a server that is gone may take effect still.
LATER = 30


class Fleet:
    """Servers of one database, of which any may be gone for a while."""

    def __init__(self, harness, name, url, count=3):
        self.harness = harness
        self.url = url
        self.seed = os.path.join(harness.subdirectory(name), "seed.json")
        with open(self.seed, "w") as file:
            file.write('{"items": [], "log": []}')
        self.servers = [None] * count
        for index in range(count):
            self.start(index)

    def start(self, index):
        server = Server(self.harness.binary, self.url, "--seed", self.seed, "--quiet")
        if server.wait():
            self.servers[index] = server
        else:
            self.harness.fail(f"no start: {server.log[-500:]}")
            server.kill()

    def port(self, generator):
        alive = [server.port for server in self.servers if server]
        return generator.choice(alive) if alive else None

    def kill(self, index):
        server, self.servers[index] = self.servers[index], None
        if server:
            server.kill()

    def stop(self):
        for server in filter(None, self.servers):
            server.stop()


class Client(threading.Thread):
    """Changes records through whichever server, and adds to a log what must be there once in the end."""

    def __init__(self, fleet, histories, seed, stop):
        super().__init__(daemon=True)
        self.fleet = fleet
        self.histories = histories
        self.random = random.Random(seed)
        self.stop = stop
        self.problem = None
        self.refused = 0
        self.added = set()
        self.doubtful = set()

    def run(self):
        while not self.stop.is_set():
            port = self.fleet.port(self.random)
            try:
                connection = Connection(port, 60)
            except (OSError, TypeError):
                time.sleep(0.02)
                continue
            try:
                with connection:
                    for _ in range(20):
                        if self.stop.is_set():
                            return
                        self.step(connection)
            except (Dropped, OSError):
                pass

    def step(self, connection):
        if self.random.random() < 0.1:
            return self.add(connection)
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
            self.doubt(method, key, value, start)
            raise
        end = time.monotonic()
        if answer.status == 503:
            # Refused is absent, unless the answer says that nobody knows.
            self.refused += 1
            if answer.json.get("durability") == "unknown":
                self.doubt(method, key, value, start)
            return
        if answer.status not in ALLOWED[method]:
            self.problem = f"{method} {target} was answered {answer.status} {answer.body[:200]}"
            return
        seen = answer.json.get("value") if method == "GET" and answer.status == 200 else None
        name = f"{method} {key} {value if body else seen} {answer.status}"
        self.histories.add(key, Operation(start, end, name, effect(method, value, answer.status, seen)))

    def doubt(self, method, key, value, start):
        if method != "GET":
            self.histories.add(
                key, Operation(start, time.monotonic() + LATER, f"{method} {key} {value} ?", effect(method, value, None, None)))

    def add(self, connection):
        token = self.random.getrandbits(60)
        self.doubtful.add(token)
        answer = connection.request("POST", "/log", {"token": token})
        if answer.status == 201:
            self.doubtful.discard(token)
            self.added.add(token)
        elif answer.json.get("durability") != "unknown":
            self.doubtful.discard(token)


def history(harness, postgres, name, generator, disturb, seconds, port=None):
    """Has clients work while something is disturbed, and judges what they saw."""
    histories = Histories()
    stop = threading.Event()
    fleet = Fleet(harness, name, postgres.url(name, port))
    clients = [Client(fleet, histories, generator.random(), stop) for _ in range(24)]
    for client in clients:
        client.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        disturb(fleet)
    stop.set()
    for client in clients:
        client.join(90)
        if client.is_alive():
            harness.fail(f"{name}: a client waits for ever")
        if client.problem:
            harness.fail(f"{name}: {client.problem}")
    agree(harness, name, fleet, clients)
    fleet.stop()
    refused = sum(client.refused for client in clients)
    return judge(harness, name, histories), refused


def agree(harness, name, fleet, clients):
    """All servers show the same in the end, with everything that was acknowledged once, and nothing refused."""
    shown = []
    for server in filter(None, fleet.servers):
        for _ in range(100):
            answer = server.request("GET", "/db", timeout=60)
            if answer.status == 200:
                break
            time.sleep(0.1)
        shown.append(answer.json)
    if any(other != shown[0] for other in shown):
        harness.fail(f"{name}: the servers show different data")
    tokens = [record.get("token") for record in shown[0].get("log", [])]
    added = set().union(*(client.added for client in clients))
    doubtful = set().union(*(client.doubtful for client in clients))
    if len(tokens) != len(set(tokens)):
        harness.fail(f"{name}: {len(tokens) - len(set(tokens))} writes are there twice")
    if added - set(tokens):
        harness.fail(f"{name}: {len(added - set(tokens))} acknowledged writes of {len(added)} are lost")
    if set(tokens) - added - doubtful:
        harness.fail(f"{name}: {len(set(tokens) - added - doubtful)} refused writes are there")
    ids = [record["id"] for record in shown[0].get("log", [])]
    if len(ids) != len(set(ids)):
        harness.fail(f"{name}: two records have one id")


def measure(harness):
    generator = random.Random(harness.options.seed)
    seconds = harness.options.seconds or (120 if harness.options.thorough else 8)
    figures = []
    with PostgreSQL() as postgres:
        proxy = Proxy(postgres.port)

        def wait(shortest=0.2, longest=0.8):
            time.sleep(generator.uniform(shortest, longest))

        def kill_server(fleet):
            wait()
            index = generator.randrange(len(fleet.servers))
            fleet.kill(index)
            wait(0.05, 0.3)
            fleet.start(index)

        def crash_database(fleet):
            wait(0.5, 1.5)
            postgres.kill()
            wait(0.0, 0.5)
            postgres.start()
            wait(1, 2)

        def pause_server(fleet):
            wait()
            server = generator.choice(fleet.servers)
            os.kill(server.pid, signal.SIGSTOP)
            wait(0.1, 5)
            os.kill(server.pid, signal.SIGCONT)

        def cut_connections(fleet):
            wait()
            proxy.cut()

        def hold_connections(fleet):
            wait()
            proxy.frozen.set()
            wait(0.1, 6)
            if generator.random() < 0.5:
                proxy.cut()
            proxy.frozen.clear()

        parts = [
            ("undisturbed", lambda fleet: wait(), None),
            ("kills", kill_server, None),
            ("crashes", crash_database, None),
            ("pauses", pause_server, None),
            ("cuts", cut_connections, proxy.port),
            ("holds", hold_connections, proxy.port),
        ]
        for name, disturb, port in parts:
            if harness.options.part in (None, name):
                count, refused = history(harness, postgres, name, generator, disturb, seconds, port)
                figures.append(f"{count} across {name} ({refused} refused)")
                harness.note(figures[-1])
        proxy.close()
    harness.figure = f"{', '.join(figures)}: {len(harness.failures)} failures"


def options(parser):
    parser.add_argument("--part", help="one of the histories alone")
    parser.add_argument("--seconds", type=float, help="how long each history is")


if __name__ == "__main__":
    main(measure, options)
