"""Three servers of one database, with or without a balancer in front of them, and the clients that try them."""

import os
import time

from support.harness import Skip
from support.histories import RegisterClient, is_refusal
from support.server import Connection, Dropped, Server


class Fleet:
    """Servers of one database, of which any may be gone for a while, behind a balancer if there is to be one."""

    def __init__(self, harness, name, url, balancer=None, count=3):
        self.harness = harness
        self.url = url
        self.balancer = None
        self.seed = os.path.join(harness.subdirectory(name), "seed.json")
        with open(self.seed, "w") as file:
            file.write('{"items": [], "log": []}')
        self.servers = [None] * count
        self.ports = [0] * count
        for index in range(count):
            self.start(index)
        if balancer:
            self.balancer = balancer(self.ports)

    def start(self, index):
        """Starts a server, again and again while the database is away, as systemd would."""
        end = time.monotonic() + 30
        port = self.ports[index] if self.balancer and self.balancer.has_fixed_ports else 0
        while True:
            server = Server(self.harness.binary, self.url, "--seed", self.seed, "--quiet", port=port)
            if server.wait():
                break
            log = server.log
            server.kill()
            if "built without PostgreSQL" in log:
                raise Skip("the server is built without the trait PostgreSQL")
            if time.monotonic() > end:
                self.harness.fail(f"no start: {log[-500:]}")
                return
            time.sleep(0.1)
        self.servers[index] = server
        self.ports[index] = server.port
        if self.balancer and not self.balancer.move(index, server.port):
            self.harness.fail("a server that is there again gets no requests")

    def port(self, generator):
        """Where a client sends its next requests."""
        if self.balancer:
            return self.balancer.port
        alive = [server.port for server in self.servers if server]
        return generator.choice(alive) if alive else None

    def kill(self, index):
        server, self.servers[index] = self.servers[index], None
        if server:
            server.kill()

    def stop(self):
        if self.balancer:
            self.balancer.close()
        for server in filter(None, self.servers):
            server.stop()


class FleetClient(RegisterClient):
    """Changes records through whichever server, and adds to a log what must be there once in the end."""

    # The database may still carry out what a server sent it before that was gone.
    later = 30

    def __init__(self, fleet, histories, seed, stop):
        super().__init__(histories, seed, stop)
        self.fleet = fleet
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
                        self.add(connection) if self.random.random() < 0.1 else self.step(connection)
            except (Dropped, OSError):
                pass

    def add(self, connection):
        token = self.random.getrandbits(60)
        self.doubtful.add(token)
        answer = connection.request("POST", "/log", {"token": token})
        if answer.status == 201:
            self.doubtful.discard(token)
            self.added.add(token)
        elif is_refusal(answer):
            self.doubtful.discard(token)
            self.refused += 1


def agree(harness, name, fleet, added, doubtful):
    """All servers show the same in the end, with everything that was acknowledged once, and nothing refused."""
    shown = []
    for server in filter(None, fleet.servers):
        if server.process.poll() is not None:
            harness.fail(f"{name}: a server ended by itself: {server.log[:1500]}")
            continue
        for _ in range(100):
            answer = server.request("GET", "/db", timeout=60)
            if answer.status == 200:
                break
            time.sleep(0.1)
        shown.append(answer.json)
    if not shown:
        return
    if any(other != shown[0] for other in shown):
        harness.fail(f"{name}: the servers show different data")
    tokens = [record.get("token") for record in shown[0].get("log", [])]
    if len(tokens) != len(set(tokens)):
        harness.fail(f"{name}: {len(tokens) - len(set(tokens))} writes are there twice")
    if added - set(tokens):
        harness.fail(f"{name}: {len(added - set(tokens))} acknowledged writes of {len(added)} are lost")
    if set(tokens) - added - doubtful:
        harness.fail(f"{name}: {len(set(tokens) - added - doubtful)} refused writes are there")
    ids = [record["id"] for record in shown[0].get("log", [])]
    if len(ids) != len(set(ids)):
        harness.fail(f"{name}: two records have one id")
