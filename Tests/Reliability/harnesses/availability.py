"""What stops one server or one transaction stops nobody else.

Three servers share a database: one over a Unix socket, one over TCP, one over a way that can be cut or frozen. At random, by
the seed, people keep a transaction open, sessions are ended, and servers and the way stop. All the while a server that reaches
its database refuses no read for more than 3 s and no write for more than 12.
"""

import contextlib
import os
import random
import signal
import subprocess
import threading
import time

from support.harness import main
from support.postgresql import PostgreSQL, Proxy, tool
from support.server import Dropped, Server

# The longest times without a response that a client wants.
READS, WRITES = 3, 12
# A commit that takes long to travel, and is in progress when its server stops.
MUCH = "x" * 3_000_000


class Client(threading.Thread):
    """Repeats a request, and measures the longest time without success, unless the server cannot be expected to respond."""

    def __init__(self, server, method, value=None):
        super().__init__(daemon=True)
        self.server, self.method, self.value = server, method, value
        self.longest, self.count, self.last_refusal = 0.0, 0, None
        self.start_time = time.monotonic()
        self.is_excused, self.ended = False, False
        self.start()

    def run(self):
        while not self.ended:
            try:
                answer = self.server.request(self.method, "/items/first", self.value, timeout=60)
                is_served = answer.status == 200
                self.last_refusal = self.last_refusal if is_served else answer.body
            except (OSError, Dropped) as error:
                is_served, self.last_refusal = False, error
            now = time.monotonic()
            if not self.is_excused:
                self.longest = max(self.longest, now - self.start_time)
            if is_served or self.is_excused:
                self.start_time = now
                self.count += is_served
            time.sleep(0.1)

    def excuse(self, value):
        """Says whether the server stops; what comes before it runs again does not count."""
        self.start_time = time.monotonic()
        self.is_excused = value


@contextlib.contextmanager
def excused(clients):
    for client in clients:
        client.excuse(True)
    yield
    for client in clients:
        client.excuse(False)


def measure(harness):
    chance = random.Random(harness.options.seed)
    rounds = 12 if harness.options.thorough else 1
    path = os.path.join(harness.subdirectory("seed"), "seed.json")
    with open(path, "w") as file:
        file.write('{"items": [{"id": "first"}, {"id": "much"}]}')
    with contextlib.ExitStack() as stack:
        postgres = stack.enter_context(PostgreSQL())
        proxy = Proxy(postgres.port)
        servers = [
            stack.enter_context(Server(harness.binary, url, "--quiet", "--seed", path, "--max-body", "20mb"))
            for url in (postgres.socket_url("json_server"), postgres.url(), postgres.url(port=proxy.port))]
        clients = [[Client(server, "GET"), Client(server, "PUT", {"n": number})] for number, server in enumerate(servers)]

        def person(_):
            """Forgets to end a transaction."""
            with contextlib.suppress(BrokenPipeError):
                with postgres.transaction("UPDATE json_server.record SET body = body WHERE slot = 0"):
                    time.sleep(chance.uniform(11, 15))

        def unread(_):
            """A program takes the turn, asks for much, and stops before it has read that."""
            statements = """BEGIN; SELECT FROM json_server.state FOR UPDATE;
                SELECT repeat('x', 1000000) FROM generate_series(1, 2000)"""
            with subprocess.Popen(
                    [tool("psql"), postgres.url().partition("?")[0], "-XAtqc", statements],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as psql:
                time.sleep(0.2)
                psql.send_signal(signal.SIGSTOP)
                time.sleep(chance.uniform(12, 16))
                psql.kill()

        def stop(number):
            """A server stops in the middle of what it does."""
            with excused(clients[number]):
                threading.Thread(target=lambda: attempt(servers[number]), daemon=True).start()
                time.sleep(chance.uniform(0, 0.2))
                os.kill(servers[number].pid, signal.SIGSTOP)
                time.sleep(chance.uniform(12, 16))
                os.kill(servers[number].pid, signal.SIGCONT)
                time.sleep(2)

        def attempt(server):
            with contextlib.suppress(OSError, Dropped):
                server.request("PUT", "/items/much", {"text": MUCH}, timeout=60)

        def freeze(_):
            """The way carries nothing."""
            with excused(clients[2]):
                proxy.frozen.set()
                time.sleep(chance.uniform(10, 14))
                proxy.cut()
                proxy.frozen.clear()

        def end_sessions(_):
            """Somebody ends sessions, one after another."""
            end = time.monotonic() + 5
            while time.monotonic() < end:
                postgres.query("""SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = 'swift-json-server' ORDER BY random() LIMIT 1""")
                time.sleep(chance.uniform(0, 0.2))

        for _ in range(rounds):
            faults = [person, unread, freeze, end_sessions, stop, stop]
            chance.shuffle(faults)
            for fault in faults:
                number = chance.randrange(3)
                before = [[client.longest for client in pair] for pair in clients]
                fault(number)
                time.sleep(1)
                for server, pair in enumerate(clients):
                    for client, limit in zip(pair, (READS, WRITES)):
                        harness.check(
                            client.longest <= limit,
                            f"{fault.__name__} {number}: {client.method} of server {server} fails for {client.longest:.1f} s: "
                            f"{client.last_refusal}")
                now = [[round(client.longest, 1) for client in pair] for pair in clients]
                harness.note(f"{fault.__name__} {number}: longest without success: {now}" if now != before else fault.__name__)
                for pair in clients:
                    for client in pair:
                        client.longest = 0.0
        for pair in clients:
            for client in pair:
                client.ended = True
        for pair in clients:
            for client in pair:
                client.join(60)
        shown = [server.request("GET", "/items").body for server in servers]
        harness.check(len(set(shown)) == 1, f"the servers show different data: {shown}")
        count = sum(client.count for pair in clients for client in pair)
        harness.figure = f"{rounds * 6} faults, {count} requests served"
        proxy.close()


if __name__ == "__main__":
    main(measure)
