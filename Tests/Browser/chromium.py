"""Drives a headless Chromium by the DevTools protocol, with the standard library only."""

import base64
import copy
import json
import os
import pathlib
import secrets
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

COMMANDS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


class WebSocket:
    """A client of RFC 6455 for text messages, as far as the DevTools protocol needs it."""

    def __init__(self, host, port, path):
        self.stream = socket.create_connection((host, port), timeout=60)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        self.stream.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._receive(1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.decode())

    def send(self, text):
        data, mask = text.encode(), secrets.token_bytes(4)
        if len(data) < 126:
            length = bytes([0x80 | len(data)])
        elif len(data) < 65536:
            length = b"\xfe" + struct.pack(">H", len(data))
        else:
            length = b"\xff" + struct.pack(">Q", len(data))
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        self.stream.sendall(b"\x81" + length + mask + masked)

    def receive(self):
        message = b""
        while True:
            first, second = self._receive(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack(">H", self._receive(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", self._receive(8))
            payload = self._receive(length)
            if first & 0x0F <= 1:
                message += payload
                if first & 0x80:
                    return message.decode()

    def _receive(self, count):
        data = b""
        while len(data) < count:
            part = self.stream.recv(count - len(data))
            if not part:
                raise ConnectionError("Chromium closed the connection.")
            data += part
        return data


class Browser:
    """One tab of a fresh Chromium. Use it in a `with` statement: leaving it ends the process and removes its profile."""

    def __init__(self, command=None):
        command = command or os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, COMMANDS)), None)
        if command is None:
            raise SystemExit(f"No Chromium found: install one of {', '.join(COMMANDS)}, or set CHROMIUM.")
        self.profile = tempfile.mkdtemp(prefix="browser-check-")
        self.process = subprocess.Popen(
            [command, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-port=0", f"--user-data-dir={self.profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.problems = []
        self.dialogs = []
        self.number = 0

    def __enter__(self):
        try:
            self.port = self._port()
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json") as response:
                self._attach(next(target for target in json.load(response) if target["type"] == "page"))
            # A window that nobody looks at has no focus of its own.
            self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _attach(self, page):
        self.target = page["id"]
        self.socket = WebSocket("127.0.0.1", self.port, "/" + page["webSocketDebuggerUrl"].split("/", 3)[3])
        for domain in ["Page", "Runtime", "Log", "Accessibility"]:
            self.call(f"{domain}.enable")

    def open_tab(self, url):
        """Another tab, which hides this one until this is brought to the front; the same browser with a connection to that tab."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?{urllib.parse.quote(url, safe='')}", method="PUT")
        tab = copy.copy(self)
        with urllib.request.urlopen(request) as response:
            tab._attach(json.load(response))
        return tab

    def close_tab(self):
        urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json/close/{self.target}").close()

    def _port(self):
        file = pathlib.Path(self.profile, "DevToolsActivePort")
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if file.exists() and file.read_text().strip():
                return int(file.read_text().split()[0])
            if self.process.poll() is not None:
                raise SystemExit(f"Chromium ended with {self.process.returncode}.")
            time.sleep(0.05)
        raise SystemExit("Chromium did not start within 30 s.")

    def call(self, method, **parameters):
        """Sends a command and returns its result. Adds errors in the console to `problems`."""
        self.number += 1
        number = self.number
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.receive())
            if "id" in message and message["id"] != number:
                continue
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._note(message)

    def _note(self, message):
        details = message.get("params", {})
        if message["method"] == "Runtime.exceptionThrown":
            thrown = details["exceptionDetails"]
            self.problems.append(thrown.get("exception", {}).get("description") or thrown["text"])
        elif message["method"] == "Runtime.consoleAPICalled" and details["type"] in ("error", "assert"):
            self.problems.append(" ".join(str(value.get("value", "")) for value in details["args"]))
        elif message["method"] == "Page.javascriptDialogOpening":
            self.dialogs.append(details["type"])
            # Nobody else answers, and the tab waits.
            self.number += 1
            self.socket.send(json.dumps({"id": self.number, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}))
        # That a request failed is for the page to say; checks see whether it does.
        elif message["method"] == "Log.entryAdded" and details["entry"]["level"] == "error" and details["entry"]["source"] != "network":
            self.problems.append(f"{details['entry']['text']} {details['entry'].get('url', '')}")

    def evaluate(self, script):
        """Runs JavaScript and returns its value, awaited."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def wait_for(self, script, what, seconds=10):
        """Waits until JavaScript is truthy."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.evaluate(f"Boolean({script})"):
                return
            time.sleep(0.05)
        raise AssertionError(f"Not within {seconds} s: {what}")

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait_for("document.readyState === 'complete'", f"{url} has loaded", seconds=30)

    def resize(self, width, height, mobile=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def prefer(self, **features):
        """Sets media features, such as prefers_color_scheme="dark"."""
        values = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=values)

    def press(self, key, code=None, virtual=0, text=None, control=False, shift=False):
        common = {"key": key, "code": code or key, "windowsVirtualKeyCode": virtual, "modifiers": 2 * control + 8 * shift}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
