"""Measures each dimension in which data and clients grow, at a usual size and at ten times it, and prints the table.

What takes more than 25 times the processor time at ten times the size is not linear. With --soak it churns everything at
once for some minutes and tells whether the memory goes on growing.
"""

import itertools
import json
import os
import random
import signal
import threading
import time

from support import editing
from support.events import Events
from support.harness import main
from support.server import Connection, Dropped, Server

# What is linear takes 10 times as long, and up to twice that when it leaves the processor's caches.
LIMIT = 25
# A request that takes more processor time than that is not waited for.
PATIENCE = 5
# So many seconds of processor time are measured, or so many requests.
ENOUGH = 0.06
MOST_REPEATS = 400


class Row:
    """One dimension: what is served at a size, and what is asked."""

    def __init__(self, name, usual, data, ask, options=("--ephemeral",), unit=""):
        self.name = name
        self.usual = usual
        self.data = data
        self.ask = ask
        self.options = options
        self.unit = unit


def serve(harness, name, data, *options):
    """A server of a file, perhaps with rewrite rules, or, when the data are files by name, of a directory."""
    directory = harness.subdirectory(name)
    if "files" in data:
        for file, value in data["files"].items():
            editing.put(os.path.join(directory, f"{file}.json"), json.dumps(value))
        return Server(harness.binary, directory, "--quiet", *options)
    path = os.path.join(directory, "database.json")
    if rules := data.pop("rules", None):
        routes = os.path.join(directory, "routes.json")
        editing.put(routes, json.dumps(rules))
        options += ("--routes", routes)
    editing.put(path, json.dumps(data))
    return Server(harness.binary, path, "--quiet", *options)


def get(target, method="GET", body=None):
    # An equal GET would get the response that is there.
    numbers = itertools.count()

    def ask(connection, size):
        answer = connection.request(method, target.format(size=size), body, [f"X-Number: {next(numbers)}"])
        if answer.status >= 400 and answer.status != 404:
            raise ValueError(f"{method} {target[:80]} is answered {answer.status} {answer.body[:200]}")
    return ask


