"""What stops one server, one way or one transaction stops nobody else.

Four servers share a database: one over a Unix socket, one over TCP, one over a way that can be cut, frozen or half open, one
through pgbouncer; their clocks are days apart. Where pgbouncer or a C compiler is not installed, they go without. At random, by
the seed, one fault of a table happens after another, sometimes two at once. All the while a server that reaches its database
refuses no read for more than 3 s and no write for more than 12.
"""

import contextlib
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

from support import postgresql
from support.harness import main
from support.postgresql import PgBouncer, PostgreSQL, Proxy, tool
from support.server import Dropped, Server

# The longest times without a response that a client wants.
READS, WRITES = 3, 12
# A commit that takes long to travel, and is in progress when its server stops.
MUCH = "x" * 3_000_000
# The days by which the servers' clocks are ahead.
CLOCKS = [3, -2, 0, 400]


class Client(threading.Thread):
    """Repeats a request, and measures the longest time without success, unless the server cannot be expected to respond."""

    def __init__(self, world, number, method, value=None):
        super().__init__(daemon=True)
        self.world, self.number, self.method, self.value = world, number, method, value
        self.longest, self.count = 0.0, 0
        # The requests since the last success, for the message about a failure.
        self.trace, self.worst = [], []
        # The start of the first request without success, and how many faults excuse it.
        self.start_time, self.excuses, self.ended = None, 0, False
        self.lock = threading.Lock()
        self.start()

    def run(self):
        while not self.ended:
            start = time.monotonic()
            with self.lock:
                self.start_time = self.start_time or start
            try:
                answer = self.world.servers[self.number].request(self.method, "/items/first", self.value, timeout=60)
                is_served, said = answer.status == 200, f"{answer.status} {answer.body[:300]}"
            except (OSError, Dropped) as error:
                is_served, said = False, repr(error)
            now = time.monotonic()
            with self.lock:
                self.trace.append(f"{self.world.age(start):.1f} s for {now - start:.1f}: {said}")
                if not self.excuses and now - self.start_time > self.longest:
                    self.longest, self.worst = now - self.start_time, self.trace[-4:]
                if is_served or self.excuses:
                    self.start_time, self.trace = None, []
                    self.count += is_served
            time.sleep(0.1)

    def excuse(self, change):
        """Says whether the server stops; what comes before it runs again does not count."""
        with self.lock:
            self.excuses += change
            self.start_time, self.trace = time.monotonic(), []


