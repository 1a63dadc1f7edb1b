"""Sends what a hostile or broken client sends: raw HTTP, traversal, foreign hosts and origins, bombs, slow sockets."""

import gzip
import json
import os
import resource
import socket
import time
import zlib

import attack_cases as cases
from support.harness import main
from support.raw import answers, exchange
from support.server import Connection, Dropped, Server

SECRET = b"SECRET-7c1f"


def prepare(harness, name, records=()):
    path = os.path.join(harness.subdirectory(name), "database.json")
    with open(path, "w") as file:
        json.dump({"items": list(records)}, file)
    return path


def count(path):
    with open(path) as file:
        return len(json.load(file)["items"])


def raw_cases(harness):
    path = prepare(harness, "raw")
    good = 0
    with Server(harness.binary, path, "--quiet") as server:
        for name, data, statuses, most in cases.CASES:
            before = count(path)
            failures = len(harness.failures)
            received = exchange(server.port, data)
            found, rest = answers(received)
            first = found[0][0] if found else 0
            harness.check(first in statuses, f"raw: {name}: answered {first}, not {sorted(statuses)}")
            harness.check(len(found) <= most, f"raw: {name}: {len(found)} answers, {[status for status, _, _ in found]}")
            harness.check(not rest, f"raw: {name}: no answer: {rest[:100]}")
            harness.check(b"/smuggled" not in received or most > 1, f"raw: {name}: a smuggled request was answered")
            written = count(path) - before
            expected = 1 if any(status == 201 for status, _, _ in found) else 0
            harness.check(written == expected, f"raw: {name}: {written} records written, answered {first}")
            good += len(harness.failures) == failures
        harness.check(server.request("GET", "/items").status == 200, "raw: the server does not answer any more")
    return f"raw {good}/{len(cases.CASES)}"


def traversal(harness):
    directory = harness.subdirectory("traversal")
    public = os.path.join(directory, "public")
    os.makedirs(os.path.join(public, "folder"))
    os.makedirs(os.path.join(public, ".git"))
    files = {
        "secret.txt": SECRET, "public/hello.txt": b"hello", "public/.hidden": SECRET, "public/.git/config": SECRET,
        "public/database.json": b'{"items": [{"id": 1, "text": "' + SECRET + b'"}]}'}
    for name, data in files.items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(data)
    os.symlink(os.path.join(directory, "secret.txt"), os.path.join(public, "link.txt"))
    os.symlink(directory, os.path.join(public, "linked"))
    os.link(os.path.join(public, "database.json"), os.path.join(public, "hard.json"))
    good = 0
    with Server(harness.binary, os.path.join(public, "database.json"), "--quiet", "--static", public) as server:
        answer = server.request("GET", "/hello.txt")
        harness.check(answer.body == b"hello", f"traversal: /hello.txt is not served: {answer.status}")
        for target in cases.TRAVERSALS:
            data = b"GET " + target.encode() + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
            received = exchange(server.port, data)
            found, _ = answers(received)
            status = found[0][0] if found else 0
            is_good = SECRET not in received and b"root:" not in received and status < 500
            good += harness.check(is_good, f"traversal: {target} is answered {status} {received[-80:]}")
    return f"traversal {good}/{len(cases.TRAVERSALS)}"


HOSTS = [
    ("localhost", True), ("localhost:{port}", True), ("LOCALHOST", True), ("app.localhost", True), ("127.0.0.1", True),
    ("127.0.0.1:{port}", True), ("[::1]", True), ("[::1]:{port}", True), ("192.168.1.5", True), ("evil.example", False),
    ("evil.example:{port}", False), ("localhost.evil.example", False), ("127.0.0.1.evil.example", False),
    ("127.0.0.1.nip.io", False), ("evillocalhost", False), ("localhost@evil.example", False),
    ("evil.example#localhost", False), ("evil.example/localhost", False), ("evil.example?localhost", False),
    ("evil.example\\localhost", False), ("localhost:x", False), ("localhost:99999999", False), ("[::1", False),
    ("::1", None), ("%6cocalhost", False), ("local\u200bhost", False), ("_", False), ("localhost:", None),
]
FOREIGN = [
    "http://evil.example", "https://evil.example", "null", "http://localhost.evil.example", "http://evillocalhost",
    "http://127.0.0.1.evil.example", "http://localhost@evil.example", "file://", "http://evil.example http://localhost",
    "chrome-extension://abc", "http://", "localhost", "http://192.168.1.5:3000"]
LOOPBACK = ["http://localhost:5173", "http://127.0.0.1:8080", "https://localhost", "http://[::1]:4200"]


