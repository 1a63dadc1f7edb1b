"""Two replicas that ask only for what has changed hold what the server shows.

In each round four writers add, change, replace and delete records while both replicas follow the list, one of them page by
page and with a filter. In the middle of the round the server is killed, its data is reset, an editor saves, or nothing
happens. When the writers rest, each replica asks until there is no more, and must hold what the list shows.
"""

import json
import os
import random
import threading
import time

from support.harness import main
from support.server import Dropped, Server


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


def edit(path, generator):
    """Saves the file without some records, with a changed and a new one, and in another layout."""
    with open(path) as file:
        records = json.load(file)["items"]
    generator.shuffle(records)
    kept = records[len(records) // 3:]
    if kept:
        kept[0] = dict(kept[0], kind=generator.choice("ab"), n=-1)
    kept.append({"id": 1000 + generator.randrange(1_000_000), "kind": "a", "n": -2})
    with open(path + ".new", "w") as file:
        json.dump({"items": kept}, file, indent=generator.choice([None, 1]))
    os.rename(path + ".new", path)


def together(works):
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads


def measure(harness):
    changes = harness.options.changes or (10_000 if harness.options.thorough else 3_000)
    operations = 50
    rounds = max(1, changes // (4 * operations))
    path = os.path.join(harness.subdirectory("replicas"), "database.json")
    with open(path, "w") as file:
        json.dump({"items": [{"id": number, "kind": "a", "n": number} for number in range(1, 30)]}, file)
    generator = random.Random(harness.options.seed)
    replicas = [Replica("/items"), Replica("/items?kind=a&_limit=7")]
    done = differences = 0
    server = Server(harness.binary, path, "--watch", "--quiet", "--sync", "fast")
    server.__enter__()
    try:
        for number in range(rounds):
            happening = ["nothing", "edit", "reset", "kill", "edit"][number % 5]
            stop = threading.Event()
            writers = [Writer(random.Random(generator.random()), operations) for _ in range(4)]
            writing = together([lambda writer=writer: writer.write(server) for writer in writers])
            following = together([lambda replica=replica: replica.follow(server, stop) for replica in replicas])
            time.sleep(generator.uniform(0, 0.05))
            if happening == "edit":
                edit(path, generator)
            elif happening == "reset":
                server.request("POST", "/__admin/reset")
            elif happening == "kill":
                server.kill()
            for thread in writing:
                thread.join()
            stop.set()
            for thread in following:
                thread.join()
            if happening == "kill":
                server = Server(harness.binary, path, "--watch", "--quiet", "--sync", "fast")
                server.__enter__()
            for writer in writers:
                harness.check(writer.problem is None, f"round {number}, {happening}: {writer.problem}")
                done += writer.done
            # The server notices an edit within 500 ms.
            time.sleep(0.6 if happening == "edit" else 0)
            with server.connect() as connection:
                for replica in replicas:
                    while replica.pull(connection):
                        pass
                    shown = {record["id"]: record for record in connection.request("GET", replica.target.split("&_limit")[0]).json}
                    if shown != replica.records:
                        differences += 1
                        missed = [key for key in {**shown, **replica.records} if shown.get(key) != replica.records.get(key)]
                        harness.fail(
                            f"round {number}, {happening}: the replica of {replica.target} differs in {len(missed)} records, "
                            f"first {missed[0]}: {replica.records.get(missed[0])}, should be {shown.get(missed[0])}")
                        replica.token, replica.records = "", {}
    finally:
        server.stop()
    deltas, beginnings = (sum(getattr(replica, name) for replica in replicas) for name in ("deltas", "beginnings"))
    harness.figure = f"{done} changes in {rounds} rounds: {differences} differences after {deltas} deltas and {beginnings} pages from the beginning"


main(measure, lambda parser: parser.add_argument("--changes", type=int))
