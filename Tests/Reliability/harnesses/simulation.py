"""Checks that faults, stubs, settings, snapshots, resets and tokens hold for three servers of one PostgreSQL.

Whichever server was asked, the others know at once; `times` counts exactly; everything outlives the servers.
"""

import json
import os
import random
import threading
import time

from support.harness import main
from support.postgresql import PostgreSQL
from support.server import Server

SEED = {
    "users": [],
    "posts": [{"id": 1, "title": "one"}, {"id": 2, "title": "two"}],
    "profile": {"name": "a"},
}
USER = {"email": "ada@example.com", "password": "secret"}


class Fleet:
    """Servers of one database, that are all stopped in the end."""

    def __init__(self, harness, url, *options, count=3):
        self.harness = harness
        self.seed = os.path.join(harness.directory, "seed.json")
        with open(self.seed, "w") as file:
            json.dump(SEED, file)
        self.arguments = (url, "--seed", self.seed, "--quiet", *options)
        self.servers = []
        self.start(count)

    def start(self, count):
        for _ in range(count):
            server = Server(self.harness.binary, *self.arguments)
            self.servers.append(server)
            if not server.wait():
                raise RuntimeError(f"no start: {server.log[-500:]}")

    def stop(self):
        for server in self.servers:
            server.stop()
        self.servers = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def restart(self):
        count = len(self.servers)
        self.stop()
        self.start(count)

    def statuses(self, method, target, value=None, headers=()):
        return [server.request(method, target, value, headers, timeout=30).status for server in self.servers]


def together(count, body):
    """Calls a function on as many threads at once, and returns what it returned."""
    results = [None] * count
    barrier = threading.Barrier(count)

    def work(index):
        barrier.wait()
        results[index] = body(index)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def faults(harness, fleet, rounds):
    """`times` counts exactly, however many requests come to however many servers at once."""
    for number in range(rounds):
        times = random.randrange(1, 10)
        owner = fleet.servers[number % len(fleet.servers)]
        fault = owner.request("POST", "/__admin/faults", {"path": "/posts/1", "status": 418, "times": times}).json
        statuses = together(40, lambda index: fleet.servers[index % 3].request("GET", "/posts/1", timeout=60).status)
        met = statuses.count(418)
        harness.check(met == times, f"faults: {met} of 40 requests met a fault of {times}")
        harness.check(set(statuses) <= {200, 418}, f"faults: answered {set(statuses)}")
        left = fleet.servers[0].request("GET", "/__admin/faults").json
        harness.check(left == [], f"faults: {left} is left of {fault}")


def stubs(harness, fleet):
    """A stub is met by the next request to any server, its responses in turn, each once."""
    one, other, third = fleet.servers
    stub = {"request": {"path": "/job"}, "responses": [{"status": 200 + number} for number in range(10)]}
    for number in range(20):
        asked, told = random.sample(fleet.servers, 2)
        told.request("POST", "/__admin/stubs", {"request": {"path": "/now"}, "response": {"status": 230 + number}})
        status = asked.request("GET", "/now").status
        harness.check(status == 230 + number, f"stubs: {status} after the stub of {230 + number} was acknowledged")
    one.request("POST", "/__admin/stubs", stub)
    statuses = together(9, lambda index: fleet.servers[index % 3].request("GET", "/job", timeout=60).status)
    harness.check(sorted(statuses) == list(range(200, 209)), f"stubs: responses in turn were {sorted(statuses)}")
    listed = [server.request("GET", "/__admin/stubs").json for server in fleet.servers]
    harness.check(listed[0] == listed[1] == listed[2], "stubs: they are listed differently")
    fleet.restart()
    status = fleet.servers[1].request("GET", "/now").status
    harness.check(status == 249, f"stubs: {status} after all servers were started again")
    fleet.servers[0].request("DELETE", "/__admin/stubs")
    harness.check(fleet.statuses("GET", "/now") == [404] * 3, "stubs: one was met after they were removed")


