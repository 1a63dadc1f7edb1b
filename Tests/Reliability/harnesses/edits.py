"""Edits the file in the 24 ways that editors and tools do, each twice in a row.

Each edit must be served within 500 ms, over one connection that never drops; what is not an edit must change nothing. And a
server that stops before it has noticed an edit keeps a copy of what was written before.
"""

import glob
import json
import os
import shutil
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from support import editing
from support.editing import beside, command, put
from support.harness import main
from support.server import Connection, Dropped, Server

LIMIT = 0.5


def document(marker, padding=""):
    return json.dumps({"items": [{"id": 1, "marker": marker, "padding": padding}]}) + "\n"


class Place:
    """Where one style works: the path the server was given, and the file to edit."""

    def __init__(self, directory, has_mounts):
        self.directory = directory
        self.path = os.path.join(directory, "data", "database.json")
        self.has_mounts = has_mounts
        self.problem = None
        os.makedirs(os.path.dirname(self.path))
        put(self.path, document("start"))

    def prepare(self):
        pass

    def clean(self):
        pass


def at_path(edit):
    return lambda place, text, server: edit(place.path, text)


def sed(place, text, server):
    command("sed", "-i", f"s/.*/{text.strip()}/", place.path)


def vim(backup):
    def edit(place, text, server):
        source = beside(os.path.join(place.directory, "text"), text)
        command(
            "vim", "-u", "NONE", "-i", "NONE", "-N", "-n", "-es", "-c", f"set backup backupcopy={backup}",
            "-c", f"call setline(1, readfile('{source}'))", "-c", "wq", place.path)
    return edit


class Checkout(Place):
    def prepare(self):
        folder = os.path.dirname(self.path)
        git = ["git", "-c", "user.name=n", "-c", "user.email=e@localhost", "-c", "commit.gpgsign=false"]
        command("git", "init", "-q", cwd=folder)
        for name, text in (("one", document("checkout 0")), ("two", document("checkout 1"))):
            put(self.path, text)
            command("git", "checkout", "-q", "-b", name, cwd=folder)
            command("git", "add", "database.json", cwd=folder)
            command(*git, "commit", "-q", "-m", name, cwd=folder)
        command("git", "checkout", "-q", "two", cwd=folder)
        self.names = ["one", "two"]

    def edit(self, text, server):
        command("git", "checkout", "-q", self.names.pop(0), cwd=os.path.dirname(self.path))


def checkout(place, text, server):
    place.edit(text, server)


def drawn_out(place, text, server):
    size = len(text) // 10 + 1
    with open(place.path, "w") as file:
        for start in range(0, len(text), size):
            file.write(text[start:start + size])
            file.flush()
            time.sleep(0.2)


def synchronize(place, text, server):
    command("rsync", "--checksum", beside(os.path.join(place.directory, "source"), text), place.path)


class Link(Place):
    """The server is given a symbolic link."""

    def prepare(self):
        self.target = os.path.join(self.directory, "elsewhere", "real.json")
        os.makedirs(os.path.dirname(self.target))
        os.rename(self.path, self.target)
        os.symlink(self.target, self.path)
        self.count = 0


def target_replaced(place, text, server):
    os.rename(beside(place.target, text), place.target)


def retargeted(place, text, server):
    place.count += 1
    other = f"{place.target}.{place.count}"
    put(other, text)
    os.symlink(other, place.path + ".link")
    os.rename(place.path + ".link", place.path)


class Padded(Place):
    def prepare(self):
        put(self.path, document("start", "p" * 40))


class Bind(Place):
    """Something is mounted on the file."""

    def prepare(self):
        self.count = 0
        self.mount(document("start"))

    def mount(self, text):
        self.count += 1
        source = os.path.join(self.directory, f"source-{self.count}.json")
        put(source, text)
        command("mount", "--bind", source, self.path)

    def clean(self):
        while subprocess.run(["umount", self.path], stderr=subprocess.DEVNULL).returncode == 0:
            pass


