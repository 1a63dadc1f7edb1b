"""What people, backups and machines do to a PostgreSQL that servers share.

People write with SQL and too few rights, traps in their way or the settings of servers; the database refuses a commit or
somebody cancels it; the way to the database is slow; a server, or what serves one in PostgreSQL, stops while nobody else can
write; and what a server does that cannot write, or whose data is reset again and again.
"""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time

from support.harness import main
from support.postgresql import PostgreSQL, Proxy, tool
from support.server import Server

# Bytes a second of a slow way: 12 Mbit/s.
SLOW = 1_500_000
# More than such a way carries in the 3 s that a transaction may be idle.
MUCH = 6_000_000
# How long a write may wait for a turn that does not end.
PATIENCE = 75
# How long a server may hear nothing of what becomes of its commit, or of the turn, while the database responds.
LIMIT = 12


class SlowProxy(Proxy):
    """Carries to the database no more than a slow way does."""

    def pass_on(self, data, source, target):
        super().pass_on(data, source, target)
        if target.getpeername()[1] == self.target:
            time.sleep(len(data) / SLOW)


class StoppingProxy(Proxy):
    """Stops when it has carried much from the database, as a server that is paused takes no more."""

    def __init__(self, target):
        self.count = 0
        self.is_armed = False
        super().__init__(target)

    def pass_on(self, data, source, target):
        super().pass_on(data, source, target)
        if self.is_armed and source.getpeername()[1] == self.target:
            self.count += len(data)
            if self.count > 1_000_000:
                self.frozen.set()


def seeded(harness, schema, value=None):
    """The options of a server whose schema is filled when it is empty."""
    path = os.path.join(harness.subdirectory(schema), "seed.json")
    with open(path, "w") as file:
        json.dump(value or {"items": [{"id": "first"}]}, file)
    return "--seed", path, "--quiet"


def fill(harness, postgres, schema, value=None):
    """Makes the tables of a schema."""
    with Server(harness.binary, postgres.url(schema), *seeded(harness, schema, value)):
        pass


def sql(postgres, user, text):
    """What psql says when somebody runs statements."""
    command = [tool("psql"), "-h", "127.0.0.1", "-p", str(postgres.port), "-U", user, "-XAtq", "-v", "ON_ERROR_STOP=1",
               "-c", text, "postgres"]
    result = subprocess.run(command, capture_output=True, text=True)
    return result.stdout + result.stderr


def later(body):
    """Runs a function on a thread; returns what waits for what it returns."""
    results = []

    def work():
        start = time.monotonic()
        try:
            answer = body()
            results.append((answer, time.monotonic() - start))
        except OSError as error:
            results.append((error, time.monotonic() - start))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()

    def result(seconds):
        thread.join(seconds)
        return results[0] if results else (None, seconds)

    return result


def status(answer):
    return getattr(answer, "status", answer)


# MARK: People

TRAPS = """
    CREATE FUNCTION pg_temp.trap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''ran as %'', current_user; END';
    CREATE FUNCTION pg_temp.trap_slot() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''ran as %'', current_user; END';
    CREATE TEMP TABLE state (is_only boolean, prefix text, suffix text);
    INSERT INTO state VALUES (true, '', '');
    CREATE TEMP TABLE change (version bigint, is_whole boolean, resources int[], slots bigint[]);
    CREATE TRIGGER trap BEFORE UPDATE ON state EXECUTE FUNCTION pg_temp.trap();
    CREATE TRIGGER trap BEFORE INSERT ON change EXECUTE FUNCTION pg_temp.trap();
    CREATE TEMP VIEW record AS SELECT 0 AS resource, pg_temp.trap_slot() AS slot;
"""