class World:
    """The servers, their ways to the database, and their clients."""

    def __init__(self, harness, stack):
        self.harness, self.stack, self.start_time = harness, stack, time.monotonic()
        self.path = os.path.join(harness.subdirectory("seed"), "seed.json")
        with open(self.path, "w") as file:
            file.write('{"items": [{"id": "first"}, {"id": "much"}]}')
        self.primary = stack.enter_context(PostgreSQL())
        self.standby = stack.enter_context(PostgreSQL(primary=self.primary))
        ports = f"{self.primary.port},{self.standby.port}"
        self.proxies = [Proxy(self.primary.port), Proxy(self.primary.port)]
        folders = f"{self.primary.directory},{self.standby.directory}"
        self.addresses = [
            f"postgres:///postgres?host={folders}&port={ports}&user=app",
            f"postgres://app@/postgres?host=127.0.0.1,127.0.0.1&port={ports}",
            self.primary.url(port=self.proxies[0].port)]
        self.clock = self.library("clock")
        self.bouncer = None
        if PgBouncer.program():
            self.bouncer = stack.enter_context(PgBouncer(self.proxies[1].port))
            self.addresses.append(self.primary.url(port=self.bouncer.port))
        else:
            harness.note("no server behind pgbouncer: it is not installed")
        self.servers = [None] * len(self.addresses)
        for number in range(len(self.addresses)):
            self.begin(number)
        self.clients = [
            [Client(self, number, "GET"), Client(self, number, "PUT", {"n": number})] for number in range(len(self.servers))]

    def library(self, name):
        """Compiles a library of the harness; `None` where nothing compiles C."""
        compiler = shutil.which("cc") or shutil.which("clang")
        if not compiler:
            self.harness.note("the clocks show the same time: no C compiler is installed")
            return None
        path = os.path.join(self.harness.subdirectory(name), f"{name}.so")
        source = os.path.join(os.path.dirname(postgresql.__file__), f"{name}.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", path, source, "-ldl"], check=True)
        return path

    def age(self, moment=None):
        return (moment or time.monotonic()) - self.start_time

    def begin(self, number):
        """Starts a server, whose clock is days away from those of the others."""
        prefix = ["env", f"LD_PRELOAD={self.clock}", f"CLOCK_AHEAD={CLOCKS[number] * 86_400}"] if self.clock else []
        port = self.servers[number].port if self.servers[number] else 0
        server = Server(
            self.harness.binary, self.addresses[number], "--seed", self.path, "--max-body", "20mb", prefix=prefix, port=port)
        if not server.wait():
            raise RuntimeError("The server did not start: " + server.log[-2000:])
        self.servers[number] = server

    def close(self):
        for server in self.servers:
            if server:
                server.stop()
        for proxy in self.proxies:
            proxy.close()

    @contextlib.contextmanager
    def excused(self, numbers=None, methods=("GET", "PUT"), rest=0):
        """Excuses the clients of some servers, or of all; and for some seconds more, in which the server comes to itself."""
        clients = [
            client for number, pair in enumerate(self.clients) if numbers is None or number in numbers
            for client in pair if client.method in methods]
        for client in clients:
            client.excuse(1)
        yield
        time.sleep(rest)
        for client in clients:
            client.excuse(-1)


