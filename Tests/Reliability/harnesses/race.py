"""An editor saves while clients write.

An editor reads the file, adds its mark and saves by rename, exchange or in place. Afterwards each mark must be in the
file, in the history or in a conflict file, and so must each acknowledged record. The editor gives its mark the next id,
which the server may have given to another record meanwhile.
"""

import json
import os
import random
import threading
import time

from support.harness import main
from support.server import Dropped, Server


class Writer(threading.Thread):
    def __init__(self, server, number, stop):
        super().__init__(daemon=True)
        self.connection = server.connect(30)
        self.number = number
        self.stop = stop
        self.acknowledged = []
        self.refused = 0
        self.problem = None

    def run(self):
        serial = 0
        try:
            while not self.stop.is_set():
                serial += 1
                key = f"w{self.number}-{serial}"
                answer = self.connection.request("POST", "/items", {"key": key})
                if answer.status == 201:
                    self.acknowledged.append(key)
                elif answer.status == 503:
                    self.refused += 1
                else:
                    self.problem = f"POST was answered {answer.status}: {answer.body[:200]}"
        except (Dropped, OSError) as error:
            self.problem = f"the connection broke: {error!r}"


def save(path, text, style):
    if style == "in place":
        with open(path, "w") as file:
            file.write(text)
        return
    temporary = os.path.join(os.path.dirname(path), "editor.tmp")
    with open(temporary, "w") as file:
        file.write(text)
    os.rename(temporary, path)


def versions(path):
    """The texts of the file and of everything that is kept beside it."""
    directory, name = os.path.split(path)
    places = [path]
    for other in os.listdir(directory):
        full = os.path.join(directory, other)
        if other.startswith(f".{name}.") and os.path.isfile(full):
            places.append(full)
        elif other == f".{name}.history":
            places += [os.path.join(full, entry) for entry in os.listdir(full)]
    texts = []
    for place in places:
        try:
            with open(place) as file:
                texts.append(file.read())
        except OSError:
            pass
    return texts


class Archive(threading.Thread):
    """Remembers everything that is kept beside the file: the history holds only the newest versions."""

    def __init__(self, path, stop):
        super().__init__(daemon=True)
        self.path = path
        self.stop = stop
        self.keys = set()
        self.seen = set()
        self.lock = threading.Lock()

    def run(self):
        while not self.stop.is_set():
            self.look()
            time.sleep(0.005)

    def look(self):
        directory, name = os.path.split(self.path)
        history = os.path.join(directory, f".{name}.history")
        places = [self.path]
        try:
            places += [os.path.join(history, entry) for entry in os.listdir(history)]
        except OSError:
            pass
        places += [os.path.join(directory, entry) for entry in os.listdir(directory) if ".conflict-" in entry]
        for place in places:
            try:
                status = os.stat(place)
                key = (place, status.st_ino, status.st_mtime_ns, status.st_size)
                if key in self.seen:
                    continue
                with open(place) as file:
                    records = json.load(file)["items"]
            except (OSError, ValueError):
                continue
            self.seen.add(key)
            with self.lock:
                self.keys.update(record["key"] for record in records)


def measure_style(harness, style, saves):
    path = os.path.join(harness.subdirectory(style.replace(" ", "-")), "database.json")
    with open(path, "w") as file:
        file.write('{"items": []}')
    generator = random.Random(harness.options.seed)
    stop, done = threading.Event(), threading.Event()
    kept = {}
    marks = []
    with Server(harness.binary, path, "--watch", "--quiet", "--sync", "fast") as server:
        archive = Archive(path, done)
        archive.start()
        writers = [Writer(server, number, stop) for number in range(4)]
        for writer in writers:
            writer.start()
        for number in range(saves):
            time.sleep(generator.uniform(0, 0.02))
            try:
                with open(path) as file:
                    records = json.load(file)["items"]
            except ValueError:
                harness.fail(f"{style}: the editor read a torn file")
                continue
            # The file must not grow without end, and an editor may well remove records.
            mark = f"edit-{number}"
            new = {"id": max((record["id"] for record in records), default=0) + 1, "key": mark}
            text = json.dumps({"items": records[-50:] + [new]})
            if generator.random() < 0.5:
                time.sleep(generator.uniform(0, 0.01))
            save(path, text, style)
            marks.append(mark)
            if number % 20 == 19:
                # Late bytes are looked for 500 ms after a replacement.
                time.sleep(0.05)
        stop.set()
        for writer in writers:
            writer.join(30)
            harness.check(writer.problem is None, f"{style}: {writer.problem}")
        time.sleep(1.2)
        server.stop()
        done.set()
        archive.join()
        archive.look()
    acknowledged = [key for writer in writers for key in writer.acknowledged]
    refused = sum(writer.refused for writer in writers)
    lost_marks = [mark for mark in marks if mark not in archive.keys]
    lost_writes = [key for key in acknowledged if key not in archive.keys]
    return {
        "style": style, "saves": len(marks), "acknowledged": len(acknowledged), "refused": refused,
        "lost_marks": lost_marks, "lost_writes": lost_writes}


def measure(harness):
    saves = harness.options.saves or (4000 if harness.options.thorough else 400)
    figures = []
    for style in ("rename", "in place"):
        result = measure_style(harness, style, saves // 2)
        harness.check(
            not result["lost_marks"], f"{style}: {len(result['lost_marks'])} editor saves lost: {result['lost_marks'][:5]}")
        harness.check(
            not result["lost_writes"],
            f"{style}: {len(result['lost_writes'])} acknowledged writes lost: {result['lost_writes'][:5]}")
        figures.append(
            f"{style}: {len(result['lost_marks'])} of {result['saves']} saves and {len(result['lost_writes'])} of "
            f"{result['acknowledged']} acknowledged writes lost, {result['refused']} refused")
    harness.figure = "; ".join(figures)


main(measure, lambda parser: parser.add_argument("--saves", type=int))