def settings(harness, fleet):
    fleet.servers[0].request("PATCH", "/__admin/settings", {"readOnly": True})
    harness.check(fleet.statuses("DELETE", "/posts/1") == [403] * 3, "settings: a read-only server wrote")
    fleet.restart()
    harness.check(fleet.statuses("DELETE", "/posts/1") == [403] * 3, "settings: they did not outlive the servers")
    fleet.servers[2].request("PATCH", "/__admin/settings", {"readOnly": False})
    harness.check(fleet.statuses("PATCH", "/profile", {"name": "b"}) == [200] * 3, "settings: a server stayed read-only")


def snapshots(harness, fleet):
    """What one keeps, another brings back, for all; a reset goes back to the seed."""
    one, other, third = fleet.servers

    def shown(name):
        databases = [server.request("GET", "/db").json for server in fleet.servers]
        harness.check(databases[0] == databases[1] == databases[2], f"snapshots: the servers differ {name}")
        return databases[0]

    one.request("PATCH", "/posts/2", {"title": "kept"})
    kept = shown("before")
    harness.check(other.request("POST", "/__admin/snapshots").json == {"name": "snapshot-1"}, "snapshots: another name")
    harness.check(third.request("POST", "/__admin/snapshots", {"name": "b"}).status == 201, "snapshots: not kept")
    for number in range(20):
        fleet.servers[number % 3].request("POST", "/posts", {"title": str(number)})
    one.request("DELETE", "/posts/1")
    names = [[each["name"] for each in server.request("GET", "/__admin/snapshots").json] for server in fleet.servers]
    harness.check(names == [["snapshot-1", "b"]] * 3, f"snapshots: listed as {names}")
    harness.check(one.request("POST", "/__admin/snapshots/b").json == {"restored": "b"}, "snapshots: not restored")
    harness.check(shown("after one was restored") == kept, "snapshots: the data is not that of the snapshot")
    harness.check(
        other.request("POST", "/posts", {}).json["id"] == 3, "snapshots: a new record has an id of before")
    harness.check(third.request("POST", "/__admin/reset").json == {"reset": True}, "snapshots: no reset")
    harness.check(shown("after a reset") == SEED, "snapshots: a reset goes back to something else")
    fleet.restart()
    one, other, third = fleet.servers
    one.request("DELETE", "/posts/1")
    other.request("POST", "/__admin/reset")
    harness.check(shown("after a second reset") == SEED, "snapshots: a reset after a start goes back to something else")
    harness.check(third.request("POST", "/__admin/snapshots/snapshot-1").status == 200, "snapshots: gone with the servers")
    harness.check(shown("at last") == kept, "snapshots: the data is not that of the first one")
    statuses = [fleet.servers[0].request("DELETE", "/__admin/snapshots/b").status,
                fleet.servers[1].request("DELETE", "/__admin/snapshots/b").status,
                fleet.servers[2].request("POST", "/__admin/snapshots/b").status]
    harness.check(statuses == [200, 404, 404], f"snapshots: removed with {statuses}")
    names = together(6, lambda index: fleet.servers[index % 3].request("POST", "/__admin/snapshots", timeout=60).json["name"])
    harness.check(sorted(names) == [f"snapshot-{number}" for number in range(2, 8)], f"snapshots: named {sorted(names)}")
    # Writes that others carry out meanwhile are before or after it, as a whole.
    stop = threading.Event()
    bad = []

    def write(server, number):
        while not stop.is_set():
            answer = server.request("PUT", f"/posts/{number}", {"title": "x"}, timeout=30)
            if answer.status != 200:
                bad.append(answer.status)

    writers = [threading.Thread(target=write, args=(server, 1 + index % 2)) for index, server in enumerate(fleet.servers)]
    for writer in writers:
        writer.start()
    for number in range(5):
        fleet.servers[number % 3].request("POST", "/__admin/snapshots/snapshot-1", timeout=30)
    stop.set()
    for writer in writers:
        writer.join(30)
    harness.check(not bad, f"snapshots: writes beside a restoration were answered {set(bad)}")
    fleet.servers[0].request("POST", "/__admin/snapshots/snapshot-1")
    harness.check(shown("after writes") == kept, "snapshots: writes spoiled it")