def who_gets_in(harness):
    path = prepare(harness, "who")
    good = total = 0
    with Server(harness.binary, path, "--quiet") as server:
        def ask(method, fields, body=b""):
            data = f"{method} /items HTTP/1.1\r\n".encode() + "".join(f"{f}\r\n" for f in fields).encode() + (
                b"Content-Length: %d\r\n\r\n" % len(body)) + body
            found, _ = answers(exchange(server.port, data))
            return found[0] if found else (0, "", b"")

        for host, is_allowed in HOSTS:
            total += 1
            status, _, _ = ask("GET", [f"Host: {host.format(port=server.port)}"])
            expected = {200} if is_allowed else {400, 403} if is_allowed is False else {200, 400, 403}
            good += harness.check(status in expected, f"host: {host} is answered {status}")
        for origin in FOREIGN:
            for kind in ("application/json", "text/plain", "application/x-www-form-urlencoded"):
                total += 1
                fields = ["Host: localhost", f"Origin: {origin}", f"Content-Type: {kind}"]
                status, head, _ = ask("POST", fields, b'{"a":1}')
                good += harness.check(
                    status == 403 and "access-control-allow-origin" not in head.lower(),
                    f"origin: POST of {kind} from {origin} is answered {status}")
            for method in ("GET", "OPTIONS"):
                total += 1
                status, head, _ = ask(
                    method, ["Host: localhost", f"Origin: {origin}", "Access-Control-Request-Method: DELETE"])
                good += harness.check(
                    "access-control-allow-origin" not in head.lower(), f"origin: {method} from {origin} gets CORS fields")
        written = count(path)
        harness.check(written == 0, f"origin: {written} records were written from foreign origins")
        for origin in LOOPBACK:
            total += 1
            fields = ["Host: localhost", f"Origin: {origin}", "Content-Type: application/json"]
            status, head, _ = ask("POST", fields, b'{"a":1}')
            good += harness.check(
                status == 201 and f"access-control-allow-origin: {origin}" in head.lower() and "vary:" in head.lower(),
                f"origin: POST from {origin} is answered {status} {head}")
    return f"host and origin {good}/{total}"


# Spellings of /posts/1, for which nobody without a token has a right; a prefix of rights gives none.
SPELLINGS = [
    "/posts/1", "//posts/1", "/posts//1", "/posts/1/", "/posts/1?", "/%70osts/1", "/posts/%31", "/./posts/1", "/posts/./1",
    "/a/../posts/1", "/a/%2e%2e/posts/1", "/%2e/posts/1", "/POSTS/1", "/posts%2f1", "/posts/1;a", "/posts/1%00",
    "/posts\\1", "http://localhost/posts/1", "http://evil.example//posts/1", "/api/posts/1", "//api//posts/1",
    "/666/posts/1", "//666/posts/1", "/%36%36%36/posts/1", "/666//posts/1", "/./666/posts/1", "/666/666/posts/1",
    "/666/api/posts/1", "/api/666/posts/1", "/640/posts/1", "/posts/666/1"]


def guards(harness):
    path = prepare(harness, "guards")
    with open(path, "w") as file:
        json.dump({"posts": [{"id": 1, "text": SECRET.decode()}], "users": []}, file)
    routes = os.path.join(os.path.dirname(path), "routes.json")
    with open(routes, "w") as file:
        json.dump({"/api/*": "/$1", "posts": 644, "posts/:id": 600}, file)
    good = total = 0
    # The second server has no guards but the default one.
    for options in (["--routes", routes], []):
        with Server(harness.binary, path, "--quiet", "--auth", "users", *options) as server:
            for target in SPELLINGS:
                for method, body in (("GET", b""), ("PATCH", b'{"a":1}'), ("DELETE", b"")):
                    if method == "GET" and not options:
                        continue
                    total += 1
                    data = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode() + (
                        b"Content-Length: %d\r\n\r\n" % len(body)) + body
                    received = exchange(server.port, data)
                    found, _ = answers(received)
                    status = found[0][0] if found else 0
                    good += harness.check(
                        400 <= status < 500 and SECRET not in received,
                        f"guards: {method} {target} without a token is answered {status}")
    return f"guards {good}/{total}"


