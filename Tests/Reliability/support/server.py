"""Starts the binary under test in a directory of its own and talks to it."""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time


class Answer:
    """One HTTP response."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


class Dropped(Exception):
    """The peer closed the connection where an answer was due."""


class Connection:
    """A keep-alive connection that sends one request at a time and never reconnects by itself."""

    def __init__(self, port, timeout=10, host="127.0.0.1", receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def request(self, method, target, value=None, headers=()):
        body = b"" if value is None else json.dumps(value).encode()
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *headers]
        if value is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        return self.answer(method)

    def answer(self, method="GET"):
        while b"\r\n\r\n" not in self.buffer:
            self._receive()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if 100 <= status < 200:
            return self.answer(method)
        if method == "HEAD" or status in (204, 304):
            return Answer(status, headers, b"")
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return Answer(status, headers, self._chunks())
        return Answer(status, headers, self._take(int(headers.get("content-length", "0"))))

    def _receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise Dropped()
        self.buffer += data

    def _take(self, count):
        while len(self.buffer) < count:
            self._receive()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def _chunks(self):
        body = b""
        while True:
            while b"\r\n" not in self.buffer:
                self._receive()
            size, self.buffer = self.buffer.split(b"\r\n", 1)
            count = int(size.split(b";")[0], 16)
            body += self._take(count)
            self._take(2)
            if count == 0:
                return body


class Server:
    """The binary, serving one file."""

    def __init__(self, binary, path, *options, prefix=(), limits=(), host=True, port=0):
        self.path = path
        self.directory = os.path.dirname(path)
        self.scratch = tempfile.mkdtemp(prefix="reliability-server-")
        self.ready = os.path.join(self.scratch, "ready.json")
        self.log_path = os.path.join(self.scratch, "log")
        self.log_file = open(self.log_path, "wb")

        def limit():
            for name, value in limits:
                resource.setrlimit(name, value)

        listening = ["--host", "127.0.0.1"] if host else []
        self.process = subprocess.Popen(
            [*prefix, binary, path, "--port", str(port), "--ready-file", self.ready, *listening, *options],
            cwd=self.scratch, stdin=subprocess.DEVNULL, stdout=self.log_file, stderr=subprocess.STDOUT,
            preexec_fn=limit if limits else None)
        self.port = None
        self.pid = None

    def wait(self, seconds=20):
        """Waits until the server listens; says whether it does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                with open(self.ready) as file:
                    state = json.load(file)
                self.port, self.pid = state["port"], state["pid"]
                return True
            except (OSError, ValueError, KeyError):
                pass
            if self.process.poll() is not None:
                return False
            time.sleep(0.002)
        return False

    def __enter__(self):
        if not self.wait():
            log = self.log
            self.kill()
            raise RuntimeError("The server did not start: " + log[-2000:])
        return self

    def __exit__(self, *_):
        self.stop()

    def connect(self, timeout=10):
        return Connection(self.port, timeout)

    def request(self, method, target, value=None, headers=(), timeout=10):
        with self.connect(timeout) as connection:
            return connection.request(method, target, value, headers)

    @property
    def log(self):
        with open(self.log_path, errors="replace") as file:
            return file.read()

    @property
    def resident(self):
        """The resident memory in KiB."""
        with open(f"/proc/{self.pid}/status") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])
        return 0

    @property
    def processor_seconds(self):
        """The processor time that the threads which run have taken: to the nanosecond, where the kernel tells it."""
        nanoseconds = 0
        try:
            for thread in os.listdir(f"/proc/{self.pid}/task"):
                with open(f"/proc/{self.pid}/task/{thread}/schedstat") as file:
                    nanoseconds += int(file.read().split()[0])
            return nanoseconds / 1e9
        except FileNotFoundError:
            # In steps of 10 ms.
            with open(f"/proc/{self.pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def loop_seconds(self):
        """The processor time of the event loops' threads; `None` where the kernel does not tell it."""
        nanoseconds = 0
        try:
            for thread in os.listdir(f"/proc/{self.pid}/task"):
                with open(f"/proc/{self.pid}/task/{thread}/comm") as file:
                    is_loop = file.read().startswith("NIO-")
                if is_loop:
                    with open(f"/proc/{self.pid}/task/{thread}/schedstat") as file:
                        nanoseconds += int(file.read().split()[0])
        except FileNotFoundError:
            return None
        return nanoseconds / 1e9

    def kill(self):
        """Kills the server as kill -9 does."""
        if self.pid and self.pid != self.process.pid:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            self.process.kill()
        except ProcessLookupError:
            pass
        self.process.wait()
        self._clean()

    def stop(self):
        """Asks the server to stop, and kills it when it does not within ten seconds."""
        if self.process.poll() is None:
            try:
                os.kill(self.pid or self.process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._clean()

    def _clean(self):
        self.log_file.close()
        if os.path.isdir(self.scratch) and not os.environ.get("RELIABILITY_KEEP"):
            self.last_log = self.log if os.path.exists(self.log_path) else ""
            shutil.rmtree(self.scratch, ignore_errors=True)


def side_files(path):
    """The names that the server left beside a file, but for its lock and its history."""
    directory, name = os.path.split(path)
    return sorted(
        other for other in os.listdir(directory)
        if other.startswith(f".{name}.") and (other.endswith(".tmp") or other.endswith(".recovery")))
