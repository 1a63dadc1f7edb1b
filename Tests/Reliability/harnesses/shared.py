"""Records what 24 clients of three servers do to 24 shared records in one PostgreSQL, and checks each record's history.

One history undisturbed, one each across kills of servers, crashes of PostgreSQL, paused servers, cut and held connections,
and all of these at random; each once to the servers themselves and once through haproxy, where that is installed. With
--thorough, one beside psql, too.
"""

import contextlib
import functools
import os
import random
import signal
import subprocess
import threading
import time

from support.balancer import SAFE, HAProxy, program
from support.fleet import Fleet, FleetClient, agree
from support.harness import Skip, main
from support.histories import KEYS, Histories, effect
from support.linearizable import Operation
from support.postgresql import PostgreSQL, Proxy, tool

# As many operations as --thorough asks of each history.
FEWEST = 10_000


class Faults:
    """What happens to servers, the database and what connects them, each at random moments."""

    def __init__(self, postgres, proxy, generator):
        self.postgres = postgres
        self.proxy = proxy
        self.random = generator

    def wait(self, shortest=0.2, longest=0.8):
        time.sleep(self.random.uniform(shortest, longest))

    def nothing(self, fleet):
        self.wait()

    def kill_server(self, fleet):
        self.wait()
        index = self.random.randrange(len(fleet.servers))
        fleet.kill(index)
        self.wait(0.05, 0.3)
        fleet.start(index)

    def crash_database(self, fleet):
        self.wait(0.5, 1.5)
        self.postgres.kill()
        self.wait(0.0, 0.5)
        self.postgres.start()
        self.wait(1, 2)

    def pause_server(self, fleet):
        self.wait()
        server = self.random.choice(fleet.servers)
        seconds = self.random.uniform(0.1, 5)
        # Another fault may have killed it.
        with contextlib.suppress(ProcessLookupError, AttributeError):
            os.kill(server.pid, signal.SIGSTOP)
            time.sleep(seconds)
            os.kill(server.pid, signal.SIGCONT)

    def cut_connections(self, fleet):
        self.wait()
        self.proxy.cut()

    def hold_connections(self, fleet):
        self.wait()
        self.proxy.frozen.set()
        self.wait(0.1, 6)
        if self.random.random() < 0.5:
            self.proxy.cut()
        self.proxy.frozen.clear()

    def any(self, fleet):
        """One of all, and sometimes a second one that begins meanwhile."""
        faults = [self.kill_server, self.crash_database, self.pause_server, self.cut_connections, self.hold_connections]
        first, second = self.random.sample(faults, 2)
        if self.random.random() < 0.5:
            return first(fleet)
        # Each has moments of its own, so that the same seed gives the same ones.
        other = Faults(self.postgres, self.proxy, random.Random(self.random.random()))
        thread = threading.Thread(target=getattr(other, second.__name__), args=[fleet])
        thread.start()
        first(fleet)
        thread.join()