def tokens(harness, fleet):
    one, other, third = fleet.servers
    signed_up = one.request("POST", "/register", USER)
    harness.check(signed_up.status == 201, f"tokens: registered with {signed_up.status}")
    bearer = [f"Authorization: Bearer {signed_up.json['accessToken']}"]
    harness.check(fleet.statuses("GET", "/posts", headers=bearer) == [200] * 3, "tokens: not accepted everywhere")
    fleet.restart()
    one, other, third = fleet.servers
    harness.check(fleet.statuses("GET", "/posts", headers=bearer) == [200] * 3, "tokens: gone with the servers")
    refresh = {"refreshToken": signed_up.json["refreshToken"]}
    statuses = together(6, lambda index: fleet.servers[index % 3].request("POST", "/refresh", refresh, timeout=60).status)
    harness.check(sorted(statuses) == [200] + [401] * 5, f"tokens: renewed with {statuses}")
    harness.check(other.request("POST", "/logout", headers=bearer).status == 204, "tokens: not signed out")
    harness.check(fleet.statuses("GET", "/posts", headers=bearer) == [401] * 3, "tokens: accepted after signing out")
    signed_in = third.request("POST", "/login", USER).json
    bearer = [f"Authorization: Bearer {signed_in['accessToken']}"]
    harness.check(fleet.statuses("GET", "/posts", headers=bearer) == [200] * 3, "tokens: a second sign-in is not accepted")
    one.request("POST", "/__admin/auth/expire")
    harness.check(fleet.statuses("GET", "/posts", headers=bearer) == [401] * 3, "tokens: accepted after they expired")


def removals(harness, postgres, fleet):
    """A snapshot that is removed while it is brought back costs no data."""
    one, other, third = fleet.servers
    answers = {}

    def request(name, server, method, target):
        def work():
            answers[name] = server.request(method, target, timeout=30).status

        thread = threading.Thread(target=work)
        thread.start()
        return thread

    one.request("POST", "/__admin/snapshots", {"name": "a"})
    one.request("DELETE", "/posts/1")
    one.request("PATCH", "/posts/2", {"is": "changed"})
    # It is removed while what it replaces is.
    with postgres.transaction("SELECT FROM removals.record FOR UPDATE"):
        threads = [request("restored", one, "POST", "/__admin/snapshots/a")]
        postgres.await_lock("removals")
        threads.append(request("removed", other, "DELETE", "/__admin/snapshots/a"))
        time.sleep(0.5)
    for thread in threads:
        thread.join(30)
    harness.check(answers == {"restored": 200, "removed": 200}, f"removals: {answers}")
    shown = [server.request("GET", "/db").json for server in fleet.servers]
    harness.check(shown == [SEED] * 3, f"removals: the servers show {shown}")
    # It is removed before, by who takes long; no write waits for that.
    one.request("POST", "/__admin/snapshots", {"name": "a"})
    with postgres.transaction("DELETE FROM removals.snapshot WHERE name = 'a'"):
        thread = request("gone", third, "POST", "/__admin/snapshots/a")
        postgres.await_lock("removals")
        status = other.request("PATCH", "/profile", {"name": "b"}).status
        harness.check(status == 200, f"removals: a write beside one was answered {status}")
    thread.join(30)
    harness.check(answers["gone"] == 404, f"removals: one that was gone was answered {answers['gone']}")
    # It is replaced by others again and again.
    one.request("POST", "/__admin/snapshots", {"name": "a"})
    statuses = together(8, lambda index: fleet.servers[index % 3].request(
        "POST", *(("/__admin/snapshots", {"name": "a"}) if index % 2 else ("/__admin/snapshots/a",)), timeout=60).status)
    harness.check(set(statuses) == {200, 201}, f"removals: kept and brought back with {statuses}")
    harness.check(fleet.statuses("GET", "/posts/2") == [200] * 3, "removals: the data is gone")