class Impatience(threading.Thread):
    """Kills a server that spends more processor time than it may; on a busy machine the clock tells little."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server = server
        self.start_seconds = server.processor_seconds
        self.is_over = threading.Event()

    def __enter__(self):
        self.start()
        return self

    def run(self):
        while not self.is_over.wait(0.1):
            try:
                if self.server.processor_seconds - self.start_seconds > PATIENCE:
                    os.kill(self.server.pid, signal.SIGKILL)
                    return
            except OSError:
                return

    def __exit__(self, *_):
        self.is_over.set()
        self.join()


def spent_by(server, ask, connection, size, repeats=1):
    """The processor seconds of some requests; `None` when there is no answer."""
    start = server.processor_seconds
    try:
        with Impatience(server):
            for _ in range(repeats):
                ask(connection, size)
    except (Dropped, OSError):
        return None
    return server.processor_seconds - start


def seconds_for(server, ask, size):
    """The processor seconds of one request; `None` when there is no answer."""
    repeats = 1
    with server.connect(120) as connection:
        # What is built at first use counts only where it alone is more than the rest: it may be what grows.
        first = spent_by(server, ask, connection, size)
        while first is not None:
            spent = spent_by(server, ask, connection, size, repeats)
            if spent is None:
                break
            if spent >= ENOUGH or repeats >= MOST_REPEATS:
                return max(spent / repeats, first / 50)
            repeats = min(MOST_REPEATS, max(2 * repeats, int(1.5 * repeats * ENOUGH / max(spent, 0.001))))
    return None


# Data of a size.

def resources(count):
    """Each refers to the one before it."""
    return {f"item{number}s": [{"id": 1, "n": number, f"item{number - 1}Id": 1}] for number in range(count)}


def star(count):
    """Each refers to the first."""
    return {f"item{number}s": [{"id": 1, "n": number, "item0Id": 1}] for number in range(count)}


def alike(count):
    """Names that are one name to a programming language."""
    names = itertools.product("-_. ", repeat=6)
    return {f"a{''.join(name)}b": [{"id": 1}] for name, _ in zip(names, range(count))}


def records(count):
    return {"posts": [{"id": number, "n": number % 97, "title": f"post {number}", "author": f"name {number % 11}"}
                      for number in range(1, count + 1)],
            "comments": [{"id": number, "postId": number % count + 1} for number in range(1, count + 1)]}


def members(count):
    return {"posts": [{"id": 1, **{f"m{number}": number for number in range(count)}}]}


def text(count):
    return {"posts": [{"id": 1, "t": "a" * count + "!"}]}


def nested(depth):
    value = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def needle(size, part):
    return "a" * (size // part - 1) + "b"


def bulk(connection, size):
    connection.request("POST", "/posts", [{"n": number} for number in range(size)])


def wide(connection, size):
    connection.request("POST", "/posts", {f"m{number}": number for number in range(size)})


def merge_all(connection, size):
    connection.request("PATCH", "/posts/1", {"new": 3, **{f"m{number}": -number for number in range(size)}})


def last_element(connection, size):
    answer = connection.request("GET", f"/posts?list={size - 1}")
    if b'"id"' not in answer.body:
        raise ValueError("the last element of a list is not found")


# One of each pair, in this order: ids that all share the 45 bits of FNV-1a by which a table that hashes so finds them.
COLLIDING = [
    ("whp2ube5cl", "d4goziwrt3"), ("h50tng02qi", "iqicv2b14u"), ("5x155fumaf", "22dn2g12kp"),
    ("xrcp3cxqx0", "eihr4iorhb"), ("hzvgn1ujse", "30c4shgfby"), ("5wdtutgvwj", "j1vyau2kwq"),
    ("qnzvoqpnkp", "i040gdraja"), ("1n5p41hpgd", "jdcllimoc1"), ("wa0hj1cmoj", "3mc1opyirm"),
    ("gzo0ib0fna", "zntlvlcktv"), ("2eefyx22qk", "gdyd0xvpqz"), ("yizudwkqxw", "jkz1x24sxz"),
]


def colliding(count):
    ids = itertools.islice(itertools.product(*COLLIDING), count)
    return {"posts": [{"id": "".join(parts)} for parts in ids]}


def rebuild_and_find(connection, size):
    """A table of ids is made at the first look after the data was replaced."""
    connection.request("POST", "/__admin/reset")
    first = "".join(part for part, _ in COLLIDING)
    if connection.request("GET", f"/posts/{first}").status != 200:
        raise ValueError("a record is not found by its id")


def deep(connection, size):
    answer = connection.request("POST", "/posts", {"v": nested(size)})
    if answer.status != 201:
        raise ValueError(f"a record of depth {size} is answered {answer.status}")


def comma_separated(connection, size):
    body = "n,title\r\n" + "".join(f"{number},post\r\n" for number in range(size))
    connection.socket.sendall(
        b"POST /posts HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
        + f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
    if connection.answer().status != 201:
        raise ValueError("CSV is refused")


def among(kind):
    """A request among many faults, snapshots or rules; the first call makes them."""
    made = set()

    def ask(connection, size):
        if (connection, size) not in made:
            made.add((connection, size))
            for number in range(size):
                body = {"path": f"/none/{number}", "status": 503} if kind == "faults" else {"name": f"kept {number}"}
                connection.request("POST", f"/__admin/{kind}", body)
        connection.request("GET", "/posts/1")
        connection.request("GET", f"/__admin/{kind}")
    return ask


def cascade(connection, size):
    """Deletes a record with all that refer to it, and puts them back."""
    connection.request("DELETE", "/posts/1")
    connection.request("POST", "/__admin/reset")


def foreign_keys(count):
    record = {"id": 1} | {f"item{number}Id": 1 for number in range(count)}
    return {"links": [record]} | {f"item{number}s": [{"id": 1}] for number in range(count)}


def children(count):
    return {"posts": [{"id": 1}], "comments": [{"id": number, "postId": 1} for number in range(1, count + 1)],
            "replies": [{"id": number, "commentId": number} for number in range(1, count + 1)]}


def patch(operation):
    """A JSON Patch of one operation for each element of a list."""
    def ask(connection, size):
        operations = [operation(number) for number in range(size)]
        body = json.dumps(operations).encode()
        connection.socket.sendall(
            b"PATCH /posts/1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json-patch+json\r\n"
            + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        if connection.answer().status not in (200, 413):
            raise ValueError(f"a patch of {size} operations is refused")
    return ask


def listing(size):
    return {"posts": [{"id": 1, "list": list(range(size)), "text": "x" * 100 * size}]}


def twins(count):
    """Two records have one id, and others go."""
    return {"posts": [{"id": 1}, {"id": 1}] + [{"id": number} for number in range(2, count)]}


def come_and_go(connection, size):
    connection.request("POST", "/posts", {"id": "new"})
    if connection.request("DELETE", "/posts/new").status != 200:
        raise ValueError("a new record cannot be deleted")


def wide_records(count):
    return {"posts": [{"id": number} | {f"m{member}": number % (member + 2) for member in range(90)}
                      for number in range(1, 2001)]}


def parameters(target):
    def ask(connection, size):
        query = "&".join(target.format(number=number) for number in range(size))
        if connection.request("GET", f"/posts?{query}").status != 200:
            raise ValueError(f"{size} parameters are refused")
    return ask


ROWS = [
    Row("resources: openapi.json", 200, resources, get("/__admin/openapi.json")),
    Row("resources of one parent: openapi.json", 200, star, get("/__admin/openapi.json")),
    Row("resources alike in name: openapi.json", 200, alike, get("/__admin/openapi.json")),
    Row("foreign keys of a record: openapi.json", 100, foreign_keys, get("/__admin/openapi.json")),
    Row("resources: health", 2000, resources, get("/__admin/health")),
    Row("resources: resources", 2000, resources, get("/__admin/resources")),
    Row("resources: a record", 2000, resources, get("/item7s/1")),
    Row("resources: a name that is none", 2000, resources, get("/itemz")),
    Row("resources: POST", 1000, resources, get("/item9s", "POST", {"n": 1}), ("--sync", "fast")),
    Row("resources: PATCH", 2000, resources, get("/item9s/1", "PATCH", {"n": 1})),
    Row("resources: DELETE, reset", 1000, resources, cascade),
    Row("resources: reset", 1000, resources, get("/__admin/reset", "POST")),
    Row("resources: _embed", 1000, resources, get("/item9s?_embed=item10s&_expand=item8")),
    Row("files of a directory: PATCH", 20, lambda size: {"files": resources(size)}, get("/item9s/1", "PATCH", {"n": 1})),
    Row("members of a record: POST", 2000, lambda size: {"posts": []}, wide),
    Row("members of a record: PATCH", 2000, members, get("/posts/1", "PATCH", {"m1": 2, "new": 3})),
    Row("members of a record: filter, sort", 2000, members, get("/posts?m9_gte=1&_sort=-m8")),
    Row("members of a record: PATCH of each", 2000, members, merge_all),
    Row("elements of a list: filter", 5000, lambda size: {"posts": [{"id": 1, "list": list(range(size))}]}, last_element),
    Row("members of a record: openapi.json", 200, members, get("/__admin/openapi.json")),
    Row("records: filter", 3000, records, get("/posts?n_gte=90&author_like=name+1&_sort=title")),
    Row("records: q", 3000, records, get("/posts?q=post+29")),
    Row("records: _where", 3000, records, get("/posts?_where=%7B%22or%22:[%7B%22n%22:%7B%22gt%22:90%7D%7D]%7D")),
    Row("records: _embed", 1000, records, get("/posts?_embed=comments")),
    Row("records: POST", 3000, records, get("/posts", "POST", {"n": 1}), ("--sync", "fast")),
    Row("records: ids that collide as FNV-1a", 400, colliding, rebuild_and_find),
    Row("records: bulk", 500, lambda size: {"posts": []}, bulk),
    Row("records: CSV", 500, lambda size: {"posts": []}, comma_separated),
    Row("records that go with one: DELETE, reset", 500, children, cascade),
    Row("parameters: filters", 9, lambda size: records(2000), parameters("n_ne={number}")),
    Row("parameters: values of one", 9, lambda size: records(2000), parameters("n={number}")),
    Row("parameters: unknown names", 9, lambda size: records(2000), parameters("none{number}=1")),
    # There are sixteen indexes.
    Row("parameters: equality of members", 9, wide_records, parameters("m{number}=1")),
    Row("parameters: sorts by turns", 9, wide_records, lambda connection, size: [
        get(f"/posts?_sort=m{number}&_limit=1")(connection, size) for number in range(size)]),
    Row("operations of a JSON Patch: replace", 500, listing,
        patch(lambda number: {"op": "replace", "path": f"/list/{number}", "value": 0})),
    Row("operations of a JSON Patch: insert", 500, listing,
        patch(lambda number: {"op": "add", "path": "/list/0", "value": number})),
    Row("records, two with one id: POST, DELETE", 3000, twins, come_and_go),
    Row("nesting: POST", 50, lambda size: {"posts": []}, deep),
    Row("nesting: q", 50, lambda size: {"posts": [{"id": 1, "v": nested(size)}] * 1}, get("/posts?q=absent")),
    Row("faults", 100, lambda size: records(10), among("faults")),
    Row("snapshots", 100, lambda size: records(10), among("snapshots")),
    # The first `*` may end at each slash.
    Row("segments of a path: a rule", 50, lambda size: records(10) | {"rules": {"/*/*/none": "/posts"}},
        lambda connection, size: get("/" + "a/" * size)(connection, size)),
] + [
    # The text and what is looked for grow alike: what takes their product takes 100 times as long.
    Row(f"text and needle: {name}", 60_000, text, ask) for name, ask in [
        ("q", lambda connection, size: get(f"/posts?q={needle(size, 300)}")(connection, size)),
        ("_contains", lambda connection, size: get(f"/posts?t_contains={needle(size, 300)}")(connection, size)),
        ("_endsWith", lambda connection, size: get(f"/posts?t_endsWith={needle(size, 300)}")(connection, size)),
        ("ten _contains", lambda connection, size: get(
            "/posts?" + "&".join([f"t_contains={needle(size, 3000)}"] * 10))(connection, size)),
        ("_like", lambda connection, size: get(f"/posts?t_like={needle(size, 3000)}")(connection, size)),
        ("_like, in a pattern", lambda connection, size: get(f"/posts?t_like=x%7C{needle(size, 3000)}")(connection, size)),
    ]]


def table(harness):
    print_row = "{:<42} {:>8} {:>10} {:>10} {:>7}"
    harness.note(print_row.format("dimension", "usual", "ms", "ms at 10×", "ratio"))
    worst = 0
    good = count = 0
    for number, row in enumerate(ROWS):
        if harness.options.row and harness.options.row not in row.name:
            continue
        count += 1
        measured = []
        for size in (row.usual, 10 * row.usual):
            with serve(harness, f"row-{number}-{size}", row.data(size), *row.options) as server:
                measured.append(seconds_for(server, row.ask, size))
            if measured[-1] is None:
                break
        shown = [f"{seconds * 1000:.2f}" for seconds in measured if seconds is not None]
        if len(shown) < 2:
            harness.note(print_row.format(row.name, row.usual, *shown, *["-"] * (2 - len(shown)), "stuck"))
            harness.fail(f"{row.name}: {' ms, at ten times '.join([*shown, 'no answer'])} within {PATIENCE} s of processor time")
            continue
        # What is over in 50 µs at the usual size is the request itself.
        ratio = measured[1] / max(measured[0], 0.00005)
        worst = max(worst, ratio)
        harness.note(print_row.format(row.name, row.usual, *shown, f"{ratio:.1f}"))
        good += harness.check(
            ratio <= LIMIT, f"{row.name}: {shown[0]} ms, at ten times {shown[1]} ms of processor time: {ratio:.0f} times")
    return f"{good} of {count} dimensions linear, the steepest {worst:.1f} times"


def worst_searches(harness):
    """The longest text and needle that a request can bring together."""
    target = "a" * 1999 + "b"
    good = 0
    cases = [
        ("q", f"/posts?q={target}"), ("ten _contains", "/posts?" + "&".join([f"t_contains={target[-700:]}"] * 10)),
        ("ninety _contains", "/posts?" + "&".join([f"t_contains={target[-70:]}"] * 90)),
        ("_like", f"/posts?t_like={target[-250:]}")]
    # Refused after too many steps.
    refused = [("_like, repeated", "/posts?t_like=(a%7Cb)*a(a%7Cb)%7B300%7Dc")]
    with serve(harness, "searches", text(4_000_000), "--ephemeral") as server:
        for name, path in cases + refused:
            ask = get(path) if (name, path) in cases else lambda connection, size: connection.request("GET", path)
            with server.connect(120) as connection:
                seconds = spent_by(server, ask, connection, 0)
            if seconds is None:
                harness.fail(f"searches: {name} in 4 MB: no answer within {PATIENCE} s of processor time")
                break
            # Ninety are ninety looks at 4 MB.
            most = 3 if "ninety" in name else 1
            good += harness.check(
                seconds < most, f"searches: {name} in 4 MB: {seconds:.1f} s of processor time, at most {most}")
    return f"{good} of {len(cases + refused)} hostile searches in time"


# The event loop

# What the loop itself does with a body is to take it from the socket and to pass it on, which memory limits.
LOOP_LIMIT = 0.2
LOOP_BYTES = 8_000_000


def send(connection, method, target, body, kind="application/json"):
    head = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.socket.sendall(head.encode() + body)
    return connection.answer(method).status


def large_requests():
    """Name, what is sent before, and the large request: method, target, body and type."""
    list_ = json.dumps([{"n": number, "text": "some text", "list": [1, 2, 3]} for number in range(LOOP_BYTES // 50)])
    value = f'{{"list": {list_}}}'
    stub = f'{{"request": {{"path": "/large"}}, "response": {{"body": {value}}}}}'.encode()
    compared = b'{"request": {"path": "/compared", "body": {"none": 1}}, "response": {"body": 1}}'
    ids = json.dumps({"resource": "posts", "ids": list(range(LOOP_BYTES // 8))}).encode()
    small, prose = b'{"n": 1}', b"some words, and more of them. " * (LOOP_BYTES // 30)
    value = value.encode()
    return [
        ("POST of a record", [], ("POST", "/posts", value)),
        ("PATCH of a large record", [("PUT", "/posts/2", value)], ("PATCH", "/posts/2", small)),
        ("GET of a large record", [("PUT", "/posts/2", value)], ("GET", "/posts/2", b"")),
        ("text", [], ("POST", "/posts", prose, "text/plain")),
        ("a body that a pattern is compared with", [("POST", "/__admin/stubs", compared)], ("POST", "/compared", value)),
        ("a stub's response", [("POST", "/__admin/stubs", stub)], ("GET", "/large", b"")),
        ("POST of a stub", [], ("POST", "/__admin/stubs", stub)),
        ("PUT of a stub", [("POST", "/__admin/stubs", compared)], ("PUT", "/__admin/stubs/1", stub)),
        ("GET of the stubs", [("POST", "/__admin/stubs", stub)], ("GET", "/__admin/stubs", b"")),
        ("POST of a fault", [], ("POST", "/__admin/faults", b'{"path": "/none", "body": ' + value + b"}")),
        ("a deletion of many ids", [], ("POST", "/__admin/deletions", ids)),
        ("PATCH of the settings", [], ("PATCH", "/__admin/settings", value)),
        ("POST of resources", [], ("POST", "/__admin/resources", b'{"more": ' + list_.encode() + b"}")),
        ("GET of the journal", [("POST", "/posts", value), ("POST", "/posts", prose, "text/plain")],
         ("GET", "/__admin/requests", b"")),
        ("GET of a request", [("POST", "/posts", value)], ("GET", "/__admin/requests/1", b"")),
    ]


def loop(harness):
    """No client waits for another one's bytes: what takes long is done on other threads."""
    rows = [row for row in large_requests() if not harness.options.row or harness.options.row in row[0]]
    good = 0
    for number, (name, before, request) in enumerate(rows):
        options = ("--ephemeral", "--max-body", str(2 * LOOP_BYTES))
        with serve(harness, f"loop-{number}", {"posts": [{"id": 1}, {"id": 2}]}, *options) as server, \
                server.connect(120) as connection:
            for earlier in before:
                send(connection, *earlier)
            start = server.loop_seconds
            if start is None:
                return "event loops not measured: the kernel does not tell a thread's time"
            send(connection, *request)
            seconds = server.loop_seconds - start
        harness.note(f"{name:<42} {seconds * 1000:>8.1f} ms of the event loop")
        good += harness.check(
            seconds <= LOOP_LIMIT, f"event loop: {name}: {seconds * 1000:.0f} ms for {LOOP_BYTES} bytes")
    return f"{good} of {len(rows)} large requests off the event loop"