class SQLClient(threading.Thread):
    """Changes the same records with psql, as a person does beside the servers."""

    def __init__(self, postgres, schema, histories, seed, stop):
        super().__init__(daemon=True)
        self.postgres = postgres
        self.schema = schema
        self.histories = histories
        self.random = random.Random(seed)
        self.stop = stop
        self.added = set()
        self.problem = None

    def run(self):
        command = [tool("psql"), "-h", "127.0.0.1", "-p", str(self.postgres.port), "-U", "app", "-XAtq", "postgres"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as psql:
            self.psql = psql
            self.statement(f"SET search_path = {self.schema}")
            while not self.stop.is_set() and not self.problem:
                self.step()
                # Servers have their turns, too.
                time.sleep(self.random.uniform(0, 0.02))
            psql.stdin.close()

    def statement(self, text):
        """The number of rows that a statement returns or changes."""
        self.psql.stdin.write(f"{text};\n\\echo :ERROR :ROW_COUNT\n")
        line = self.psql.stdout.readline().split()
        if len(line) != 2 or line[0] != "false":
            self.problem = f"psql refuses {text}"
            return 0
        return int(line[1])

    def step(self):
        key, value = self.random.choice(KEYS), self.random.getrandbits(60)
        where = f"resource = 0 AND body ->> 'id' = '{key}'"
        kind = self.random.choice(["PUT", "DELETE", "INSERT"])
        start = time.monotonic()
        if kind == "INSERT":
            self.statement(f"""INSERT INTO record (resource, body) VALUES (1, '{{"id": "sql-{value}", "token": {value}}}')""")
            self.added.add(value)
            return
        if kind == "PUT":
            count = self.statement(f"""UPDATE record SET body = '{{"id": "{key}", "value": {value}}}' WHERE {where}""")
        else:
            count = self.statement(f"DELETE FROM record WHERE {where}")
        status = 200 if count else 404
        self.histories.add(
            key, Operation(start, time.monotonic(), f"psql {kind} {key} {value} {status}", effect(kind, value, status, None)))


def history(harness, postgres, name, generator, disturb, url, balancer, has_psql):
    """Has clients work while something is disturbed, and judges what they saw."""
    seconds, fewest = (harness.options.seconds or 60, FEWEST) if harness.options.thorough else (
        harness.options.seconds or 8, 0)
    histories = Histories()
    stop = threading.Event()
    fleet = Fleet(harness, name, url, balancer)
    clients = [FleetClient(fleet, histories, generator.random(), stop) for _ in range(24)]
    others = [SQLClient(postgres, name, histories, generator.random(), stop)] if has_psql else []
    for client in [*clients, *others]:
        client.start()
    start = time.monotonic()
    while time.monotonic() < start + seconds or histories.count < fewest and time.monotonic() < start + 5 * seconds:
        disturb(fleet)
    stop.set()
    for client in [*clients, *others]:
        client.join(90)
        if client.is_alive():
            harness.fail(f"{name}: a client waits for ever")
        if client.problem:
            harness.fail(f"{name}: {client.problem}")
    added = set().union(*(client.added for client in [*clients, *others]))
    agree(harness, name, fleet, added, set().union(*(client.doubtful for client in clients)))
    fleet.stop()
    harness.check(histories.count >= fewest, f"{name}: {histories.count} operations of {fewest} in {5 * seconds} s")
    return histories.judge(harness, name), sum(client.refused for client in clients), sum(client.unread for client in clients)


# The name of each history, what disturbs it, whether servers reach the database by way of the proxy, and whether they
# reach it all the time: then no write is refused, and no read that a balancer may send again fails.
PARTS = [
    ("undisturbed", Faults.nothing, False, True),
    ("kills", Faults.kill_server, False, True),
    ("crashes", Faults.crash_database, False, False),
    ("pauses", Faults.pause_server, False, True),
    ("cuts", Faults.cut_connections, True, False),
    ("holds", Faults.hold_connections, True, False),
    ("random", Faults.any, True, False),
]


def ways(harness):
    """Whether a balancer stands between, for each time that a history is recorded."""
    try:
        program("haproxy")
    except Skip as skip:
        harness.note(f"no history through a balancer: {skip}")
        return [False]
    return [False, True]


def measure(harness):
    seed = harness.options.seed
    harness.note(f"seed {seed}")
    figures = []
    balancer = functools.partial(HAProxy, repeated=SAFE)
    with PostgreSQL() as postgres:
        proxy = Proxy(postgres.port)
        parts = [(*part, is_balanced, False) for part in PARTS for is_balanced in ways(harness)]
        if harness.options.thorough or harness.options.part == "psql":
            parts.append(("psql", Faults.nothing, False, True, False, True))
        for part, fault, has_proxy, is_reached, is_balanced, has_psql in parts:
            if harness.options.part not in (None, part):
                continue
            name = f"{part}_balanced" if is_balanced else part
            # One that is run alone has the same schedule.
            generator = random.Random(f"{seed} {name}")
            faults = Faults(postgres, proxy, generator)
            url = postgres.url(name, proxy.port if has_proxy else None)
            count, refused, unread = history(
                harness, postgres, name, generator, lambda fleet: fault(faults, fleet), url, balancer if is_balanced else None,
                has_psql)
            if is_reached:
                harness.check(refused == 0, f"{name}: {refused} writes refused")
                harness.check(not is_balanced or unread == 0, f"{name}: {unread} reads failed")
            figures.append(f"{count} {name} ({refused} refused, {unread} unread)")
            harness.note(figures[-1])
        proxy.close()
    harness.figure = f"seed {seed}: {', '.join(figures)}: {len(harness.failures)} failures"


def options(parser):
    parser.add_argument("--part", choices=[*(name for name, *_ in PARTS), "psql"], help="one of the histories alone")
    parser.add_argument("--seconds", type=float, help="how long each history is")


if __name__ == "__main__":
    main(measure, options)