def bombs(harness):
    path = prepare(harness, "bombs")

    def nested(depth, opening="[", closing="]"):
        return (opening * depth + closing * depth).encode()

    def record(value):
        return b'{"a":' + value + b"}"

    vectors = [
        ("depth 20,000", record(nested(20_000)), {400, 413}), ("depth 20,000 of objects", record(
            b'{"a":' * 20_000 + b"1" + b"}" * 20_000), {400}), ("depth 500", record(nested(500)), {201}),
        ("depth 5,000,000, unclosed", b"[" * 5_000_000, {400}), ("depth 513", record(nested(513)), {400}),
        ("a million elements", record(b"[" + b"0," * 999_999 + b"0]"), {201}),
        ("200,000 members", b"{" + b",".join(b'"k%d":0' % n for n in range(200_000)) + b"}", {201}),
        ("100,000 times one name", b"{" + b",".join(b'"k":0' for _ in range(100_000)) + b"}", {201, 400}),
        ("a number of 100,000 digits", record(b"1" * 100_000), {201, 400}),
        ("an exponent of 999999999", record(b"1e999999999"), {201, 400}), ("__proto__", b'{"__proto__":{"x":1}}', {201}),
        ("an id of 1 MB", b'{"id":"' + b"i" * 1_000_000 + b'"}', {201, 400}), ("an empty body", b"", {201, 400}),
        ("NUL bytes", b"\0" * 100, {400}), ("invalid UTF-8", b'{"a":"\xff\xfe"}', {400}),
        ("a lone surrogate", b'{"a":"\\ud800"}', {201, 400}), ("a BOM", b'\xef\xbb\xbf{"a":1}', {201, 400}),
    ]
    # 20 KB, which unpack to twice what a body may be.
    unpacked = record(b" " * 20_000_000 + b"1")
    vectors += [
        ("20 MB in gzip", gzip.compress(unpacked), {413}, b"Content-Encoding: gzip\r\n"),
        ("20 MB in deflate", zlib.compress(unpacked), {413}, b"Content-Encoding: deflate\r\n")]
    queries = [
        "/items?title_like=" + "(a%2B)%2B%24" * 10, "/items?_where=" + "[" * 3000, "/items?_where=" + "%7B%22or%22:[" * 200,
        "/items?_sort=" + ",".join(f"a{n}" for n in range(500)), "/items?a.b.c" + ".d" * 1000 + "=1",
        "/items?_page=99999999999999999999", "/items?_limit=-1", "/items?_start=1e9&_end=1e18",
        "/items?_like=" + "x" * 300, "/items?a_like=" + "a" * 300, "/items?a_like=" + "(" * 200, "/items?a_gte=NaN",
        "/items?_embed=" + ",".join("x" for _ in range(500)), "/items?" + "&".join("_expand=x" for _ in range(99))]
    good = 0
    with Server(harness.binary, path, "--quiet") as server:
        for name, body, statuses, *fields in vectors:
            data = b"POST /items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%bContent-Length: %d\r\n\r\n"
            started = time.monotonic()
            found, _ = answers(exchange(server.port, data % (b"".join(fields), len(body)) + body, 20))
            status = found[0][0] if found else 0
            seconds = time.monotonic() - started
            is_good = harness.check(status in statuses, f"bomb: {name}: answered {status}")
            is_good &= harness.check(seconds < 10, f"bomb: {name}: took {seconds:.1f} s")
            is_good &= harness.check(
                server.request("GET", "/items/none").status == 404, f"bomb: {name}: the server does not answer any more")
            good += is_good
        for target in queries:
            started = time.monotonic()
            status = server.request("GET", target, timeout=20).status
            seconds = time.monotonic() - started
            good += harness.check(status < 500 and seconds < 5, f"bomb: {target[:60]}: {status} after {seconds:.1f} s")
    with Server(harness.binary, path, "--quiet") as server:
        harness.check(server.request("GET", "/items").status == 200, "bomb: what was accepted cannot be loaded again")
    return f"bombs {good}/{len(vectors) + len(queries)}"


def injection(harness):
    path = prepare(harness, "injection", [{"id": number} for number in range(30)])
    poison = "x\r\nInjected: 1\r\n\r\n\x1b[31m\u202e"
    escaped = "x%0d%0aInjected:%201%0d%0a%0d%0a%1b%5b31m%e2%80%ae"
    good = total = 0
    with Server(harness.binary, path) as server:
        answer = server.request("POST", "/items", {"id": poison})
        targets = [
            f"/items/{escaped}", f"/items?_page=1&_limit=2&{escaped}=1", f"/items?_page=1&_per_page=2&a={escaped}",
            f"/items?_sort={escaped}", f"/{escaped}", f"/items?callback={escaped}", f"/items?_embed={escaped}",
            f"/items?{escaped}_like=1", f"/items/1/{escaped}"]
        for target in targets:
            total += 1
            answer = server.request("GET", target, headers=[f"Referer: http://localhost/{escaped}"])
            fields = " ".join(f"{name}: {value}" for name, value in answer.headers.items())
            good += harness.check(
                "injected" not in answer.headers and "\x1b" not in fields and "\u202e" not in fields,
                f"injection: {target} gets {answer.headers}")
        total += 1
        answer = server.request("POST", "/items", {"id": poison + "2"})
        good += harness.check(
            "injected" not in answer.headers and answer.status in (201, 400),
            f"injection: an id makes fields: {answer.headers}")
        time.sleep(0.2)
        log = server.log
        total += 2
        good += harness.check("\nInjected: 1" not in log and "\rInjected" not in log, "injection: a line in the log")
        good += harness.check(
            "\x1b[31m" not in log and "\u202e" not in log, "injection: a control or bidi character in the log")
    return f"injection {good}/{total}"


