"""Loses the connection to PostgreSQL in the middle of a commit, and compares what the client hears with what is stored.

Either the commit is lost on its way or the answer to it; and PostgreSQL is reached again at once, or not before the server
gives up finding out what became of the commit, also where reads go on meanwhile. And nothing is lost, but another
transaction keeps a commit waiting.
"""

import concurrent.futures
import threading
import time

from support.harness import main
from support.postgresql import PostgreSQL, Proxy
from support.server import Server

# How long a server may take to say that it does not know.
LONGEST = 30
# How long a commit is kept waiting: longer than the answer to a statement is waited for.
LONG = 16.5
# PostgreSQL's ReadyForQuery outside of a transaction: what was committed is committed.
READY = b"Z\0\0\0\5I"


class LossyProxy(Proxy):
    """Loses one commit, or the answer to it, with all connections."""

    def __init__(self, target):
        self.marker = None
        self.loses_answer = False
        self.stays_away = False
        self.is_away = False
        self.victim = None
        self.caught = threading.Event()
        super().__init__(target)

    def lose(self, marker, answer, stays_away):
        """Arms the proxy: what is lost is the next commit that holds the marker, or its answer.

        With a database that stays away, the connections last until ``part``.
        """
        self.loses_answer, self.stays_away, self.marker = answer, stays_away, marker

    def accept(self):
        if self.is_away:
            self.listener.accept()[0].close()
        else:
            super().accept()

    def pass_on(self, data, source, target):
        if self.marker and self.marker in data:
            self.marker = None
            if not self.loses_answer:
                return self.catch()
            self.victim = target
        if source is self.victim:
            if data.endswith(READY):
                self.victim = None
                self.catch()
            return
        super().pass_on(data, source, target)

    def catch(self):
        self.caught.set()
        if not self.stays_away:
            self.part()

    def part(self):
        self.is_away = self.stays_away
        self.cut()


def check(harness, postgres, name, answer, stays_away, is_local):
    """Has a record created by a commit that is lost; what was heard, what is stored and what is shown have to agree."""
    proxy = LossyProxy(postgres.port)
    schema = name.replace(",", "").replace(" ", "_")
    options = ["--reads", "local"] if is_local else []
    seed = f"{harness.subdirectory(schema)}/seed.json"
    with open(seed, "w") as file:
        file.write('{"items": [{"id": "first"}]}')
    with Server(harness.binary, postgres.url(schema, proxy.port), "--seed", seed, "--quiet", *options) as server:
        # Its connections are made, and its statements prepared.
        harness.check(server.request("POST", "/items", {"id": "second"}).status == 201, f"{name}: no write before")
        proxy.lose(b"in doubt", answer, stays_away)
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor() as clients:
            write = clients.submit(
                server.request, "POST", "/items", {"id": "doubtful", "note": "in doubt"}, timeout=LONGEST)
            reads = []
            if stays_away and proxy.caught.wait(10):
                reads = [clients.submit(server.request, "GET", "/items", timeout=2 * LONGEST) for _ in range(3)]
                # Until they wait for the commit.
                time.sleep(0.5)
                proxy.part()
            heard = write.result()
            reads = [read.result() for read in reads]
        seconds = time.monotonic() - start
        harness.check(proxy.marker is None, f"{name}: nothing was lost")
        stored = postgres.query(f"SELECT count(*) FROM {schema}.record WHERE body ->> 'id' = 'doubtful'")
        if is_local:
            shown = server.request("GET", "/items")
            harness.check(
                shown.status == 200 and b"doubtful" not in shown.body,
                f"{name}: what nobody knows to be stored is shown: {shown.status} {shown.body}")
        proxy.is_away = False
        if stays_away:
            harness.check(
                heard.status == 503 and heard.json.get("durability") == "unknown",
                f"{name}: answered {heard.status} {heard.body[:200]}")
            harness.check(stored == ("1" if answer else "0"), f"{name}: stored {stored} times")
            for read in reads:
                # What is stored may have been read from the database, as what another server writes.
                harness.check(
                    read.status == 503 or answer or b"doubtful" not in read.body,
                    f"{name}: a read that waited for the commit is answered {read.status} {read.body}")
        else:
            harness.check(heard.status == 201, f"{name}: answered {heard.status} {heard.body[:200]}")
            harness.check(stored == "1", f"{name}: stored {stored} times")
        shown = reached_again(server, stored == "1")
        harness.check(
            shown is not None and str([item["id"] for item in shown].count("doubtful")) == stored,
            f"{name}: stored {stored} times, shown: {shown}")
        harness.check(server.request("POST", "/items", {"id": "third"}).status == 201, f"{name}: no write afterwards")
        stored = postgres.query(f"SELECT count(*) FROM {schema}.record WHERE body ->> 'id' IN ('second', 'third')")
        harness.check(stored == "2", f"{name}: of the writes before and after, {stored} are stored")
    proxy.close()
    harness.note(f"{name}: {heard.status} after {seconds:.1f} s")


def reached_again(server, is_stored):
    """What the server shows as soon as it reaches the database; `None` when it does not.

    Local reads may take a second to show what is stored.
    """
    end = time.monotonic() + 10
    while time.monotonic() < end:
        answer = server.request("GET", "/items")
        health = server.request("GET", "/__admin/health").json["database"]
        if answer.status == 200 and health["reached"] and health["behind"] == 0 and (b"doubtful" in answer.body or not is_stored):
            return answer.json
        time.sleep(0.05)
    return None


def waits(harness, postgres):
    """What waits for another transaction is not taken for what was lost."""
    answers = []
    with Server(harness.binary, postgres.url("commit_lost"), "--quiet") as server:
        writer = threading.Thread(
            target=lambda: answers.append(server.request("POST", "/items", {"id": "waits"}, timeout=2 * LONG)))
        with postgres.transaction("SELECT FROM commit_lost.state FOR UPDATE"):
            writer.start()
            time.sleep(LONG)
        writer.join(LONG)
    harness.check([answer.status for answer in answers] == [201], f"kept waiting: {[answer.body for answer in answers]}")


def measure(harness):
    only = harness.options.outcome
    count = 0
    with PostgreSQL() as postgres:
        for answer in (False, True):
            for stays_away, is_local in [(False, False), (True, False), (True, True)]:
                name = ("answer lost" if answer else "commit lost") + " away" * stays_away + ", reads local" * is_local
                if only not in (None, name):
                    continue
                before = len(harness.failures)
                check(harness, postgres, name, answer, stays_away, is_local)
                count += len(harness.failures) == before
        if only is None:
            waits(harness, postgres)
    harness.figure = f"{count} of {6 if only is None else 1} outcomes told as they are"


if __name__ == "__main__":
    main(measure, lambda parser: parser.add_argument("--outcome", help="only this, such as 'commit lost away'"))
