"""A server of the program under test, with data of its own, that can be stopped and started again."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def data():
    """A small blog, a wide and a messy collection."""
    names = ["Ada Lovelace", "Grace Hopper", "Chris Lattner"]
    return {
        "posts": [
            {"id": n, "title": f"Post {n}", "views": "many" if n % 9 == 0 else n * 17, "published": n % 2 == 0, "date": "2024-03-05",
             "userId": n % 3 + 1, "url": f"https://example.org/posts/{n}", "tags": ["swift"]}
            for n in range(1, 46)
        ],
        "comments": [{"id": n, "body": f"Comment {n}", "postId": (n - 1) // 2 + 1} for n in range(1, 61)],
        "users": [{"id": n, "name": name} for n, name in enumerate(names, 1)],
        "wide": [{"id": n, **{f"column {c}": f"value {n} {c}" for c in range(30)}} for n in range(1, 4)],
        "messy": [{"id": 1, "v": 1.0, "x": None}, {"id": 2, "v": "<b>two</b>", "y": {"deep": [1, {"z": None}]}}, {"id": "3a", "v": True}],
        "files": [{"id": 1, "name": "small"}],
        "profile": {"theme": "dark", "size": 20},
    }


class Server:
    """Use it in a `with` statement: leaving it ends the process and removes its data."""

    def __init__(self, program, value, options=()):
        self.program = program
        self.options = options
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="page-check-"))
        self.file = self.directory / "database.json"
        self.file.write_text(json.dumps(value, indent=2))
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "--watch", "--port", str(self.port), *self.options, str(self.file)],
            cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + 30
        while True:
            try:
                self.request("GET", "/__admin/health")
                return
            except (urllib.error.URLError, ConnectionError):
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.process.kill()
                    raise SystemExit(f"{self.program} does not start.")
                time.sleep(0.05)

    def stop(self):
        self.resume()
        self.process.terminate()
        self.process.wait(30)

    def stall(self):
        """Lets it answer nothing until `resume()`."""
        os.killpg(self.process.pid, signal.SIGSTOP)
        # It goes on for a moment.
        os.waitpid(self.process.pid, os.WUNTRACED)

    def resume(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGCONT)

    def request(self, method, path, value=None):
        """Sends a request as another client does."""
        body = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(self.url + path, data=body, method=method, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def compressed_size(self, path):
        """How many bytes a response's body has on its way to a client that takes gzip."""
        request = urllib.request.Request(self.url + path, headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return len(response.read())

    def status(self, path):
        try:
            self.request("GET", path)
            return 200
        except urllib.error.HTTPError as error:
            return error.code
