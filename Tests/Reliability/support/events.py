"""Reads server-sent events."""

import json
import re
import socket
import time

from support.server import Connection

EVENT = re.compile(rb"id: ([^\n]*)\nevent: ([^\n]*)\ndata: ([^\n]*)\n\n")


class Events:
    """A reader of a server's events; `last` is the last id from the server, in any form."""

    def __init__(self, port, last=None, types="change", receive_buffer=None):
        # A reader that does not read must not have the kernel read for it.
        self.connection = Connection(port, receive_buffer=receive_buffer)
        self.last = last
        fields = "" if last is None else f"Last-Event-ID: {last}\r\n"
        self.connection.socket.sendall(
            f"GET /__admin/events?types={types} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode())

    def close(self):
        self.connection.close()

    def read(self, seconds, until=lambda events: False):
        """Returns the events that come within a time, or until some of them are enough: pairs of type and data."""
        found = []
        end = time.monotonic() + seconds
        while not until(found) and (left := end - time.monotonic()) > 0:
            self.connection.socket.settimeout(left)
            try:
                data = self.connection.socket.recv(1 << 16)
            except (socket.timeout, OSError):
                break
            if not data:
                break
            self.connection.buffer += data
            last_end = 0
            for match in EVENT.finditer(self.connection.buffer):
                self.last = match.group(1).decode()
                found.append((match.group(2).decode(), json.loads(match.group(3))))
                last_end = match.end()
            self.connection.buffer = self.connection.buffer[last_end:]
        return found
