"""Starts a server that is measured, and tells what it costs."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
# How long a server may take to fill its database and to respond.
LONGEST_START = 900
# How long a server may take to finish what its clients no longer wait for.
LONGEST_REST = 120


class Server:
    """A running server and what it has cost."""

    def __init__(self, command, database):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        arguments = shlex.split(
            command.format(db=shlex.quote(database.path), postgres=shlex.quote(database.url or ""), port=self.port))
        started = time.monotonic()
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        self.start_time = self.wait_for_response() - started

    def wait_for_response(self):
        deadline = time.monotonic() + LONGEST_START
        while time.monotonic() < deadline:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=30) as client:
                    client.sendall(b"GET /posts/1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    if client.recv(12).startswith(b"HTTP/1.1 200"):
                        return time.monotonic()
            except OSError:
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.0005)
        self.stop()
        sys.exit(f"load.py: no answer from {self.process.args}")

    def pids(self):
        """The process and all below it: a server may have been started by a script."""
        parents = {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                pass
        found = [self.process.pid]
        for pid in found:
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def cpu_seconds(self):
        total = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def wait_until_idle(self):
        deadline = time.monotonic() + LONGEST_REST
        last = -1.0
        while (used := self.cpu_seconds()) - last > 0.02 and time.monotonic() < deadline:
            last = used
            time.sleep(0.25)

    def resident_bytes(self):
        total = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/statm") as file:
                total += int(file.read().split()[1]) * PAGE
        return total

    def stop(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(10)
        except ProcessLookupError:
            pass
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
