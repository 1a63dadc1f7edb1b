"""Sends bytes as they are and reads what comes back."""

import re
import socket


def exchange(port, data, timeout=5):
    """Sends bytes, ends its side, and returns all that the server sends until it closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        received = b""
        try:
            while chunk := connection.recv(1 << 16):
                received += chunk
        except OSError:
            pass
        return received


def answers(received, heads=()):
    """Takes answers apart: a list of status, header text and body. The ones numbered in `heads` have no body."""
    result = []
    while match := re.match(rb"HTTP/1\.1 (\d{3})[^\r\n]*\r\n", received):
        head, _, rest = received.partition(b"\r\n\r\n")
        status = int(match.group(1))
        length = re.search(rb"(?im)^content-length: *(\d+)", head)
        has_body = len(result) not in heads and status >= 200 and status not in (204, 304)
        if has_body and re.search(rb"(?im)^transfer-encoding: *chunked", head):
            body = b""
            while rest:
                size, _, rest = rest.partition(b"\r\n")
                count = int(size, 16)
                body, rest = body + rest[:count], rest[count + 2:]
                if count == 0:
                    break
        else:
            count = int(length.group(1)) if length and has_body else 0
            body, rest = rest[:count], rest[count:]
        result.append((status, head.decode("latin-1"), body))
        received = rest
    return result, received