def raise_limit():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def descriptors(server):
    return len(os.listdir(f"/proc/{server.pid}/fd"))


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


def slow(harness):
    raise_limit()
    path = prepare(harness, "slow", [{"id": number, "text": "x" * 1000} for number in range(1000)])
    sockets_of_each = 500
    figures = []
    with Server(harness.binary, path, "--quiet", "--timeout", "3", "--no-gzip") as server:
        base = descriptors(server)
        for name, first, drip in (
                ("heads", b"GET /items/1 HTTP/1.1\r\nHost: localhost\r\n", b"X: y\r\n"),
                ("bodies", b"POST /items HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 b"Content-Length: 100000\r\n\r\n", b" "),
                ("readers", b"GET /items HTTP/1.1\r\nHost: localhost\r\n\r\n", None),
                ("idle", b"", None)):
            sockets = []
            for _ in range(sockets_of_each):
                connection = socket.socket()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(("127.0.0.1", server.port))
                connection.sendall(first)
                sockets.append(connection)
            started = time.monotonic()
            closed = False
            while time.monotonic() < started + 20 and not closed:
                if drip:
                    for connection in sockets:
                        try:
                            connection.send(drip)
                        except OSError:
                            pass
                with server.connect(20) as other:
                    try:
                        harness.check(other.request("GET", "/items/1").status == 200, f"slow {name}: others are refused")
                    except OSError:
                        harness.fail(f"slow {name}: others are not served within 20 s")
                        break
                time.sleep(0.2)
                closed = descriptors(server) <= base + 2
            left = max(descriptors(server) - base, 0)
            harness.check(closed, f"slow {name}: {left} of {sockets_of_each} sockets are still open after 20 s")
            harness.note(f"{name}: {time.monotonic() - started:.1f} s, {server.resident >> 10} MiB")
            figures.append(f"{sockets_of_each - left if not closed else sockets_of_each}")
            for connection in sockets:
                connection.close()
    return f"slow heads, bodies, readers, idle closed {'/'.join(figures)} of {sockets_of_each}"


def idle(harness):
    hard = raise_limit()
    wanted = min(10_000, hard - 1000)
    path = prepare(harness, "idle")
    limits = [(resource.RLIMIT_NOFILE, (hard, hard))]
    with Server(harness.binary, path, "--quiet", "--timeout", "120", limits=limits) as server:
        for _ in range(50):
            server.request("GET", "/items")
        before = server.resident
        connections = []
        try:
            for _ in range(wanted):
                connection = Connection(server.port)
                connection.request("GET", "/items")
                connections.append(connection)
        except (OSError, Dropped) as error:
            harness.fail(f"idle: connection {len(connections)}: {error!r}")
        grown = (server.resident - before) / 1024
        alive = 0
        for connection in connections[::max(len(connections) // 200, 1)]:
            try:
                alive += connection.request("GET", "/items").status == 200
            except (OSError, Dropped):
                harness.fail("idle: an idle connection was dropped")
        # There may be no room for another connection: accepting pauses at the limit.
        if connections:
            harness.check(connections[0].request("POST", "/items", {}).status == 201, "idle: a write is refused")
        harness.check(grown < 100, f"idle: {grown:.0f} MiB for {len(connections)} connections")
        for connection in connections:
            connection.close()
    return f"{len(connections)} idle connections in {grown:.0f} MiB"


PARTS = [
    ("raw", raw_cases), ("traversal", traversal), ("who", who_gets_in), ("guards", guards), ("bombs", bombs),
    ("injection", injection), ("slow", slow), ("idle", idle)]


def measure(harness):
    figures = []
    for name, part in PARTS:
        if harness.options.part and harness.options.part != name:
            continue
        figures.append(part(harness))
        harness.note(figures[-1])
        harness.figure = "; ".join(figures)


main(measure, lambda parser: parser.add_argument("--part", help=", ".join(name for name, _ in PARTS)))