def rights(harness, postgres):
    """Who may insert records runs nothing as the owner of the tables."""
    fill(harness, postgres, "rights")
    postgres.query("""CREATE USER writer; GRANT USAGE ON SCHEMA rights TO writer; GRANT INSERT ON rights.record TO writer;
        GRANT TEMPORARY ON DATABASE postgres TO writer""")
    insert = """INSERT INTO rights.record (resource, slot, body) VALUES (0, {}, '{{"id": "{}"}}');"""
    with Server(harness.binary, postgres.url("rights"), "--quiet") as server:
        for step, slot in [("a slot", "5"), ("no slot", "NULL")]:
            said = sql(postgres, "writer", TRAPS + insert.format(slot, "trapped"))
            harness.check("ran as" not in said, f"rights: {step}: {said.strip()}")
        said = sql(postgres, "writer", insert.format("NULL", "unheard"))
        harness.check("permission denied" in said, f"rights: who may insert alone is told {said.strip()!r}")
        # As the guide has it.
        postgres.query("""GRANT SELECT ON rights.record TO writer; GRANT SELECT, UPDATE ON rights.state TO writer;
            GRANT SELECT, INSERT ON rights.change TO writer""")
        for number, traps in enumerate(["", TRAPS]):
            said = sql(postgres, "writer", traps + insert.format("NULL", f"heard{number}"))
            harness.check(said == "", f"rights: who has all rights that the guide names is told {said.strip()!r}")
            harness.check(
                server.request("GET", f"/items/heard{number}").status == 200, "rights: what such a user writes is not shown")
        owners = postgres.query("SELECT count(*) FROM pg_proc WHERE prosecdef AND pronamespace = 'rights'::regnamespace")
        harness.check(owners == "0", f"rights: {owners} functions run as their owner")


def settings(harness, postgres):
    """No setting hides from servers what people write."""
    fill(harness, postgres, "settings", {"items": [{"id": "changed", "x": 0}, {"id": "removed"}], "others": [{"id": 1}]})
    with Server(harness.binary, postgres.url("settings"), "--quiet") as server:
        before = server.request("GET", "/items/changed").json
        for statement, check in [
                ("""INSERT INTO record (resource, body) VALUES (0, '{"id": "added"}')""",
                 lambda: server.request("GET", "/items/added").status == 200),
                ("""UPDATE record SET body = '{"id": "changed", "x": 1}' WHERE body ->> 'id' = 'changed'""",
                 lambda: server.request("GET", "/items/changed").json != before),
                ("""DELETE FROM record WHERE body ->> 'id' = 'removed'""",
                 lambda: server.request("GET", "/items/removed").status == 404),
                ("""BEGIN; UPDATE record SET body = '{"id": "changed", "x": 2}' WHERE body ->> 'id' = 'changed'; SAVEPOINT a;
                    UPDATE record SET body = '{"id": "changed", "x": 3}' WHERE body ->> 'id' = 'changed'; ROLLBACK TO a;
                    UPDATE record SET body = '{"id": "added", "x": 4}' WHERE body ->> 'id' = 'added'; COMMIT""",
                 lambda: [item.get("x") for item in server.request("GET", "/items").json] == [2, 4]),
                ("""INSERT INTO resource (position, name) VALUES (2, 'more')""",
                 lambda: server.request("GET", "/more").status == 200),
                ("""TRUNCATE record""", lambda: server.request("GET", "/others").json == [])]:
            said = sql(postgres, "app", f"SET search_path = settings; SET json_server.server = 'on'; {statement}")
            harness.check(said == "" and check(), f"settings: hidden: {statement} {said}")
        last = "INSERT INTO settings.record (resource, slot, body) VALUES (0, 2000000000, '{}')"
        said = sql(postgres, "app", f"SET json_server.server = 'on'; {last}")
        harness.check("Leave the slot out" in said, f"settings: a slot far behind all others is taken: {said}")


# MARK: What the database refuses