def lookups(harness, postgres, fleet):
    """Nobody who signed in waits for a snapshot, and a connection that is cut costs nobody a request."""
    one, other, third = fleet.servers
    answers = []

    def request(*arguments):
        thread = threading.Thread(target=lambda: answers.append(one.request(*arguments, timeout=30)))
        thread.start()
        return thread

    bearer = [f"Authorization: Bearer {other.request('POST', '/login', USER).json['accessToken']}"]
    with postgres.transaction("SELECT FROM tokens.counter FOR UPDATE"):
        saving = request("POST", "/__admin/snapshots")
        postgres.await_lock("tokens")
        start = time.monotonic()
        statuses = fleet.statuses("GET", "/posts", headers=bearer)
        seconds = time.monotonic() - start
        harness.check(statuses == [200] * 3 and seconds < 1, f"lookups: {statuses} after {seconds:.1f} s beside a snapshot")
    saving.join(30)
    harness.check(answers.pop().status == 201, "lookups: no snapshot")
    user = dict(USER, email="eve@example.com")
    for count, arguments, expected in [(1, ("POST", "/login", USER), 200), (2, ("POST", "/register", user), 201)]:
        with postgres.transaction("LOCK TABLE tokens.shared"):
            asking = request(*arguments)
            for _ in range(count):
                postgres.query(f"SELECT pg_terminate_backend({postgres.await_lock('tokens')}, 5000)")
        asking.join(30)
        answer = answers.pop()
        harness.check(
            answer.status == expected, f"lookups: {arguments[1]} cut {count} times: {answer.status} {answer.body}")
    status = third.request("POST", "/login", user).status
    harness.check(status == 200, f"lookups: who was registered signs in with {status}")


def outages(harness, postgres, fleet):
    """What has to be counted is refused while the database is away, and nothing is forgotten."""
    one, other, third = fleet.servers
    one.request("POST", "/__admin/faults", {"path": "/posts", "status": 429, "times": 3})
    one.request("POST", "/__admin/stubs", {"request": {"path": "/fixed"}, "response": {"status": 222}})
    postgres.kill()
    for target in ("/posts", "/fixed"):
        statuses = fleet.statuses("GET", target)
        harness.check(statuses == [503] * 3, f"outages: {target} was answered {statuses} without the database")
    status = other.request("POST", "/__admin/faults", {"status": 500}, timeout=30).status
    harness.check(status == 503, f"outages: a fault was added with {status} without the database")
    postgres.start()
    end = time.monotonic() + 30
    for server in fleet.servers:
        while server.request("GET", "/__admin/health", timeout=30).status != 200 and time.monotonic() < end:
            time.sleep(0.05)
    statuses = fleet.statuses("GET", "/posts") + [third.request("GET", "/posts").status]
    harness.check(statuses == [429, 429, 429, 200], f"outages: {statuses} after the database came back")
    harness.check(fleet.statuses("GET", "/fixed") == [222] * 3, "outages: a stub was forgotten")


def measure(harness):
    random.seed(harness.options.seed)
    rounds = 60 if harness.options.thorough else 8
    parts = []
    with PostgreSQL() as postgres:
        def part(name, body, *options):
            if harness.options.part in (None, name):
                with Fleet(harness, postgres.url(name), *options) as fleet:
                    body(fleet)
                parts.append(name)
                harness.note(name)

        part("faults", lambda fleet: faults(harness, fleet, rounds))
        part("local", lambda fleet: faults(harness, fleet, rounds // 4), "--reads", "local")
        part("stubs", lambda fleet: stubs(harness, fleet))
        part("settings", lambda fleet: settings(harness, fleet))
        part("snapshots", lambda fleet: snapshots(harness, fleet))
        part("removals", lambda fleet: removals(harness, postgres, fleet))
        part("tokens", lambda fleet: (tokens(harness, fleet), lookups(harness, postgres, fleet)), "--auth", "users")
        part("outages", lambda fleet: outages(harness, postgres, fleet))
    harness.figure = f"{', '.join(parts)} of three servers: {len(harness.failures)} failures"


def options(parser):
    parser.add_argument("--part", help="one of the parts alone")


if __name__ == "__main__":
    main(measure, options)
