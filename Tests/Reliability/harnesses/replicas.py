"""Two replicas that ask only for what has changed hold what the server shows.

In each round four writers add, change, replace and delete records while both replicas follow the list, one of them page by
page and with a filter. In the middle of the round a server is killed, the data is reset, an editor saves, or nothing
happens. When the writers rest, each replica asks until there is no more, and must hold what the list shows.

The data is a file, a directory, and a database with two servers, of which each replica follows one; there psql is the editor.
"""

import functools
import json
import os
import random
import threading
import time

from support.harness import Skip, main
from support.postgresql import PostgreSQL
from support.server import Dropped, Server

BEGINNING = [{"id": number, "kind": "a", "n": number} for number in range(1, 30)]


class Replica:
    """A copy of a list, kept by `_since` alone."""

    def __init__(self, target):
        self.target = target
        self.token = ""
        self.records = {}
        self.deltas = self.beginnings = 0

    def pull(self, connection):
        """Asks for one page; says whether there is more."""
        joint = "&" if "?" in self.target else "?"
        answer = connection.request("GET", f"{self.target}{joint}_since={self.token}")
        if answer.status == 410:
            self.token, self.records = "", {}
            return True
        if answer.status != 200:
            raise RuntimeError(f"GET {self.target} with a token was answered {answer.status}: {answer.body[:200]}")
        if self.token:
            self.deltas += 1
        else:
            self.beginnings += 1
        for record in answer.json:
            if record.get("_deleted"):
                self.records.pop(record["id"], None)
            else:
                self.records[record["id"]] = record
        self.token = answer.headers["x-next-since"]
        return 'rel="next"' in answer.headers.get("link", "")

    def follow(self, server, stop):
        try:
            with server.connect() as connection:
                while not stop.is_set():
                    self.pull(connection)
        except (Dropped, OSError):
            pass  # The server was killed.


class Writer:
    def __init__(self, generator, operations):
        self.generator = generator
        self.operations = operations
        self.done = 0
        self.problem = None

    def write(self, server):
        choose = self.generator
        try:
            with server.connect(30) as connection:
                for _ in range(self.operations):
                    record = {"kind": choose.choice("ab"), "n": choose.randrange(1000)}
                    target = f"/items/{choose.randrange(1, 60)}"
                    method = choose.choice(["POST", "POST", "PUT", "PATCH", "DELETE"])
                    status = connection.request(
                        method, "/items" if method == "POST" else target, None if method == "DELETE" else record).status
                    if status not in (200, 201, 404, 503):
                        self.problem = f"{method} {target} was answered {status}"
                    self.done += 1
        except (Dropped, OSError):
            pass