def refusals(harness, postgres):
    """What the database has refused for certain is refused, once, and nothing is read again for it."""
    fill(harness, postgres, "refusals")
    postgres.query("""CREATE FUNCTION refusals.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'refused by the test' USING ERRCODE = new.body ->> 'state'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON refusals.record FOR EACH ROW
            WHEN (new.body ->> 'state' IS NOT NULL) EXECUTE FUNCTION refusals.refuse()""")
    version = lambda: postgres.query("SELECT max(version) FROM refusals.change")
    with Server(harness.binary, postgres.url("refusals"), "--quiet") as server:
        harness.check(server.request("POST", "/items", {"id": "before"}).status == 201, "refusals: no write before")
        before = version()
        # The codes of PostgreSQL's manual, appendix A: disk full, out of memory, a limit of temporary files, cancelled.
        for state, expected in [("53100", 507), ("53200", 503), ("53400", 503), ("57014", 503), ("23514", 503)]:
            answer, seconds = later(
                lambda: server.request("POST", "/items", {"id": "refused", "state": state}, timeout=PATIENCE))(PATIENCE)
            harness.check(
                status(answer) == expected and "durability" not in answer.json,
                f"refusals: {state} is answered {status(answer)} after {seconds:.1f} s {getattr(answer, 'body', '')}")
            harness.check(version() == before, f"refusals: {state} made {before} {version()}")
        # What somebody cancels that waits for the turn.
        with postgres.transaction("SELECT FROM refusals.state FOR UPDATE"):
            waiting = later(lambda: server.request("POST", "/items", {"id": "cancelled"}, timeout=PATIENCE))
            process = postgres.await_lock("refusals")
            postgres.query(f"SELECT pg_cancel_backend({process})")
            answer, seconds = waiting(5)
            harness.check(
                status(answer) == 503 and "durability" not in answer.json,
                f"refusals: what was cancelled is answered {status(answer)} after {seconds:.1f} s")
        waiting(PATIENCE)
        ids = [item["id"] for item in server.request("GET", "/items").json]
        harness.check(ids == ["first", "before"], f"refusals: shown: {ids}")
        harness.check(server.request("POST", "/items", {"id": "after"}).status == 201, "refusals: no write afterwards")


# MARK: A slow way