# Memory

def settled(server):
    """The resident memory in KiB, once it stands still."""
    last = server.resident
    for _ in range(40):
        time.sleep(0.15)
        now = server.resident
        if abs(now - last) < 64:
            return now
        last = now
    return last


def memory(harness, name, most, before, after, count, noise=3072):
    """Checks what each costs; `noise` is what may come and go with the allocator."""
    each = (after - before) / count
    is_good = (after - before) <= most * count + noise
    harness.note(f"{name:<42} {count:>6} {before / 1024:>6.1f} MiB {after / 1024:>6.1f} MiB {each:>8.2f} KiB each, at most {most}")
    harness.check(is_good, f"{name}: {before} -> {after} KiB for {count}: {each:.2f} KiB each, at most {most} and {noise} in all")
    return is_good


def memories(harness):
    good = []
    # Readers of events that do not read, when they come back and when things happen. What is kept for all is full before;
    # the system's own buffers of a connection, which may hold some megabytes, are not the server's memory.
    readers = 8
    with serve(harness, "events", {"posts": [{"id": 1}]}, "--ephemeral") as server:
        first = Events(server.port)
        server.request("PATCH", "/posts/1", {"n": 0})
        first.read(2, until=lambda found: found)
        last = first.last
        with server.connect() as connection:
            def changes(count):
                for number in range(count):
                    connection.request("PATCH", "/posts/1", {"text": "x" * 31_000, "n": number})

            changes(1000)
            first.close()
            before = settled(server)
            opened = [Events(server.port, receive_buffer=4096) for _ in range(readers)]
            time.sleep(0.2)
            changes(400)
            good.append(memory(harness, "readers that do not read what happens", 64, before, settled(server), readers))
            for reader in opened:
                reader.close()
            before = settled(server)
            opened = [Events(server.port, last, receive_buffer=4096) for _ in range(readers)]
            time.sleep(0.3)
            good.append(memory(harness, "readers that come back and do not read", 64, before, settled(server), readers))
            for reader in opened:
                reader.close()
    count = 2000
    with serve(harness, "idle", {"posts": [{"id": 1}]}, "--ephemeral") as server:
        server.request("GET", "/posts")
        before = settled(server)
        connections = []
        for _ in range(count):
            connection = Connection(server.port)
            connection.request("GET", "/posts/1")
            connections.append(connection)
        good.append(memory(harness, "idle connections", 12, before, settled(server), count))
        for connection in connections:
            connection.close()
    with serve(harness, "journal", {"posts": [{"id": 1}]}, "--ephemeral") as server, server.connect() as connection:
        def ask(times):
            for number in range(times):
                connection.request("GET", f"/posts/1?n={number}")

        ask(4000)
        before = settled(server)
        ask(8000)
        good.append(memory(harness, "requests, once the journal is full", 0, before, settled(server), 8000))
    with serve(harness, "refused", {"posts": [{"id": 1}]}, "--ephemeral", "--strict") as server, \
            server.connect() as connection:
        def refuse(times):
            for number in range(times):
                send(connection, "POST", f"/none/{number}", b'"' + b"x" * 9_000_000 + b'"')

        refuse(10)
        before = settled(server)
        refuse(60)
        # What is under way takes some times its size, which the allocator may keep.
        good.append(memory(harness, "refused requests of 9 MB", 0, before, settled(server), 60, noise=128 * 1024))
    with serve(harness, "snapshots", records(2000), "--ephemeral") as server, server.connect() as connection:
        connection.request("PATCH", "/posts/1", {"n": 0})
        before = settled(server)
        for number in range(200):
            connection.request("POST", "/__admin/snapshots", {"name": f"kept {number}"})
            connection.request("PATCH", f"/posts/{number + 1}", {"n": number})
        # Versions share their records: a snapshot costs what was changed since, and the way to it.
        good.append(memory(harness, "snapshots with a change between", 64, before, settled(server), 200))
    good.append(created_and_deleted(harness))
    return f"{sum(good)} of {len(good)} bounded in memory"


