"""Has haproxy and nginx, with the files of Packaging/PostgreSQL, stand before three servers of one PostgreSQL.

What one server wrote is read from the next one; events come when they happen; servers are killed under load, where nothing
is carried out twice and no request fails that may be repeated; they are stopped one after another, drained before, where
no request fails at all.
"""

import collections
import random
import threading
import time

from support.balancer import NGINX, HAProxy
from support.fleet import Fleet
from support.harness import main
from support.postgresql import PostgreSQL
from support.server import Connection, Dropped

# Those that may be sent again (RFC 9110, 9.2.2).
IDEMPOTENT = {"GET", "PUT", "DELETE"}


class Load(threading.Thread):
    """Makes requests of every kind, and counts those that did not get a response of a server."""

    def __init__(self, port, number, seed, stop):
        super().__init__(daemon=True)
        self.port = port
        self.random = random.Random(seed)
        self.stop = stop
        self.key = f"l{number}"
        self.done = collections.Counter()
        self.failed = collections.Counter()
        self.added = set()
        self.problem = None

    def run(self):
        while not self.stop.is_set():
            with Connection(self.port, 60) as connection:
                for _ in range(20):
                    method = self.random.choice(["GET", "GET", "PUT", "DELETE", "POST", "PATCH"])
                    try:
                        done = self.request(connection, method)
                    except (Dropped, OSError) as error:
                        self.note(method, repr(error))
                        break
                    self.done[method] += done
                    if self.stop.is_set():
                        return

    def note(self, method, what):
        self.failed[method] += 1
        if method in IDEMPOTENT:
            self.problem = f"{method}: {what}"

    def request(self, connection, method):
        value = self.random.getrandbits(60)
        if method == "POST":
            answer = connection.request("POST", "/log", {"token": value})
            if answer.status == 201:
                self.added.add(value)
        elif method == "DELETE":
            # 404, as the second of two has it.
            answer = connection.request("DELETE", f"/items/{self.key}-gone")
        elif method == "GET":
            answer = connection.request("GET", f"/items/{self.key}")
        else:
            answer = connection.request(method, f"/items/{self.key}", {"id": self.key, "value": value})
        if answer.status >= 500:
            self.note(method, f"{answer.status} {answer.body[:200]}")
            return 0
        if answer.status not in (200, 201) and method != "DELETE":
            self.problem = f"{method}: {answer.status} {answer.body[:200]}"
        return 1


def under_load(harness, name, fleet, generator, disturb, seconds):
    """Lets 12 clients work at the same time, and returns their requests."""
    port = fleet.balancer.port
    with fleet.balancer.connect() as connection:
        for number in range(12):
            connection.request("POST", "/items", {"id": f"l{number}", "value": 0})
    stop = threading.Event()
    clients = [Load(port, number, generator.random(), stop) for number in range(12)]
    for client in clients:
        client.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        disturb()
    stop.set()
    for client in clients:
        client.join(90)
        if client.is_alive() or client.problem:
            harness.fail(f"{name}: {client.problem or 'a client waits for ever'}")
    done = sum((client.done for client in clients), collections.Counter())
    failed = sum((client.failed for client in clients), collections.Counter())
    with fleet.balancer.connect() as connection:
        tokens = [record["token"] for record in connection.request("GET", "/log").json]
    added = set().union(*(client.added for client in clients))
    harness.check(len(tokens) == len(set(tokens)), f"{name}: {len(tokens) - len(set(tokens))} POSTs are there twice")
    harness.check(added <= set(tokens), f"{name}: {len(added - set(tokens))} POSTs of {len(added)} are lost")
    return done, failed


def read_elsewhere(harness, name, fleet):
    """Each write is made through the balancer, and read from every server by itself."""
    for number in range(60):
        with fleet.balancer.connect() as connection:
            answer = connection.request("POST", "/items", {"id": f"e{number}", "value": number})
        harness.check(answer.status == 201, f"{name}: a POST gets {answer.status}")
        for index, server in enumerate(fleet.servers):
            value = server.request("GET", f"/items/e{number}").json.get("value")
            harness.check(value == number, f"{name}: server {index + 1} shows {value} for e{number}")


def follow_events(harness, name, fleet):
    """A stream through the balancer carries what every server writes, at once."""
    with fleet.balancer.connect(5) as stream:
        stream.socket.sendall(b"GET /__admin/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        stream._receive()
        for number, server in enumerate(fleet.servers):
            start = time.monotonic()
            server.request("POST", "/items", {"id": f"s{number}"})
            try:
                while f'"s{number}"'.encode() not in stream.buffer:
                    stream._receive()
            except TimeoutError:
                pass
            seconds = time.monotonic() - start
            harness.check(seconds < 2, f"{name}: an event of server {number + 1} came after {seconds:.1f} s")


def kills(harness, name, fleet, generator, seconds):
    def kill():
        time.sleep(generator.uniform(0.2, 0.6))
        index = generator.randrange(3)
        fleet.kill(index)
        time.sleep(generator.uniform(0.1, 0.5))
        fleet.start(index)

    done, failed = under_load(harness, name, fleet, generator, kill, seconds)
    for method in IDEMPOTENT:
        harness.check(failed[method] == 0, f"{name}: {failed[method]} {method}s failed of {done[method]}")
    return f"{name}: {sum(done.values())} requests across kills, {sum(failed.values())} failed ({dict(failed)})"


def upgrades(harness, fleet, generator, seconds):
    """Servers are stopped one after another, as for an upgrade."""
    index = 0

    def upgrade():
        nonlocal index
        harness.check(fleet.balancer.drain(index), f"haproxy, upgrades: server {index + 1} does not end its requests")
        fleet.servers[index].stop()
        fleet.start(index)
        index = (index + 1) % 3

    done, failed = under_load(harness, "haproxy, upgrades", fleet, generator, upgrade, seconds)
    harness.check(sum(failed.values()) == 0, f"haproxy, upgrades: {dict(failed)} failed of {dict(done)}")
    return f"haproxy: {sum(done.values())} requests across upgrades, {sum(failed.values())} failed"


def measure(harness):
    generator = random.Random(harness.options.seed)
    seconds = 60 if harness.options.thorough else 6
    figures = []
    with PostgreSQL() as postgres:
        for kind in (HAProxy, NGINX):
            name = kind.__name__.lower()
            fleet = Fleet(harness, name, postgres.url(name), kind)
            try:
                read_elsewhere(harness, name, fleet)
                follow_events(harness, name, fleet)
                figures.append(kills(harness, name, fleet, generator, seconds))
                if kind is HAProxy:
                    figures.append(upgrades(harness, fleet, generator, seconds))
            finally:
                fleet.stop()
    harness.figure = f"{'; '.join(figures)}: {len(harness.failures)} failures"


if __name__ == "__main__":
    main(measure)