def mount_replaced(place, text, server):
    # The server keeps the file open, and so locked.
    command("umount", "--lazy", place.path)
    place.mount(text)


def invalid_then_fixed(place, text, server):
    put(place.path, text[:-5])
    time.sleep(0.3)
    put(place.path, text)


def during_posts(place, text, server):
    stop = threading.Event()

    def post():
        try:
            with server.connect() as connection:
                number = 0
                while not stop.is_set():
                    number += 1
                    connection.request("POST", "/items", {"number": number})
        except (Dropped, OSError):
            place.problem = "a writing connection was dropped"

    threads = [threading.Thread(target=post) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    os.rename(beside(place.path, text), place.path)
    time.sleep(0.1)
    stop.set()
    for thread in threads:
        thread.join()


def two_at_once(place, text, server):
    editing.two_at_once(place.path, text, first=document("too early"))


def touch(place, text, server):
    os.utime(place.path)


def change_mode(place, text, server):
    os.chmod(place.path, 0o640 if os.stat(place.path).st_mode & 0o777 == 0o600 else 0o600)


def delete(place, text, server):
    if os.path.exists(place.path):
        os.unlink(place.path)


# Name, edit, where it works, whether the content changes.
STYLES = [
    ("truncate and write", at_path(editing.truncate), Place, True),
    ("sed -i", sed, Place, True),
    ("vim backupcopy=auto", vim("auto"), Place, True),
    ("vim backupcopy=no", vim("no"), Place, True),
    ("mv over", at_path(editing.move_over), Place, True),
    ("git checkout", checkout, Checkout, True),
    ("delete, recreate", at_path(editing.delete_recreate), Place, True),
    ("delete for good", delete, Place, False),
    ("write in two parts", at_path(editing.two_parts), Place, True),
    ("write over 2 s", drawn_out, Place, True),
    ("touch", touch, Place, False),
    ("chmod", change_mode, Place, False),
    ("exchange", at_path(editing.exchange), Place, True),
    ("mmap", at_path(editing.mapped), Place, True),
    ("cp over", at_path(editing.copy_over), Place, True),
    ("rsync", synchronize, Place, True),
    ("directory away and back", at_path(editing.directory_away), Place, True),
    ("symlink target replaced", target_replaced, Link, True),
    ("symlink retargeted", retargeted, Link, True),
    ("same size and mtime", at_path(editing.same_size), Padded, True),
    ("bind mount replaced", mount_replaced, Bind, True),
    ("invalid, then fixed", invalid_then_fixed, Place, True),
    ("edit during POSTs", during_posts, Place, True),
    ("two edits at once", two_at_once, Place, True),
]


# Edits that a server which does not watch the file has not noticed when it stops.
LAST_EDITS = [
    ("moved over", lambda path: editing.move_over(path, document("edited"))), ("invalid", lambda path: put(path, "{")),
    ("gone", os.unlink)]


def stop_after(harness, name, edit):
    """Writes a record, edits the file, and stops the server: the history holds the record, and the edit stays."""
    path = os.path.join(harness.subdirectory(f"stop-{name.replace(' ', '-')}"), "database.json")
    put(path, document("start"))
    with Server(harness.binary, path, "--quiet") as server:
        status = server.request("POST", "/items", {"marker": "written"}).status
        harness.check(status == 201, f"before a stop: {name}: the write is answered {status}")
        edit(path)
        edited = os.path.exists(path) and open(path).read()
    harness.check((os.path.exists(path) and open(path).read()) == edited, f"before a stop: {name}: the edit is gone")
    copies = glob.glob(os.path.join(os.path.dirname(path), ".database.json.history", "*.json"))
    return harness.check(
        any('"written"' in open(copy).read() for copy in copies),
        f"before a stop: {name}: the record that was written before is in none of {len(copies)} copies")


class Reader(threading.Thread):
    """Reads the record again and again over one connection, and remembers what it saw when."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.connection = Connection(port)
        self.seen = []
        self.problem = None
        self.is_done = False

    def run(self):
        while not self.is_done:
            try:
                answer = self.connection.request("GET", "/items/1")
            except (Dropped, OSError) as error:
                self.problem = f"the connection broke: {error!r}"
                return
            if answer.status != 200:
                self.problem = f"GET /items/1 was answered {answer.status}"
                return
            marker = answer.json["marker"]
            if not self.seen or self.seen[-1][1] != marker:
                self.seen.append((time.monotonic(), marker))
            time.sleep(0.003)

    def first(self, marker):
        return next((moment for moment, seen in self.seen if seen == marker), None)


def measure_style(harness, name, edit, kind, changes):
    place = kind(harness.subdirectory(name.replace(" ", "-").replace("/", "-")), os.geteuid() == 0)
    delays = []
    try:
        place.prepare()
        with Server(harness.binary, place.path, "--watch", "--quiet") as server:
            reader = Reader(server.port)
            reader.start()
            time.sleep(0.1)
            for round in range(2):
                marker = f"{name.split(' ')[0] if kind is not Checkout else 'checkout'} {round}".replace("/", "")
                edit(place, document(marker), server)
                end = time.monotonic()
                # A machine that does not wake this thread for a while does not run the server, either.
                stalled = 0
                while time.monotonic() < end + (3 if changes else 0.7) and reader.is_alive():
                    if changes and reader.first(marker):
                        break
                    asleep = time.monotonic()
                    time.sleep(0.005)
                    pause = time.monotonic() - asleep
                    stalled += pause if pause > 0.03 else 0
                moment = reader.first(marker)
                if changes:
                    delay = None if moment is None else max(moment - end, 0)
                    shown = "never" if delay is None else f"{delay * 1000:.0f} ms"
                    if harness.check(delay is not None and delay <= LIMIT + stalled, f"{name}, time {round + 1}: seen {shown}"):
                        delays.append(delay)
                else:
                    harness.check(len(reader.seen) == 1, f"{name}: served {reader.seen[1:]} though nothing was edited")
                    delays.append(0)
                problem = reader.problem or place.problem
                harness.check(problem is None, f"{name}: {problem}")
            reader.is_done = True
            reader.join()
            markers = {marker for _, marker in reader.seen}
            harness.check("too early" not in markers or name == "two edits at once", f"{name}: {markers}")
            answer = server.request("POST", "/items", {"after": name})
            harness.check(answer.status == 201, f"{name}: the write after it was answered {answer.status}")
            if answer.status == 201:
                harness.check(
                    any(record.get("after") == name for record in json.load(open(place.path))["items"]),
                    f"{name}: the write after it is not in the file")
    finally:
        place.clean()
    harness.note(f"{name:<26} {', '.join(f'{delay * 1000:.0f} ms' for delay in delays)}")
    return delays


def measure(harness):
    delays = []
    chosen = []
    skipped = []
    for name, edit, kind, changes in STYLES:
        if harness.options.style and harness.options.style not in name:
            continue
        needed = {"vim": "vim", "rsync": "rsync", "git": "git"}.get(name.split(" ")[0])
        if (needed and not shutil.which(needed)) or (kind is Bind and os.geteuid() != 0):
            skipped.append(name)
            continue
        chosen.append((name, edit, kind, changes))
    last = [edit for edit in LAST_EDITS if (harness.options.style or "") in f"before a stop: {edit[0]}"]
    kept = sum(stop_after(harness, *edit) for edit in last)
    # They wait more than they work.
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda style: measure_style(harness, *style), chosen):
            delays += found
    slowest = f"{max(delays) * 1000:.0f} ms" if delays else "none"
    harness.figure = f"{len(delays)} of {2 * len(STYLES)} edits in time, slowest {slowest}"
    harness.figure += f"; {kept} of {len(last)} kept at a stop"
    if skipped:
        harness.figure += f"; not here: {', '.join(skipped)}"


main(measure, lambda parser: parser.add_argument("--style", help="only the styles that contain this"))
