"""Raw requests: what RFC 9112 demands, and what smuggles a request past one of two servers."""
import gzip

HOST = b"Host: localhost\r\n"
OK = b'{"a":1}'
NEXT = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"


def get(target=b"/items", fields=b"", version=b"HTTP/1.1", host=HOST, method=b"GET"):
    return method + b" " + target + b" " + version + b"\r\n" + host + fields + b"\r\n"


def post(fields, body=b""):
    return b"POST /items HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n" + fields + b"\r\n" + body


def length(body=OK):
    return b"Content-Length: %d\r\n" % len(body)


CHUNKED = b"Transfer-Encoding: chunked\r\n"
VALID_CHUNKS = b"7\r\n" + OK + b"\r\n0\r\n\r\n"
BOMB = gzip.compress(b" " * 50_000_000)
BAD = {400}

# Name, bytes, the statuses allowed for the first answer (0: closed without one), how many answers there may be.
CASES = [
    ("a plain request", get(), {200}, 1),
    ("absolute form", get(b"http://localhost/items"), {200}, 1),
    ("absolute form with another host", get(b"http://evil.example/items"), {200, 400, 403}, 1),
    ("no Host", get(host=b""), BAD, 1),
    ("two Hosts", get(host=HOST + b"Host: other.localhost\r\n"), BAD, 1),
    ("the same Host twice", get(host=HOST + HOST), BAD, 1),
    ("an empty Host", get(host=b"Host:\r\n"), {400, 403}, 1),
    ("a Host with a space", get(host=b"Host: local host\r\n"), BAD, 1),
    ("a Host with a comma", get(host=b"Host: localhost, evil.example\r\n"), BAD, 1),
    ("a Host with a path", get(host=b"Host: localhost/x\r\n"), {400, 403}, 1),
    ("a Host with a user", get(host=b"Host: a@localhost\r\n"), {400, 403}, 1),
    ("HTTP/2.0", get(version=b"HTTP/2.0"), {400, 505}, 1),
    ("HTTP/1.2", get(version=b"HTTP/1.2"), {200, 400, 505}, 1),
    ("HTTP/0.9", b"GET /items\r\n\r\n", {0, 400}, 1),
    ("a lower-case version", get(version=b"http/1.1"), BAD, 1),
    ("a version without a minor", get(version=b"HTTP/1"), BAD, 1),
    ("two spaces in the line", b"GET  /items HTTP/1.1\r\n" + HOST + b"\r\n", {200, 400}, 1),
    ("tabs in the line", b"GET\t/items\tHTTP/1.1\r\n" + HOST + b"\r\n", BAD, 1),
    ("a space after the version", b"GET /items HTTP/1.1 \r\n" + HOST + b"\r\n", {200, 400}, 1),
    ("an empty line before", b"\r\n" + get(), {200}, 1),
    ("bare line feeds", b"GET /items HTTP/1.1\nHost: localhost\n\n", {200, 400}, 1),
    ("a bare carriage return in a value", get(fields=b"X: a\rb\r\n"), BAD, 1),
    ("bare carriage returns", b"GET /items HTTP/1.1\rHost: localhost\r\r", {0, 400}, 1),
    ("a NUL in a value", get(fields=b"X: a\0b\r\n"), BAD, 1),
    ("a NUL in the target", get(b"/it\0ems"), BAD, 1),
    ("a control character in a value", get(fields=b"X: a\x01b\r\n"), BAD, 1),
    ("a DEL in a value", get(fields=b"X: a\x7fb\r\n"), BAD, 1),
    ("a space before the colon", get(fields=b"X : a\r\n"), BAD, 1),
    ("a tab before the colon", get(fields=b"X\t: a\r\n"), BAD, 1),
    ("a folded line", get(fields=b"X: a\r\n b\r\n"), {200, 400}, 1),
    ("a first field after a space", b"GET /items HTTP/1.1\r\n Host: localhost\r\n\r\n", BAD, 1),
    ("a field without a colon", get(fields=b"Nonsense\r\n"), BAD, 1),
    ("a field without a name", get(fields=b": a\r\n"), BAD, 1),
    ("a bracket in a name", get(fields=b"X(y): a\r\n"), BAD, 1),
    ("a NUL in a name", get(fields=b"X\0: a\r\n"), BAD, 1),
    ("a non-ASCII name", get(fields="Ü: a\r\n".encode()), BAD, 1),
    ("an unknown method", get(method=b"FOO"), {400, 404, 405, 501}, 1),
    ("a lower-case method", get(method=b"get"), {400, 404, 405, 501}, 1),
    ("CONNECT", b"CONNECT localhost:80 HTTP/1.1\r\n" + HOST + b"\r\n", {400, 405, 501}, 1),
    ("TRACE", get(method=b"TRACE"), {400, 405, 501}, 1),
    ("OPTIONS *", get(b"*", method=b"OPTIONS"), {200, 204, 400, 404}, 1),
    ("GET *", get(b"*"), {400, 404}, 1),
    ("a target above 8 KiB", get(b"/items?" + b"x" * 9000), {414}, 1),
    ("a head above 16 KiB", get(fields=b"".join(b"X%d: %s\r\n" % (n, b"y" * 1000) for n in range(20))), {431}, 1),
    ("one field above 16 KiB", get(fields=b"X: " + b"y" * 20_000 + b"\r\n"), {431}, 1),
    ("101 fields", get(fields=b"".join(b"X%d: y\r\n" % n for n in range(101))), {431}, 1),
    ("101 parameters", get(b"/items?" + b"&".join(b"a%d=1" % n for n in range(101))), {400, 414}, 1),
    ("a fragment", get(b"/items#x"), {200, 400, 404}, 1),
    ("a raw byte above ASCII", get(b"/it\xe9ms"), {400, 404}, 1),
    ("a bad escape", get(b"/%zz"), {400, 404}, 1),
    ("HTTP/1.0 without Host", b"GET /items HTTP/1.0\r\n\r\n", {200, 400}, 1),
    ("HTTP/1.0 is closed", get(version=b"HTTP/1.0") + NEXT, {200}, 1),
    ("Connection: close is obeyed", get(fields=b"Connection: close\r\n") + NEXT, {200}, 1),
    ("two requests at once", get() + get(), {200}, 2),
    ("a hundred requests at once", get() * 100, {200}, 100),
    ("an unknown expectation", post(b"Expect: magic\r\n" + length(), OK), {417}, 1),
    ("100-continue", post(b"Expect: 100-continue\r\n" + length(), OK), {100, 201}, 2),
    ("an upgrade to WebSocket", get(fields=b"Connection: Upgrade\r\nUpgrade: websocket\r\n"), {200}, 1),
    ("an upgrade to h2c", get(fields=b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"), {200}, 1),
    ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {0, 400, 505}, 1),
    ("a TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 60, {0, 400}, 1),
    # Bodies.
    ("a body with a length", post(length(), OK), {201}, 1),
    ("a chunked body", post(CHUNKED, VALID_CHUNKS), {201}, 1),
    ("a chunk extension", post(CHUNKED, b"7;a=b\r\n" + OK + b"\r\n0\r\n\r\n"), {201, 400}, 1),
    ("a trailer", post(CHUNKED, b"7\r\n" + OK + b"\r\n0\r\nX: y\r\n\r\n"), {201}, 1),
    ("a trailer that says Content-Length", post(CHUNKED, b"7\r\n" + OK + b"\r\n0\r\nContent-Length: 99\r\n\r\n"), {201, 400}, 1),
    ("a body above 10 MiB, told", post(b"Content-Length: 10485761\r\n"), {413}, 1),
    ("a body above 10 MiB, in chunks", post(CHUNKED, (b"100000\r\n" + b" " * 0x100000 + b"\r\n") * 11 + b"0\r\n\r\n"), {0, 413}, 1),
    ("a body in an unknown coding", post(b"Content-Encoding: br\r\n" + length(), OK), {415}, 1),
    ("a body that is not in its coding", post(b"Content-Encoding: gzip\r\n" + length(), OK), {400}, 1),
    ("a bomb", post(b"Content-Encoding: gzip\r\n" + length(BOMB), BOMB), {413}, 1),
    ("a body cut short", post(b"Content-Length: 100\r\n", OK), {0, 400, 408}, 1),
    ("chunks cut short", post(CHUNKED, b"7\r\n" + OK + b"\r\n"), {0, 400, 408}, 1),
    # Smuggling.
    ("length and chunks", post(length() + CHUNKED, VALID_CHUNKS + NEXT), BAD, 1),
    ("chunks and length", post(CHUNKED + b"Content-Length: 4\r\n", VALID_CHUNKS + NEXT), BAD, 1),
    ("two lengths", post(b"Content-Length: 0\r\n" + length(), OK + NEXT), BAD, 1),
    ("the same length twice", post(length() + length(), OK), {201, 400}, 1),
    ("a list of lengths", post(b"Content-Length: 7, 7\r\n", OK), {201, 400}, 1),
    ("a list of two lengths", post(b"Content-Length: 0, 7\r\n", OK + NEXT), BAD, 1),
    ("a length with a plus", post(b"Content-Length: +7\r\n", OK + NEXT), BAD, 1),
    ("a negative length", post(b"Content-Length: -1\r\n", OK + NEXT), BAD, 1),
    ("a hexadecimal length", post(b"Content-Length: 0x7\r\n", OK + NEXT), BAD, 1),
    ("a length with a space inside", post(b"Content-Length: 0 7\r\n", OK + NEXT), BAD, 1),
    ("an empty length", post(b"Content-Length:\r\n", NEXT), BAD, 1),
    ("a length with letters", post(b"Content-Length: 7a\r\n", OK + NEXT), BAD, 1),
    ("a length beyond 64 bits", post(b"Content-Length: 18446744073709551623\r\n", OK + NEXT), {400, 413}, 1),
    ("a length with full-width digits", post("Content-Length: \uff17\r\n".encode(), OK + NEXT), BAD, 1),
    ("a length, space before the colon", post(b"Content-Length : 7\r\n", OK + NEXT), BAD, 1),
    ("chunked, space before the colon", post(b"Transfer-Encoding : chunked\r\n" + length(), OK + NEXT), BAD, 1),
    ("chunked, after a space", post(length() + b" Transfer-Encoding: chunked\r\n", VALID_CHUNKS + NEXT), BAD, 1),
    ("chunked on a folded line", post(b"Transfer-Encoding:\r\n chunked\r\n" + length(), VALID_CHUNKS + NEXT), BAD, 1),
    ("identity", post(b"Transfer-Encoding: identity\r\n" + length(), OK + NEXT), {400, 501}, 1),
    ("gzip, chunked", post(b"Transfer-Encoding: gzip, chunked\r\n", VALID_CHUNKS + NEXT), {400, 501}, 1),
    ("chunked, gzip", post(b"Transfer-Encoding: chunked, gzip\r\n", VALID_CHUNKS + NEXT), {400, 501}, 1),
    ("chunked, identity", post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", VALID_CHUNKS + NEXT), {400, 501}, 1),
    ("chunked twice", post(CHUNKED + CHUNKED, VALID_CHUNKS + NEXT), {400, 501}, 1),
    ("xchunked", post(b"Transfer-Encoding: xchunked\r\n" + length(), OK + NEXT), {400, 501}, 1),
    ("chunked in quotes", post(b'Transfer-Encoding: "chunked"\r\n' + length(), OK + NEXT), {400, 501}, 1),
    ("chunked after a vertical tab", post(b"Transfer-Encoding: \x0bchunked\r\n" + length(), OK + NEXT), {400, 501}, 1),
    ("chunked with a parameter", post(b"Transfer-Encoding: chunked;x=y\r\n" + length(), OK + NEXT), {400, 501}, 1),
    ("an empty transfer coding", post(b"Transfer-Encoding:\r\n" + length(), OK + NEXT), {400, 501}, 1),
    ("chunks in HTTP/1.0", b"POST /items HTTP/1.0\r\n" + HOST + CHUNKED + b"\r\n" + VALID_CHUNKS + NEXT, BAD, 1),
    ("a chunk size with 0x", post(CHUNKED, b"0x7\r\n" + OK + b"\r\n0\r\n\r\n" + NEXT), BAD, 1),
    ("a negative chunk size", post(CHUNKED, b"-7\r\n" + OK + b"\r\n0\r\n\r\n" + NEXT), BAD, 1),
    ("a chunk size beyond 64 bits", post(CHUNKED, b"10000000000000007\r\n" + OK + b"\r\n0\r\n\r\n" + NEXT), {400, 413}, 1),
    ("an empty chunk size", post(CHUNKED, b"\r\n" + OK + b"\r\n0\r\n\r\n" + NEXT), BAD, 1),
    ("a chunk longer than its size", post(CHUNKED, b"6\r\n" + OK + b"\r\n0\r\n\r\n" + NEXT), BAD, 1),
    ("a chunk shorter than its size", post(CHUNKED, b"8\r\n" + OK + b"\r\n0\r\n\r\n" + NEXT), BAD, 1),
    ("chunk lines that end in a bare line feed", post(CHUNKED, b"7\n" + OK + b"\n0\n\n" + NEXT), BAD, 1),
    ("a chunk extension with a bare line feed", post(CHUNKED, b"7;\n" + OK + b"\r\n0\r\n\r\n" + NEXT), BAD, 1),
    ("a chunk that ends without a line end", post(CHUNKED, b"7\r\n" + OK + b"0\r\n\r\n" + NEXT), BAD, 1),
    ("200 KB of chunk extensions", post(CHUNKED, b"7;" + b"a" * 200_000 + b"\r\n" + OK + b"\r\n0\r\n\r\n"), {0, 201, 400, 413, 431}, 1),
    ("endless trailers", post(CHUNKED, b"7\r\n" + OK + b"\r\n0\r\n" + b"X: y\r\n" * 50_000 + b"\r\n"), {0, 400, 413, 431}, 1),
    ("a request in the body of a GET", get(fields=b"Content-Length: %d\r\n" % len(NEXT)) + NEXT, {200, 400}, 1),
    ("a request in the chunks of a GET", get(fields=CHUNKED) + b"%x\r\n" % len(NEXT) + NEXT + b"\r\n0\r\n\r\n", {200, 400}, 1),
    ("a request in the body of a DELETE", get(b"/items/none", b"Content-Length: %d\r\n" % len(NEXT), method=b"DELETE") + NEXT, {404, 400}, 1),
    ("a request behind a refused body", post(b"Content-Length: 10485761\r\n", NEXT), {413}, 1),
    ("a request behind a bad head", b"GET /items HTTP/1.1\r\nX\r\n\r\n" + NEXT, BAD, 1),
]

# Targets that must not lead out of the directory of static files. SECRET stands for a file beside it.
TRAVERSALS = [
    "/../secret.txt", "/../../secret.txt", "/./../secret.txt", "/folder/../../secret.txt", "/..", "/../",
    "/%2e%2e/secret.txt", "/%2E%2E/secret.txt", "/.%2e/secret.txt", "/%2e./secret.txt", "/..%2fsecret.txt",
    "/..%2Fsecret.txt", "/%2e%2e%2fsecret.txt", "/folder/..%2f..%2fsecret.txt", "/..%5csecret.txt", "/..\\secret.txt",
    "/%5c..%5csecret.txt", "/folder\\..\\..\\secret.txt", "/%252e%252e/secret.txt", "/%252e%252e%252fsecret.txt",
    "/..%252fsecret.txt", "/..%c0%afsecret.txt", "/%c0%ae%c0%ae/secret.txt", "/..%e0%80%afsecret.txt",
    "/%uff0e%uff0e/secret.txt", "/..;/secret.txt", "/....//secret.txt", "/.../secret.txt", "//secret.txt",
    "//../secret.txt", "///etc/passwd", "//etc/passwd", "/%2fetc/passwd", "/hello.txt/../../secret.txt",
    "/hello.txt%00.html", "/%00", "/../secret.txt%00.txt", "/secret.txt", "/link.txt", "/linked/secret.txt",
    "/.hidden", "/%2ehidden", "/.git/config", "/database.json", "/DATABASE.JSON", "/./database.json",
    "/folder/%2e%2e/database.json", "/.database.json.lock", "/.database.json.history", "/hard.json",
    "http://localhost/../secret.txt", "/hello.txt/", "/folder/..", "/%2e%2e", "/file:///etc/passwd", "/C:/secret.txt",
]