class Faults:
    """What happens, each at random moments of its own."""

    def __init__(self, world, generator):
        self.world, self.random = world, generator
        self.number = generator.randrange(len(world.servers))

    def wait(self, shortest, longest):
        time.sleep(self.random.uniform(shortest, longest))

    # MARK: People

    def person(self):
        """Forgets to end a transaction."""
        statement = self.random.choice([
            "UPDATE json_server.record SET body = body WHERE slot = 0",
            "SELECT FROM json_server.record WHERE slot = 0 FOR UPDATE",
            "SELECT FROM json_server.state FOR UPDATE",
            "INSERT INTO json_server.record (resource, body) VALUES (0, '{}')",
            "DELETE FROM json_server.record WHERE slot > 1",
            "LOCK TABLE json_server.record IN SHARE ROW EXCLUSIVE MODE",
            "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT FROM json_server.record"])
        with contextlib.suppress(BrokenPipeError):
            with self.world.primary.transaction(statement):
                self.wait(11, 15)

    def unread(self):
        """A program takes the turn, asks for much, and stops before it has read that."""
        statements = """BEGIN; SELECT FROM json_server.state FOR UPDATE;
            SELECT repeat('x', 1000000) FROM generate_series(1, 2000)"""
        with subprocess.Popen(
                [tool("psql"), self.world.primary.url().partition("?")[0], "-XAtqc", statements],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as psql:
            time.sleep(0.2)
            psql.send_signal(signal.SIGSTOP)
            self.wait(12, 16)
            psql.kill()

    def statements(self):
        """People write and look after the tables while servers write, as the guide has it."""
        end = time.monotonic() + 6
        while time.monotonic() < end:
            statement = self.random.choice([
                "UPDATE record SET body = body WHERE slot = 0",
                "INSERT INTO record (resource, body) VALUES (0, '{}')",
                "BEGIN; DELETE FROM record WHERE slot > 1; ROLLBACK",
                "DELETE FROM record WHERE slot > 1",
                "VACUUM ANALYZE record", "VACUUM FULL record", "REINDEX TABLE record", "CLUSTER record USING record_pkey",
                "SELECT count(*) FROM record, generate_series(1, 100000)"])
            with contextlib.suppress(subprocess.CalledProcessError):
                self.world.primary.query("SET search_path = json_server; SET lock_timeout = '1s'", statement)
            self.wait(0, 0.1)

    def end_sessions(self):
        """Somebody ends sessions, one after another."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            self.world.primary.query("""SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'swift-json-server' ORDER BY random() LIMIT 1""")
            self.wait(0, 0.2)

    def exhaust(self):
        """Somebody takes all connections that are left."""
        taken = []
        try:
            while True:
                connection = socket.create_connection(("127.0.0.1", self.world.primary.port), 5)
                taken.append(connection)
                parameters = b"user\0app\0database\0postgres\0\0"
                connection.sendall(struct.pack("!II", 8 + len(parameters), 196_608) + parameters)
                # An R tells that the user is let in, an E that there is no connection left.
                if connection.recv(1) != b"R":
                    break
            self.wait(4, 8)
        finally:
            for connection in taken:
                connection.close()

    def fill(self):
        """PostgreSQL has no space for records."""
        with self.world.excused(methods=["PUT"]):
            self.insist("""CREATE OR REPLACE FUNCTION json_server.full() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN RAISE EXCEPTION ''no space'' USING ERRCODE = ''53100''; END';
                CREATE TRIGGER filled BEFORE INSERT OR UPDATE ON json_server.record EXECUTE FUNCTION json_server.full()""")
            self.wait(3, 8)
            self.insist("DROP FUNCTION IF EXISTS json_server.full CASCADE")

    def insist(self, statement):
        """Runs a statement that servers and other faults may keep from its locks."""
        while True:
            try:
                return self.world.primary.query(statement)
            except subprocess.CalledProcessError:
                time.sleep(0.1)

    # MARK: Servers

    def stop(self):
        """A server stops in the middle of what it does."""
        server = self.world.servers[self.number]
        with self.world.excused([self.number], rest=2):
            if self.random.random() < 0.7:
                threading.Thread(target=self.attempt, args=[server], daemon=True).start()
            self.wait(0, 0.2)
            os.kill(server.pid, signal.SIGSTOP)
            self.wait(*self.random.choice([(0.5, 4), (12, 16)]))
            os.kill(server.pid, signal.SIGCONT)

    def attempt(self, server):
        with contextlib.suppress(OSError, Dropped):
            server.request("PUT", "/items/much", {"text": MUCH}, timeout=60)

    def kill(self):
        """A server is killed, and begins again."""
        with self.world.excused([self.number]):
            threading.Thread(target=self.attempt, args=[self.world.servers[self.number]], daemon=True).start()
            self.wait(0, 0.3)
            self.world.servers[self.number].kill()
            self.wait(0, 2)
            self.world.begin(self.number)

    # MARK: Ways

    def freeze(self):
        """The way carries nothing, and then goes on, or is cut."""
        proxy = self.world.proxies[0]
        with self.world.excused([2]):
            proxy.frozen.set()
            self.wait(1, 14)
            if self.random.random() < 0.5:
                proxy.cut()
            proxy.frozen.clear()

    def half_open(self):
        """What connections carry is lost, and nobody hears of that; others can be made."""
        for _ in range(self.random.randrange(1, 4)):
            self.world.proxies[0].forget()
            self.wait(0.2, 9)

    def cut(self):
        """The way is cut, again and again."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            self.world.proxies[0].cut()
            self.wait(0, 1)

    def stop_pool(self):
        """The pool stops, or ends and begins again."""
        bouncer = self.world.bouncer
        if not bouncer:
            return
        with self.world.excused([3]):
            if self.random.random() < 0.5:
                bouncer.stop()
                self.wait(0, 3)
                bouncer.begin()
            else:
                bouncer.process.send_signal(signal.SIGSTOP)
                self.wait(1, 12)
                bouncer.process.send_signal(signal.SIGCONT)

    # MARK: The database

    def stop_backend(self):
        """What serves a server in PostgreSQL stops; when it has the turn, nobody can write."""
        found = self.world.primary.query("""SELECT pid FROM pg_stat_activity
            WHERE application_name = 'swift-json-server' ORDER BY random() LIMIT 1""")
        if found:
            with self.world.excused(methods=["PUT"]):
                os.kill(int(found), signal.SIGSTOP)
                self.wait(3, 9)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(found), signal.SIGCONT)

    def restart(self):
        """PostgreSQL ends as by a crash, and begins again."""
        with self.world.excused():
            self.world.primary.kill()
            self.wait(0, 4)
            self.world.primary.start()

    def fail_over(self):
        """The primary is gone, and the standby takes its place."""
        world = self.world
        with world.excused():
            world.primary.kill()
            self.wait(0, 2)
            world.primary, world.standby = world.standby, world.primary
            world.primary.query("SELECT pg_promote()")
            for proxy in world.proxies:
                proxy.target = world.primary.port
                proxy.cut()
        world.standby.follow(world.primary)

    TABLE = [
        person, unread, statements, end_sessions, exhaust, fill, stop, stop, kill, freeze, half_open, cut, stop_pool, stop_backend,
        restart, fail_over]
    # What makes the other fault's own way to the database fail, or leaves a server without one that loses its connections.
    ALONE = [restart, fail_over, kill, exhaust]


