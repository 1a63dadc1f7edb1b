"""Compares one connection with many: a sequence of requests, sent in random pieces over one connection, is answered as
when each comes alone over a connection of its own, one after the other.

Delayed, faulted, refused and legacy requests among them; then the limits of what comes with a body, and of addresses.
"""

import json
import os
import random
import threading
import time
import urllib.parse

from support.harness import main
from support.raw import answers, exchange
from support.server import Dropped, Server

START = {
    "posts": [{"id": number, "n": number, "title": f"post {number}"} for number in range(1, 5)],
    "comments": [{"id": number, "postId": number % 4 + 1, "text": "x" * 50 * number} for number in range(1, 9)],
    "profile": {"name": "start"}}
HOST = "Host: localhost"
# Each is refused by its head, or by what the parser makes of it, and ends the connection.
REFUSED = [
    ("a bad line", b"BAD REQUEST LINE\r\n\r\n"), ("no Host", b"GET /posts HTTP/1.1\r\n\r\n"),
    ("two Hosts", b"GET /posts HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"),
    ("a bad field", b"GET /posts HTTP/1.1\r\nHost: localhost\r\nBad Field\r\n\r\n"),
    ("a bad length", b"POST /posts HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"),
    ("too large a body", b"POST /posts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n"),
    ("an unknown coding", b"POST /posts HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n"),
    ("a bad chunk", b"POST /posts HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    ("an unknown expectation", b"PUT /posts/1 HTTP/1.1\r\nHost: localhost\r\nExpect: magic\r\nContent-Length: 2\r\n\r\n{}"),
    ("too long a target", b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("too many fields", b"GET /posts HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 200 + b"\r\n"),
    ("HTTP/3.0", b"GET /posts HTTP/3.0\r\nHost: localhost\r\n\r\n"),
]
BEHIND = b"DELETE /posts/4 HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Request:
    """A request in its plain form, as it comes alone, and in the form in which it comes among others."""

    def __init__(self, method, plain, among=None, closes=False):
        self.method = method
        self.plain = plain
        self.among = among or plain
        self.closes = closes

    def __repr__(self):
        text = repr(self.among)
        return text if len(text) < 300 else text[:250] + f"… ({len(self.among)} bytes)"


def head(method, target, fields=(), version="HTTP/1.1"):
    return "\r\n".join([f"{method} {target} {version}", HOST, *fields, "", ""]).encode()


def written(method, target, body, fields=(), version="HTTP/1.1"):
    length = ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return head(method, target, [*fields, *length], version) + body


def chunked(generator, method, target, body, fields=()):
    """The same in chunks, some with an extension, and perhaps with trailers."""
    data = head(method, target, [*fields, "Content-Type: application/json", "Transfer-Encoding: chunked"])
    while body:
        size = generator.randrange(1, len(body) + 1)
        extension = generator.choice(["", "", ";a", ";a=b", ';a="b c"'])
        digits = generator.choice([f"{size:x}", f"{size:X}", f"00{size:x}"])
        data += f"{digits}{extension}\r\n".encode() + body[:size] + b"\r\n"
        body = body[size:]
    trailers = "".join(f"X-{number}: y\r\n" for number in range(generator.choice([0, 0, 1, 3])))
    return data + f"0\r\n{trailers}\r\n".encode()


def one_request(generator):
    method = generator.choices(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], [6, 4, 4, 3, 6, 2, 1])[0]
    key = generator.randrange(1, 7)
    if method == "POST":
        target = generator.choice(["/posts", "/comments", "/posts/1/comments", f"/posts/{key}", "/unknown"])
    elif method in ("GET", "HEAD", "OPTIONS"):
        target = generator.choice([
            "/posts", f"/posts/{key}", "/comments?_sort=-id&_limit=3", "/db", "/profile", "/posts?n_gte=2", "/unknown",
            "/posts?_page=1&_limit=2", "/posts?_limit=x", "/%zz", "/__admin/resources", "/posts?q=post"])
    else:
        target = generator.choice([f"/posts/{key}", f"/posts/{key}", f"/comments/{key}", "/profile", "/posts"])
    if generator.random() < 0.25:
        target += ("&" if "?" in target else "?") + f"_delay={generator.choice([1, 5, 20, 40])}"
    fields = ["X-Filler: " + "f" * generator.randrange(200)] if generator.random() < 0.2 else []
    if method in ("POST", "PUT", "PATCH"):
        body = json.dumps({"n": generator.randrange(10**6), "title": "t" * generator.choice([1, 10, 3000])}).encode()
        if generator.random() < 0.1:
            body = b'{"n": ' if generator.random() < 0.5 else b"[1, 2]"
        plain = written(method, target, body, fields)
        form = generator.choice(["length", "chunks", "chunks", "expect", "legacy", "absolute"])
        if form == "chunks":
            return Request(method, plain, chunked(generator, method, target, body, fields))
        if form == "expect":
            return Request(method, plain, written(method, target, body, [*fields, "Expect: 100-continue"]))
        if form == "legacy":
            return Request(
                method, plain, written(method, target, body, [*fields, "Connection: keep-alive"], "HTTP/1.0"))
        if form == "absolute":
            return Request(method, plain, written(method, "http://localhost" + target, body, fields))
        return Request(method, plain)
    plain = head(method, target, fields)
    form = generator.choices(["plain", "lines", "legacy", "upgrade", "body"], [10, 1, 1, 1, 1])[0]
    if form == "lines":
        return Request(method, plain, b"\r\n" + plain)
    if form == "legacy":
        return Request(method, plain, head(method, target, [*fields, "Connection: keep-alive"], "HTTP/1.0"))
    if form == "upgrade":
        # An upgrade that is not accepted is no reason to drop what follows (RFC 9110, section 7.8).
        return Request(method, plain, head(method, target, [*fields, "Connection: Upgrade", "Upgrade: h2c"]))
    if form == "body" and method != "DELETE":
        return Request(method, plain, head(method, target, [*fields, "Content-Length: 5"]) + b"BODY!")
    return Request(method, plain)


def last_request(generator):
    """A request after which the connection ends; what stands behind it is neither answered nor carried out."""
    kind = generator.choice(["refused", "refused", "close", "legacy"])
    if kind == "refused":
        _, data = generator.choice(REFUSED)
        return Request("GET", data, closes=True)
    plain = head("GET", "/posts/1")
    if kind == "close":
        return Request("GET", plain, head("GET", "/posts/1", ["Connection: close"]), closes=True)
    return Request("GET", plain, head("GET", "/posts/1", version="HTTP/1.0"), closes=True)


def sequence(generator):
    """Requests, and the faults that some of them meet."""
    requests = [one_request(generator) for _ in range(generator.randrange(2, 25))]
    if generator.random() < 0.6:
        requests.append(last_request(generator))
    faults = []
    for _ in range(generator.choice([0, 0, 1, 2])):
        fault = {"method": generator.choice(["GET", "PATCH", "PUT"]), "times": generator.randrange(1, 3), "delay": 25}
        faults.append(fault | generator.choice([{}, {}, {"status": 503}, {"path": "/posts/*"}]))
    return requests, faults


def shown(answer):
    """What a client sees of an answer, but for what may differ."""
    left_out = ("date", "connection", "keep-alive")
    return answer.status, {name: value for name, value in answer.headers.items() if name not in left_out}, answer.body


def different(answer, other):
    """What of an answer is not as in another."""
    (status, fields, body), (other_status, other_fields, other_body) = answer, other
    parts = [str(status)] if status != other_status else []
    parts += [f"{name}: {value}" for name, value in fields.items() if other_fields.get(name) != value]
    parts += [f"without {name}" for name in other_fields if name not in fields]
    parts += [f"with {body[:300]}"] if body != other_body else []
    return "; ".join(parts)


def prepare(server, faults):
    server.request("POST", "/__admin/reset")
    server.request("DELETE", "/__admin/faults")
    for fault in faults:
        status = server.request("POST", "/__admin/faults", fault).status
        if status != 201:
            raise ValueError(f"the fault {fault} is answered {status}")


def alone(server, requests):
    """Each over its own connection, the next when the one before is answered."""
    seen = []
    for request in requests:
        with server.connect(10) as connection:
            connection.socket.sendall(request.plain)
            seen.append(shown(connection.answer(request.method)))
    return seen


def pieces(generator, data):
    """Cuts bytes anywhere."""
    size = generator.choice([len(data), len(data), 7, 60, 500, 5000])
    while data:
        count = generator.randrange(1, 2 * size)
        yield data[:count]
        data = data[count:]


def together(server, requests, generator):
    """Sends all over one connection, regardless of the responses."""
    data = b"".join(request.among for request in requests)
    if requests[-1].closes:
        data += BEHIND * 3
    cuts = list(pieces(generator, data))
    pauses = [generator.choice([0, 0, 0, 0.001]) if len(cuts) < 500 else 0 for _ in cuts]
    seen = []
    with server.connect(5) as connection:
        def send():
            try:
                for piece, pause in zip(cuts, pauses):
                    connection.socket.sendall(piece)
                    time.sleep(pause)
            except OSError:
                # A connection that ends does not take what stands behind its end.
                pass

        sender = threading.Thread(target=send)
        sender.start()
        problem = None
        try:
            for request in requests:
                seen.append(shown(connection.answer(request.method)))
            if requests[-1].closes:
                try:
                    while True:
                        connection._receive()
                except Dropped:
                    pass
                except ConnectionResetError:
                    # What came behind was not read.
                    pass
                if connection.buffer:
                    problem = f"an answer behind the last: {connection.buffer[:200]}"
        except Dropped:
            problem = f"closed before answer {len(seen) + 1} of {len(requests)}, with {connection.buffer[-300:]} left"
        except (OSError, ValueError, IndexError) as error:
            problem = f"answer {len(seen) + 1} of {len(requests)}: {error!r}, with {connection.buffer[-300:]} left"
        sender.join()
    return seen, problem


def state(server):
    return server.request("GET", "/db").json


def compare(harness, generator, one, many, number):
    requests, faults = sequence(generator)
    prepare(one, faults)
    prepare(many, faults)
    wanted = alone(many, requests)
    seen, problem = together(one, requests, generator)
    position = min(len(seen) + 1, len(requests))
    for index, (expected, found) in enumerate(zip(wanted, seen), 1):
        if expected != found:
            problem = f"answer {index} is {different(found, expected)}, alone it is {different(expected, found)}"
            position = index
            break
    if not problem and state(one) != state(many):
        problem = f"the data is {json.dumps(state(one))[:600]}, one after the other {json.dumps(state(many))[:600]}"
    if problem:
        harness.fail(f"sequence {number}: {problem}")
        last = "\n".join(f"    {index}: {request!r}" for index, request in list(enumerate(requests, 1))[:position][-5:])
        harness.note(f"again: --sequence {number}; faults {faults}; the last of {len(requests)} requests:\n{last}")
    return len(requests), not problem


def sequences(harness, first, count):
    directories = [harness.subdirectory(name) for name in ("one", "many")]
    for directory in directories:
        with open(os.path.join(directory, "database.json"), "w") as file:
            json.dump(START, file)
    paths = [os.path.join(directory, "database.json") for directory in directories]
    asked = good = 0
    with Server(harness.binary, paths[0], "--quiet") as one, Server(harness.binary, paths[1], "--quiet") as many:
        for number in range(first, first + count):
            requests, is_good = compare(harness, random.Random(number), one, many, number)
            asked += requests
            good += is_good
            if number - first + 1 - good >= 10:
                break
    return f"{good} of {number - first + 1} sequences of {asked} requests in all alike"


def serve(harness, name):
    path = os.path.join(harness.subdirectory(name), "database.json")
    with open(path, "w") as file:
        json.dump(START, file)
    return Server(harness.binary, path, "--quiet")


def order(harness):
    """What every client of a connection relies on, in the fewest requests (RFC 9112, section 9.3.2)."""
    def patch(target, value):
        return written("PATCH", target, json.dumps({"n": value}).encode())

    read = head("GET", "/posts/1")
    good = 0
    with serve(harness, "order") as server:
        cases = [
            ("a PATCH behind a delayed one", [patch("/posts/1?_delay=50", 1), patch("/posts/1", 2)], (), 2),
            ("a GET behind a delayed PATCH", [patch("/posts/1?_delay=50", 3), read], (1, 3), 3),
            ("a PATCH behind a delayed GET", [head("GET", "/posts/1?_delay=50"), patch("/posts/1", 4)], (0, 3), 4),
            ("a PATCH behind one with a fault", [patch("/posts/1", 5), patch("/posts/1", 6)], (), 6),
            ("a DELETE behind a delayed POST", [
                written("POST", "/posts?_delay=50", b'{"id": 50}'), head("DELETE", "/posts/50")], (), 6)]
        for name, requests, seen, kept in cases:
            # `seen`: which answer shows which value; `kept`: the value afterwards.
            if "fault" in name:
                server.request("POST", "/__admin/faults", {"method": "PATCH", "times": 1, "delay": 50})
            found, _ = answers(exchange(server.port, b"".join(requests)))
            statuses = [status for status, _, _ in found]
            is_good = harness.check(
                len(found) == 2 and all(status < 300 for status in statuses), f"order: {name}: answered {statuses}")
            if is_good and seen:
                index, expected = seen
                value = json.loads(found[index][2])["n"]
                is_good = harness.check(value == expected, f"order: {name}: the GET sees {value}, not {expected}")
            if is_good:
                value = server.request("GET", "/posts/1").json["n"]
                is_good = harness.check(value == kept, f"order: {name}: {value} stays, not {kept}")
            good += is_good
        started = time.monotonic()
        exchange(server.port, head("GET", "/posts/1?_delay=300") * 8)
        seconds = time.monotonic() - started
        good += harness.check(seconds < 1.5, f"order: eight delayed GETs do not run beside each other: {seconds:.1f} s")
    return f"order {good}/{len(cases) + 1}"


def refusals(harness):
    """A refusal is complete after any previous request."""
    good = 0
    with serve(harness, "refusals") as server:
        for name, data in REFUSED:
            for before, is_split in ((b"", False), (head("HEAD", "/posts/1"), False), (head("HEAD", "/posts/1"), True)):
                with server.connect(3) as connection:
                    try:
                        connection.socket.sendall(before if is_split else before + data)
                        if before:
                            connection.answer("HEAD")
                        if is_split:
                            connection.socket.sendall(data)
                        answer = connection.answer()
                        is_good = harness.check(400 <= answer.status < 600, f"refusals: {name}: {answer.status}")
                    except (Dropped, OSError) as error:
                        is_good = harness.check(False, f"refusals: {name}{' after a HEAD' * bool(before)}: {error!r}")
                    good += is_good
    return f"refusals {good}/{3 * len(REFUSED)}"


def limits(harness):
    """What comes with a body beside it is limited as the head is: refused, the connection closed, nothing written."""
    start = head("POST", "/posts", ["Content-Type: application/json", "Transfer-Encoding: chunked"])
    end = b"0\r\n\r\n"
    cases = [
        ("three trailers", b"2\r\n{}\r\n0\r\nA: b\r\nC: d\r\nE: f\r\n\r\n", True),
        ("a hundred short extensions", b"1;a=b\r\n \r\n" * 100 + b"2\r\n{}\r\n" + end, True),
        ("500 trailers", b"2\r\n{}\r\n0\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(500)) + b"\r\n", False),
        ("a trailer of 40 KB", b"2\r\n{}\r\n0\r\nX: " + b"y" * 40_000 + b"\r\n\r\n", False),
        ("a trailer of 2 MB", b"2\r\n{}\r\n0\r\nX: " + b"y" * 2_000_000 + b"\r\n\r\n", False),
        ("trailers of 40 KB", b"2\r\n{}\r\n0\r\n" + (b"X: " + b"y" * 500 + b"\r\n") * 80 + b"\r\n", False),
        ("an extension of 40 KB", b"2;x=" + b"y" * 40_000 + b"\r\n{}\r\n" + end, False),
        ("an extension of 8 MB", b"2;x=" + b"y" * 8_000_000 + b"\r\n{}\r\n" + end, False),
        ("extensions of 3 MB", (b"1;x=" + b"y" * 1000 + b"\r\n \r\n") * 3000 + b"2\r\n{}\r\n" + end, False),
        ("an extension of the last chunk of 1 MB", b"2\r\n{}\r\n0;x=" + b"y" * 1_000_000 + b"\r\n\r\n", False),
        ("a size of 100,000 zeros", b"0" * 100_000 + b"2\r\n{}\r\n" + end, False)]
    good = 0
    with serve(harness, "limits") as server:
        for name, body, is_taken in cases:
            before = len(server.request("GET", "/posts").json)
            # The next request shows whether the connection goes on.
            found, _ = answers(exchange(server.port, start + body + head("GET", "/profile"), 10))
            statuses = [status for status, _, _ in found]
            count = len(server.request("GET", "/posts").json) - before
            if is_taken:
                good += harness.check(
                    statuses == [201, 200] and count == 1, f"limits: {name}: answered {statuses}, {count} written")
            else:
                good += harness.check(
                    statuses in ([400], [413], [431], []) and count == 0,
                    f"limits: {name}: answered {statuses}, {count} written")
    return f"limits {good}/{len(cases)}"


def addresses(harness):
    """What is accepted can be reached: a record whose address no request can hold is refused."""
    names = ["i" * count for count in (10, 4000, 8100, 8170, 8184, 8185, 8186, 8187, 8192, 8200, 20_000, 1_000_000)]
    names += ["é" * 1000, "é" * 3000, "a/b", "a?b", "a#b", "a%b", "%2F", " ", "a b", "a\\b", "\u202e", '"', ";", "a+b"]
    good = total = 0
    with serve(harness, "addresses") as server:
        for name in names:
            for form, target, body in (
                    ("POST", "/posts", {"id": name}), ("bulk", "/posts", [{"id": name + "b"}]),
                    ("below", "/posts/1/comments", {"id": name + "c"})):
                total += 1
                key = body[0]["id"] if isinstance(body, list) else body["id"]
                answer = server.request("POST", target, body)
                shown_name = name if len(name) < 20 else f"{name[0]} × {len(name)}"
                if answer.status != 201:
                    good += harness.check(
                        400 <= answer.status < 500 and len(name) > 100,
                        f"addresses: {form} of an id of {shown_name} is answered {answer.status}")
                    continue
                collection = "comments" if form == "below" else "posts"
                address = f"/{collection}/{urllib.parse.quote(key, safe='')}"
                if len(address) > 15_000:
                    good += harness.check(False, f"addresses: {form} of an id of {shown_name} is accepted")
                    continue
                status = server.request("GET", address).status
                is_good = status == 200
                if location := answer.headers.get("location"):
                    path = urllib.parse.urlsplit(location)
                    again = server.request("GET", path.path + (f"?{path.query}" if path.query else "")).status
                    is_good = is_good and again == 200
                good += harness.check(
                    is_good, f"addresses: {form} of an id of {shown_name} is accepted, and GET is answered {status}")
    return f"addresses {good}/{total}"


def measure(harness):
    options = harness.options
    if options.sequence is not None:
        harness.figure = sequences(harness, options.sequence, 1)
        return
    figures = []
    for name, part in (
            ("order", lambda: order(harness)), ("refusals", lambda: refusals(harness)),
            ("limits", lambda: limits(harness)), ("addresses", lambda: addresses(harness)),
            ("sequences", lambda: sequences(
                harness, options.seed * 1_000_000, 2000 if options.thorough else 80))):
        if options.part and options.part != name:
            continue
        figures.append(part())
        harness.note(figures[-1])
        harness.figure = "; ".join(figures)


def add_options(parser):
    parser.add_argument("--part", help="order, refusals, limits, addresses or sequences")
    parser.add_argument("--sequence", type=int, help="only this sequence, as a failure names it")


main(measure, add_options)