def slow(harness, postgres):
    """What takes long to travel is carried, while nobody else can write."""
    proxy = SlowProxy(postgres.port)
    url = postgres.url("slow", proxy.port)
    path = os.path.join(harness.subdirectory("import"), "database.json")
    records = [{"id": str(number), "text": "x" * 9000} for number in range(MUCH // 9000)]
    with open(path, "w") as file:
        json.dump({"items": records}, file)
    start = time.monotonic()
    result = subprocess.run([harness.binary, "import", path, url], capture_output=True, text=True, timeout=120)
    harness.check(result.returncode == 0, f"slow: import ends with {result.stderr.strip()}")
    harness.note(f"slow: imported in {time.monotonic() - start:.1f} s")
    if result.returncode:
        return proxy.close()
    with Server(harness.binary, url, "--quiet", "--max-body", "20mb") as server:
        # Another transaction has just written, so that it is carried out again while nobody else can write.
        with postgres.transaction("""UPDATE slow.record SET body = '{"id": "0"}' WHERE resource = 0 AND slot = 0"""):
            writing = later(lambda: server.request("POST", "/items", {"id": "much", "text": "x" * MUCH}, timeout=90))
            postgres.await_lock("slow")
        answer, seconds = writing(90)
        harness.check(status(answer) == 201, f"slow: a large record is answered {status(answer)} after {seconds:.1f} s")
    proxy.close()


# MARK: Who stops with the turn


def stopped_server(harness, postgres):
    """A server that stops while it reads all data, when nobody else can write, stops the others for seconds."""
    fill(harness, postgres, "stopped")
    postgres.query("""INSERT INTO stopped.record (resource, slot, body) SELECT 0, number,
        json_build_object('id', number::text, 'text', repeat('x', 10000)) FROM generate_series(1, 4000) AS number""")
    proxy = StoppingProxy(postgres.port)
    with (Server(harness.binary, postgres.url("stopped", proxy.port), "--quiet") as one,
          Server(harness.binary, postgres.url("stopped"), "--quiet") as other):
        harness.check(one.request("POST", "/items", {"id": "before"}).status == 201, "stopped: no write before")
        with postgres.transaction("INSERT INTO stopped.resource (position, name) VALUES (1, 'more')"):
            stuck = later(lambda: one.request("POST", "/items", {"id": "stuck"}, timeout=PATIENCE))
            postgres.await_lock("stopped")
            proxy.is_armed = True
        end = time.monotonic() + 10
        while not proxy.frozen.is_set() and time.monotonic() < end:
            time.sleep(0.01)
        harness.check(proxy.frozen.is_set(), "stopped: the server does not read all data with the turn")
        answer, seconds = later(lambda: other.request("POST", "/items", {"id": "other"}, timeout=PATIENCE))(PATIENCE)
        harness.check(
            status(answer) == 201 and seconds < 20, f"stopped: another is answered {status(answer)} after {seconds:.1f} s")
        harness.note(f"stopped: another server wrote after {seconds:.1f} s")
        proxy.is_armed = False
        proxy.frozen.clear()
        answer, seconds = stuck(PATIENCE)
        harness.check(status(answer) == 201, f"stopped: the server is answered {status(answer)} after {seconds:.1f} s")
    proxy.close()


def stopped_backend(harness, postgres):
    """What serves a commit in PostgreSQL stops: writes are refused in time, health says so, and all recovers."""
    fill(harness, postgres, "backend")
    postgres.query("""CREATE FUNCTION backend.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_sleep(2); RETURN new; END $$;
        CREATE TRIGGER wait BEFORE INSERT ON backend.record FOR EACH ROW
            WHEN (new.body ->> 'id' = 'stuck') EXECUTE FUNCTION backend.wait()""")
    with (Server(harness.binary, postgres.url("backend"), "--quiet") as one,
          Server(harness.binary, postgres.url("backend"), "--quiet") as other):
        for server in (one, other):
            harness.check(server.request("POST", "/items", {}).status == 201, "backend: no write before")
        stuck = later(lambda: one.request("POST", "/items", {"id": "stuck"}, timeout=PATIENCE))
        process = postgres.await_sleep()
        start = time.monotonic()
        os.kill(process, signal.SIGSTOP)
        try:
            waiting = later(lambda: other.request("POST", "/items", {"id": "waiting"}, timeout=PATIENCE))
            told = {}
            while len(told) < 2 and time.monotonic() < start + 40:
                for name, server in (("one", one), ("other", other)):
                    health = server.request("GET", "/__admin/health")
                    if name not in told and (health.status, health.json["status"]) == (200, "stalled"):
                        told[name] = time.monotonic() - start
                time.sleep(0.1)
            harness.check(len(told) == 2, f"backend: health is stalled after {told} alone while nothing can be written")
            harness.note(f"backend: health is stalled after {told}")
            for name, waiter in (("its commit", stuck), ("another server's", waiting)):
                answer, seconds = waiter(PATIENCE)
                limit = LIMIT if waiter is stuck else PATIENCE
                harness.check(
                    status(answer) == 503 and seconds < limit, f"backend: {name} is answered {status(answer)} after {seconds:.1f} s")
                harness.note(f"backend: {name} is answered {status(answer)} after {seconds:.1f} s")
        finally:
            os.kill(process, signal.SIGCONT)
        for server in (one, other):
            end = time.monotonic() + 10
            while server.request("GET", "/__admin/health").json["status"] != "ok" and time.monotonic() < end:
                time.sleep(0.1)
            health = server.request("GET", "/__admin/health")
            harness.check(health.json["status"] == "ok", f"backend: health is {health.status} afterwards: {health.body}")
            answer = server.request("POST", "/items", {}, timeout=PATIENCE)
            harness.check(answer.status == 201, f"backend: a write afterwards is answered {answer.status} {answer.body}")
        shown = [server.request("GET", "/items").body for server in (one, other)]
        harness.check(shown[0] == shown[1], f"backend: shown: {shown}")


def paused_server(harness, postgres):
    """A server that is paused during a large write stops the others for seconds, whatever the way to the database is."""
    fill(harness, postgres, "paused", {"items": [{"id": "first"}, {"id": "much"}]})
    postgres.query("""CREATE FUNCTION paused.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_sleep(0.5); RETURN new; END $$;
        CREATE TRIGGER wait BEFORE INSERT ON paused.record FOR EACH ROW
            WHEN (length(new.body::text) > 1000000) EXECUTE FUNCTION paused.wait()""")
    with Server(harness.binary, postgres.url("paused"), "--quiet") as other:
        for way, url in [("a Unix socket", postgres.socket_url("paused")), ("TCP", postgres.url("paused"))]:
            with Server(harness.binary, url, "--quiet") as one:
                large = later(lambda: one.request("PUT", "/items/much", {"way": way, "text": "x" * 3_000_000}, timeout=PATIENCE))
                postgres.await_sleep()
                os.kill(one.pid, signal.SIGSTOP)
                try:
                    answer, seconds = later(lambda: other.request("PUT", "/items/first", {"way": way}, timeout=PATIENCE))(PATIENCE)
                    read, waited = later(lambda: other.request("GET", "/items/first", timeout=PATIENCE))(PATIENCE)
                finally:
                    os.kill(one.pid, signal.SIGCONT)
                harness.note(f"paused: over {way}: another server wrote after {seconds:.1f} s, and read after {waited:.1f} s")
                harness.check(
                    status(answer) == 200 and seconds < LIMIT,
                    f"paused: over {way}: another server's write is answered {status(answer)} after {seconds:.1f} s")
                harness.check(
                    status(read) == 200 and waited < 3, f"paused: over {way}: a read is answered {status(read)} after {waited:.1f} s")
                answer, seconds = large(PATIENCE)
                harness.check(status(answer) == 200, f"paused: over {way}: the write is answered {status(answer)} afterwards")
                shown = [server.request("GET", "/items").body for server in (one, other)]
                harness.check(shown[0] == shown[1], f"paused: over {way}: the servers show different data")


# MARK: Who cannot write


def health(server):
    answer = server.request("GET", "/__admin/health")
    return answer.status, answer.json["status"]


def told(server, expected):
    """Whether health says something within seconds."""
    end = time.monotonic() + 5
    while health(server) != expected and time.monotonic() < end:
        time.sleep(0.1)
    return health(server) == expected


def standby(harness, postgres):
    """A server of a standby shows what the primary has, tells that it takes no writes, and writes once it is the primary."""
    fill(harness, postgres, "standby")
    with (PostgreSQL(primary=postgres) as follower,
          Server(harness.binary, postgres.url("standby"), "--quiet") as primary,
          Server(harness.binary, f"{follower.url('standby')}&target_session_attrs=any", "--reads", "local", "--quiet") as replica):
        for number in range(3):
            primary.request("PUT", "/items/first", {"n": number})
            end = time.monotonic() + 5
            while replica.request("GET", "/items/first").json.get("n") != number and time.monotonic() < end:
                time.sleep(0.05)
            shown = replica.request("GET", "/items/first").json
            harness.check(shown.get("n") == number, f"standby: {number} is not shown after 5 s, but {shown}")
        answer, seconds = later(lambda: replica.request("POST", "/items", {}, timeout=PATIENCE))(PATIENCE)
        harness.check(
            status(answer) == 503 and seconds < LIMIT, f"standby: a write is answered {status(answer)} after {seconds:.1f} s")
        harness.check(told(replica, (200, "stalled")), f"standby: health is {health(replica)}")
        harness.check(told(primary, (200, "ok")), f"standby: health of the primary's server is {health(primary)}")
        follower.query("SELECT pg_promote()")
        harness.check(told(replica, (200, "ok")), f"standby: health is {health(replica)} after the promotion")
        answer = replica.request("POST", "/items", {}, timeout=PATIENCE)
        harness.check(answer.status == 201, f"standby: a write after the promotion is answered {answer.status} {answer.body}")


def unwritable(harness, postgres):
    """Health tells that no write can succeed, although the database is reached; a spoilt connection is not kept."""
    fill(harness, postgres, "unwritable")
    postgres.query("""CREATE USER reader; GRANT USAGE ON SCHEMA unwritable TO reader;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA unwritable TO reader;
        CREATE FUNCTION unwritable.spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            EXECUTE 'DEALLOCATE ALL'; RETURN new; END $$;
        CREATE TRIGGER spoil BEFORE INSERT ON unwritable.record FOR EACH ROW
            WHEN (new.body ->> 'id' = 'spoils') EXECUTE FUNCTION unwritable.spoil()""")
    with Server(harness.binary, postgres.url("unwritable").replace("app@", "reader@"), "--quiet") as server:
        harness.check(told(server, (200, "ok")), f"unwritable: health is {health(server)} at first")
        postgres.query("REVOKE INSERT ON unwritable.record FROM reader")
        harness.check(told(server, (200, "stalled")), f"unwritable: health is {health(server)} without the right to insert")
        postgres.query("GRANT INSERT ON unwritable.record TO reader")
        harness.check(told(server, (200, "ok")), f"unwritable: health is {health(server)} with the right")
        statuses = [server.request("POST", "/items", {"id": name}, timeout=PATIENCE).status for name in ("spoils", "next", "last")]
        harness.check(statuses[0] == statuses[2] == 201, f"unwritable: around a spoilt connection, writes are answered {statuses}")


# MARK: Space


def waiting(harness, postgres):
    """The database's log has a line for each wait, and the text of the write once at most."""
    fill(harness, postgres, "waiting")
    with Server(harness.binary, postgres.url("waiting"), "--quiet") as server:
        harness.check(server.request("POST", "/items", {}).status == 201, "waiting: no write before")
        with open(os.path.join(postgres.directory, "log")) as file:
            file.seek(0, os.SEEK_END)
            with postgres.transaction("SELECT FROM waiting.state FOR UPDATE"):
                write = later(lambda: server.request("POST", "/items", {}, timeout=PATIENCE))
                time.sleep(7)
            harness.check(status(write(PATIENCE)[0]) == 201, "waiting: no write afterwards")
            log = file.read()
        harness.check(log.count("lock timeout") > 1, f"waiting: the log is {log!r}")
        harness.check(log.count("INSERT INTO change") < 2, f"waiting: the log has the statement of the write again and again: {log}")


def resets(harness, postgres):
    """Resets of much data do not multiply the space that the data takes."""
    fill(harness, postgres, "resets")
    postgres.query("""INSERT INTO resets.record (resource, slot, body) SELECT 0, number,
        json_build_object('id', number::text, 'text', md5(number::text) || repeat('x', 900)) FROM generate_series(1, 20000) AS number""")
    size = lambda: int(postgres.query("SELECT pg_total_relation_size('resets.record')"))
    postgres.query("DELETE FROM resets.snapshot; DELETE FROM resets.snapshot_record")
    with Server(harness.binary, postgres.url("resets"), "--quiet") as server:
        before, expected = size(), server.request("GET", "/db").body
        for number in range(3):
            changes = [("PUT", "/items/7", {"n": number}), ("DELETE", "/items/8", None), ("POST", "/items", {"id": "new"})]
            for method, target, value in changes:
                harness.check(server.request(method, target, value).status in (200, 201), f"resets: no {method}")
            harness.check(server.request("POST", "/__admin/reset", timeout=PATIENCE).status == 200, "resets: no reset")
            harness.check(server.request("GET", "/db").body == expected, "resets: other data is shown after a reset")
        harness.note(f"resets: {before} bytes before, {size()} after three resets")
        harness.check(size() < 1.5 * before, f"resets: {before} bytes before, {size()} after three resets")
        # What is not as the snapshot has it, whatever that is, is put back.
        postgres.query("""UPDATE resets.resource SET name = 'others' WHERE position = 0;
            INSERT INTO resets.resource (position, name) VALUES (1, 'items')""")
        harness.check(server.request("POST", "/__admin/reset", timeout=PATIENCE).status == 200, "resets: no reset of resources")
        harness.check(server.request("GET", "/db").body == expected, "resets: other resources are shown after a reset")


PARTS = [rights, settings, refusals, slow, stopped_server, stopped_backend, paused_server, standby, unwritable, waiting, resets]


def measure(harness):
    count = 0
    parts = [part for part in PARTS if harness.options.part in (None, part.__name__)]
    with PostgreSQL() as postgres:
        for part in parts:
            before = len(harness.failures)
            part(harness, postgres)
            count += len(harness.failures) == before
    harness.figure = f"{count} of {len(parts)} faults answered as promised"


if __name__ == "__main__":
    main(measure, lambda parser: parser.add_argument("--part", choices=[part.__name__ for part in PARTS]))