class Files:
    """A file, or a directory with a file for the resource."""

    count = 1

    def __init__(self, harness, name):
        self.harness = harness
        self.folder = harness.subdirectory(name)
        self.path = os.path.join(self.folder, "items.json" if name == "directory" else "database.json")
        self.is_directory = name == "directory"
        self.save(BEGINNING)

    def start(self):
        source = self.folder if self.is_directory else self.path
        return Server(self.harness.binary, source, "--watch", "--quiet", "--sync", "fast").__enter__()

    def save(self, records, indent=None):
        with open(self.path + ".new", "w") as file:
            json.dump(records if self.is_directory else {"items": records}, file, indent=indent)
        os.rename(self.path + ".new", self.path)

    def edit(self, generator):
        """Saves the file without some records, with a changed and a new one, and in another layout."""
        with open(self.path) as file:
            records = json.load(file)
        records = records if self.is_directory else records["items"]
        generator.shuffle(records)
        kept = records[len(records) // 3:]
        if kept:
            kept[0] = dict(kept[0], kind=generator.choice("ab"), n=-1)
        kept.append({"id": 1000 + generator.randrange(1_000_000), "kind": "a", "n": -2})
        self.save(kept, generator.choice([None, 1]))

    def await_edit(self):
        """A server notices an edit within 500 ms."""
        time.sleep(0.6)


class Tables:
    """The tables of a database that two servers share."""

    count = 2

    def __init__(self, harness, postgres):
        self.harness = harness
        self.postgres = postgres
        self.seed = os.path.join(harness.subdirectory("postgresql"), "database.json")
        with open(self.seed, "w") as file:
            json.dump({"items": BEGINNING}, file)

    def start(self):
        server = Server(self.harness.binary, self.postgres.url("replicas"), "--seed", self.seed, "--quiet")
        if not server.wait():
            log = server.log
            server.kill()
            if "built without PostgreSQL" in log:
                raise Skip("the server is built without the trait PostgreSQL")
            raise RuntimeError(f"The server did not start: {log[-2000:]}")
        return server

    def edit(self, generator):
        """Deletes, changes and adds some records in one transaction."""
        body = {"id": 1000 + generator.randrange(1_000_000), "kind": "a", "n": -2}
        self.postgres.query(f"""
            DELETE FROM replicas.record WHERE slot % 3 = {generator.randrange(3)};
            UPDATE replicas.record SET body = jsonb_set(body::jsonb, '{{kind}}', '"{generator.choice("ab")}"')::json
                WHERE slot % 7 = {generator.randrange(7)};
            INSERT INTO replicas.record (resource, body) VALUES (0, '{json.dumps(body)}')""")

    def await_edit(self):
        """The next read of each server shows it."""


def together(works):
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads


def follow(harness, source, name, changes, generator):
    """Compares two replicas with a source after each round; returns the figure."""
    operations = 50
    rounds = max(1, changes // (4 * operations))
    replicas = [Replica("/items"), Replica("/items?kind=a&_limit=7")]
    done = differences = 0
    servers = []
    try:
        servers = [source.start() for _ in range(source.count)]
        for number in range(rounds):
            happening = ["nothing", "edit", "reset", "kill", "edit"][number % 5]
            stop = threading.Event()
            writers = [Writer(random.Random(generator.random()), operations) for _ in range(4)]
            # The last server is killed: where there are two, half of the writers go on.
            pairs = [(writer, servers[index % len(servers)]) for index, writer in enumerate(writers)]
            writing = together([functools.partial(writer.write, server) for writer, server in pairs])
            following = together([
                functools.partial(replica.follow, servers[index % len(servers)], stop) for index, replica in enumerate(replicas)])
            time.sleep(generator.uniform(0, 0.05))
            if happening == "edit":
                source.edit(generator)
            elif happening == "reset":
                servers[0].request("POST", "/__admin/reset")
            elif happening == "kill":
                servers[-1].kill()
            for thread in writing:
                thread.join()
            stop.set()
            for thread in following:
                thread.join()
            if happening == "kill":
                servers[-1] = source.start()
            for writer in writers:
                harness.check(writer.problem is None, f"{name}, round {number}, {happening}: {writer.problem}")
                done += writer.done
            if happening == "edit":
                source.await_edit()
            for index, replica in enumerate(replicas):
                with servers[index % len(servers)].connect() as connection:
                    while replica.pull(connection):
                        pass
                    shown = {record["id"]: record for record in connection.request("GET", replica.target.split("&_limit")[0]).json}
                if shown != replica.records:
                    differences += 1
                    missed = [key for key in {**shown, **replica.records} if shown.get(key) != replica.records.get(key)]
                    harness.fail(
                        f"{name}, round {number}, {happening}: the replica of {replica.target} differs in {len(missed)} records, "
                        f"first {missed[0]}: {replica.records.get(missed[0])}, should be {shown.get(missed[0])}")
                    replica.token, replica.records = "", {}
    finally:
        for server in servers:
            server.stop()
    deltas, beginnings = (sum(getattr(replica, count) for replica in replicas) for count in ("deltas", "beginnings"))
    return f"{name}: {done} changes in {rounds} rounds, {differences} differences after {deltas} deltas and {beginnings} pages from the beginning"


FILES = ["file", "directory"]


def measure(harness):
    changes = harness.options.changes or (10_000 if harness.options.thorough else 3_000)
    generator = random.Random(harness.options.seed)
    only, figures = harness.options.source, []
    for name in FILES:
        if only in (None, name):
            figures.append(follow(harness, Files(harness, name), name, changes, generator))
    try:
        if only in (None, "postgresql"):
            with PostgreSQL() as postgres:
                figures.append(follow(harness, Tables(harness, postgres), "postgresql", changes, generator))
    except Skip as skip:
        # Who asks for the database alone hears that there is none.
        if only:
            raise
        harness.note(f"no database: {skip}")
    harness.figure = "; ".join(figures)


def add_options(parser):
    parser.add_argument("--changes", type=int)
    parser.add_argument("--source", choices=[*FILES, "postgresql"], help="only this")


main(measure, add_options)