def happen(world, generator, faults):
    """Has faults happen at once."""
    threads = [
        threading.Thread(target=fault, args=[Faults(world, random.Random(generator.random()))]) for fault in faults]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Until those that wait have had their turns.
    time.sleep(2)


def judge(harness, world, name):
    """Compares the longest times without success with the limits, and begins again."""
    for number, pair in enumerate(world.clients):
        for client, limit in zip(pair, (READS, WRITES)):
            with client.lock:
                # Also what is not over yet.
                open_time = time.monotonic() - client.start_time if client.start_time and not client.excuses else 0
                longest, worst = max(client.longest, open_time), client.worst or client.trace[-4:]
                client.longest, client.worst = 0.0, []
            message = f"{name}: {client.method} of server {number} fails for {longest:.1f} s: {'; '.join(worst)}"
            if not harness.check(longest <= limit, message):
                harness.note(world.servers[number].log[-1500:])
            client.last = round(longest, 1)
    harness.note(f"{world.age():.0f} s, {name}: {[[client.last for client in pair] for pair in world.clients]}")


def measure(harness):
    chance = random.Random(harness.options.seed)
    only = [fault for fault in Faults.TABLE if fault.__name__ == harness.options.fault]
    rounds = 6 if harness.options.thorough else 1
    count = 0
    with contextlib.ExitStack() as stack:
        world = World(harness, stack)
        stack.callback(world.close)
        for _ in range(rounds):
            faults = only * 4 or chance.sample(Faults.TABLE, len(Faults.TABLE))
            for fault in faults:
                both = [fault]
                if not only and fault not in Faults.ALONE and chance.random() < 0.25:
                    both.append(chance.choice([other for other in Faults.TABLE if other not in (*Faults.ALONE, fault)]))
                name = " and ".join(fault.__name__ for fault in both)
                happen(world, chance, both)
                judge(harness, world, name)
                count += len(both)
        clients = [client for pair in world.clients for client in pair]
        for client in clients:
            client.ended = True
        for client in clients:
            client.join(60)
        shown = [server.request("GET", "/items").body for server in world.servers]
        harness.check(len(set(shown)) == 1, f"the servers show different data: {[text[:300] for text in shown]}")
        harness.figure = f"{count} faults, {sum(client.count for client in clients)} requests served"


if __name__ == "__main__":
    names = sorted({fault.__name__ for fault in Faults.TABLE})
    main(measure, lambda parser: parser.add_argument("--fault", choices=names, help="only this one"))
