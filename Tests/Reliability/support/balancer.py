"""Starts haproxy and nginx from the files that operators get, in front of servers of one's own."""

import csv
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from support.harness import Skip
from support.postgresql import free_port
from support.server import Connection

FILES = pathlib.Path(__file__).resolve().parents[3] / "Packaging/PostgreSQL"
NAMES = ["one", "two", "three"]

# What haproxy.cfg sends again, and what of it changes nothing: only this keeps histories linearizable, since what is
# carried out twice takes effect twice.
REPEATED = "GET HEAD OPTIONS PUT DELETE"
SAFE = "GET HEAD OPTIONS"


def program(name):
    """A balancer's executable; Debian keeps them out of the PATH of ordinary users."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if not path:
        raise Skip(f"{name} is not installed (apt-get install {name})")
    return path


class Balancer:
    """A balancer in front of three servers, with a scratch directory."""

    # Whether a server that starts again has to have the port of before.
    has_fixed_ports = False

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="balancer-")
        self.log_path = os.path.join(self.directory, "log")
        self.port = None
        self.process = None

    def start(self, *command, **arguments):
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, **arguments)
        end = time.monotonic() + 10
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with self.connect(5) as connection:
                    if connection.request("GET", "/__admin/health").status == 200:
                        return
            except OSError:
                pass
            time.sleep(0.02)
        log = self.log
        self.close()
        raise RuntimeError(f"{command[0]} does not start: {log}")

    def connect(self, timeout=60):
        return Connection(self.port, timeout)

    @property
    def log(self):
        with open(self.log_path, errors="replace") as file:
            return file.read()

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class HAProxy(Balancer):
    """haproxy, which learns where servers are after they were started again."""

    def __init__(self, ports, repeated=REPEATED):
        path = program("haproxy")
        super().__init__()
        text = (FILES / "haproxy.cfg").read_text()
        assert REPEATED in text, "haproxy.cfg does not say what is sent again"
        file = os.path.join(self.directory, "haproxy.cfg")
        with open(file, "w") as copy:
            copy.write(text.replace(REPEATED, repeated))
        self.stats = os.path.join(self.directory, "stats")
        addresses = {f"SERVER_{number}": f"127.0.0.1:{port}" for number, port in enumerate(ports, 1)}
        # It takes the socket over, so that nobody else gets its port.
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
            self.start(
                path, "-f", file, env=dict(os.environ, BIND=f"fd@{listener.fileno()}", STATS=self.stats, **addresses),
                pass_fds=[listener.fileno()])

    def command(self, text):
        """What haproxy says to a command of its management interface."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(self.stats)
            connection.sendall(text.encode() + b"\n")
            answer = b""
            while data := connection.recv(1 << 16):
                answer += data
        return answer.decode().strip()

    def move(self, index, port):
        """Sends requests to a server at another port; says whether that is there."""
        name = f"json/{NAMES[index]}"
        self.command(f"set server {name} addr 127.0.0.1 port {port}")
        self.command(f"set server {name} state ready")
        return self.wait(index, lambda row: row["status"].startswith("UP"))

    def drain(self, index):
        """Sends no more requests to a server; says whether those that it has come to an end."""
        self.command(f"set server json/{NAMES[index]} state drain")
        return self.wait(index, lambda row: row["scur"] == "0")

    def wait(self, index, condition):
        end = time.monotonic() + 10
        while time.monotonic() < end:
            rows = csv.DictReader(self.command("show stat").lstrip("# ").splitlines())
            if any(row["svname"] == NAMES[index] and condition(row) for row in rows):
                return True
            time.sleep(0.02)
        return False


class NGINX(Balancer):
    """nginx, which finds out by requests which servers are there."""

    has_fixed_ports = True

    def __init__(self, ports):
        path = program("nginx")
        super().__init__()
        self.port = free_port()
        text = (FILES / "nginx.conf").read_text()
        for number, port in enumerate(ports, 1):
            assert f"127.0.0.1:300{number}" in text, f"nginx.conf does not name server {number}"
            text = text.replace(f"127.0.0.1:300{number}", f"127.0.0.1:{port}")
        assert "127.0.0.1:3000;" in text, "nginx.conf does not name its address"
        file = os.path.join(self.directory, "nginx.conf")
        with open(file, "w") as copy:
            copy.write(text.replace("127.0.0.1:3000;", f"127.0.0.1:{self.port};"))
        self.start(path, "-p", self.directory, "-c", file, "-e", "stderr", "-g", "daemon off;")

    def move(self, index, port):
        return True