def delete_all(connection, keys):
    """Deletes records by a hundred requests at a time."""
    for start in range(0, len(keys), 100):
        part = keys[start:start + 100]
        connection.socket.sendall(b"".join(
            b"DELETE /posts/%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % key for key in part))
        for _ in part:
            connection.answer()


def created_and_deleted(harness):
    """Records that come and go leave nothing: not memory, and not time to pass by where they were."""
    with serve(harness, "churn", {"posts": [{"id": 1, "n": 1}]}, "--ephemeral") as server, server.connect() as connection:
        held = []

        def churn(rounds):
            nonlocal held
            for _ in range(rounds):
                created = [record["id"] for record in connection.request("POST", "/posts", [{"n": 1}] * 500).json]
                delete_all(connection, held)
                held = created

        churn(20)
        before = settled(server)
        churn(100)
        # A byte each would be a leak still; what the allocator keeps does not grow with them.
        return memory(harness, "records created and deleted", 0, before, settled(server), 50_000, noise=1024)


# The soak

class Churn(threading.Thread):
    """Does one kind of thing again and again until it is told to stop."""

    def __init__(self, server, name, work, stop):
        super().__init__(daemon=True)
        self.server = server
        self.name = name
        self.work = work
        self.stop = stop
        self.done = 0
        self.problem = None

    def run(self):
        while not self.stop.is_set():
            try:
                self.work()
                self.done += 1
            except (Dropped, OSError, ValueError, KeyError) as error:
                if not self.stop.is_set():
                    self.problem = self.problem or f"{self.name}: {error!r}"
                    time.sleep(0.1)


class Soak:
    """A server that everything is done to, and its memory."""

    def __init__(self, harness, name, kinds, stop):
        start = records(200) | {"profile": {"n": 0}}
        self.name = name
        self.random = random.Random(f"{harness.options.seed} {name}")
        self.server = serve(harness, f"soak-{len(kinds)}", start, "--watch", "--sync", "fast")
        if not self.server.wait():
            raise RuntimeError(f"The server did not start: {self.server.log[-500:]}")
        self.held = []
        self.resident = []
        self.churns = [Churn(self.server, kind, getattr(self, kind), stop) for kind in kinds]

    def writes(self):
        with self.server.connect() as connection:
            for number in range(20):
                bodies = [{"n": number, "title": "t" * self.random.randrange(400)} for _ in range(100)]
                answer = connection.request("POST", "/posts", bodies)
                if answer.status != 201:
                    # It met edit after edit.
                    continue
                self.held.append([record["id"] for record in answer.json])
                for key in self.held[-1][:10]:
                    connection.request("PATCH", f"/posts/{key}", {"n": number, "more": self.random.random()})
                    connection.request("GET", f"/posts?n_gte={number}&_sort=-n&_limit=5&q=t")
                # There are always some that came later than those that go.
                if len(self.held) > 3:
                    delete_all(connection, self.held.pop(0))
            # What a snapshot or an edit brought back goes, too: the data does not grow.
            kept = set(range(1, 201)).union(*self.held)
            posts = connection.request("GET", "/posts").json
            delete_all(connection, [post["id"] for post in posts if post["id"] not in kept])

    def edits(self):
        with open(self.server.path) as file:
            value = json.load(file)
        value["profile"] = {"n": self.random.random()}
        save = self.random.choice([editing.move_over, editing.exchange])
        save(self.server.path, json.dumps(value, indent=2))
        time.sleep(0.5)

    def connections(self):
        opened = [Connection(self.server.port) for _ in range(50)]
        for connection in opened:
            connection.request("GET", "/comments?_limit=20")
        for connection in opened:
            connection.close()
        time.sleep(0.05)

    def snapshots(self):
        name = f"kept {self.random.randrange(5)}"
        self.server.request("POST", "/__admin/snapshots", {"name": name})
        time.sleep(0.2)
        self.server.request("POST", f"/__admin/snapshots/{name}")
        time.sleep(0.3)

    def faults(self):
        self.server.request("POST", "/__admin/faults", {"path": "/comments", "times": 2, "delay": 5, "status": 503})
        self.server.request("GET", "/comments")
        self.server.request("GET", "/comments")
        self.server.request("DELETE", "/__admin/faults")
        time.sleep(0.1)

    def readers(self):
        reader = Events(self.server.port, types="change,request")
        reader.read(self.random.random())
        last = reader.last
        reader.close()
        again = Events(self.server.port, last)
        again.read(0.2)
        again.close()

    def judge(self, harness, minutes):
        """The lowest of each third of the time: memory comes and goes with what is under way."""
        third = len(self.resident) // 3
        lows = [min(self.resident[part * third:(part + 1) * third]) for part in range(3)]
        rate = (lows[2] - lows[1]) / (minutes / 3)
        if minutes >= 6:
            harness.check(rate < 200, f"soak {self.name}: the memory grows by {rate:.0f} KiB a minute still")
        shown = ", ".join(f"{low / 1024:.1f}" for low in lows)
        return f"{self.name}: {shown} MiB in the thirds of {minutes} minutes, {rate:.0f} KiB a minute at last"


def soak(harness, minutes):
    """Prints the memory of each minute; it may grow at first, and must have stopped by the last third.

    What is read again or restored is made anew: a second server, with neither edits nor snapshots, shows what is not.
    """
    stop = threading.Event()
    soaks = [
        Soak(harness, "with edits", ["writes", "edits", "connections", "snapshots", "faults", "readers"], stop),
        Soak(harness, "without", ["writes", "connections", "faults", "readers"], stop)]
    churns = [churn for each in soaks for churn in each.churns]
    try:
        for churn in churns:
            churn.start()
        for tick in range(1, minutes * 6 + 1):
            time.sleep(10)
            for each in soaks:
                each.resident.append(each.server.resident)
                if tick % 6 == 0:
                    harness.note(f"minute {tick // 6:>3}, {each.name:<10}: {each.resident[-1] / 1024:.1f} MiB, "
                                 + ", ".join(f"{churn.done} {churn.name}" for churn in each.churns))
        stop.set()
        for churn in churns:
            churn.join(20)
            harness.check(churn.problem is None, f"soak: {churn.problem}")
        for each in soaks:
            harness.check(each.server.request("GET", "/db").status == 200, "soak: the server does not answer any more")
    finally:
        stop.set()
        for each in soaks:
            each.server.stop()
    return "; ".join(each.judge(harness, minutes) for each in soaks)


def measure(harness):
    options = harness.options
    minutes = options.soak if options.soak is not None else 15 if options.thorough else 0
    figures = []
    for name, part in (
            ("table", lambda: table(harness)), ("searches", lambda: worst_searches(harness)),
            ("loop", lambda: loop(harness)), ("memory", lambda: memories(harness)), ("soak", lambda: soak(harness, minutes) if minutes else None)):
        if options.part and options.part != name:
            continue
        if figure := part():
            figures.append(figure)
            harness.note(figure)
        harness.figure = "; ".join(figures)


def add_options(parser):
    parser.add_argument("--part", help="table, searches, loop, memory or soak")
    parser.add_argument("--row", help="only the dimensions and requests whose names contain this")
    parser.add_argument("--soak", type=int, metavar="MINUTES", help="how long to churn (default: 0, thorough: 15)")


main(measure, add_options)
