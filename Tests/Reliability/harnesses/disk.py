"""Takes the server's space, write permission, file size and descriptors away, and gives them back.

While they are gone, a refused write must be in neither memory nor file; once they are back, the next write must work.
"""

import json
import os
import resource
import subprocess
import time

from support.harness import Skip, main
from support.mount import Mount, fill
from support.server import Dropped, Server, side_files


def prepare(directory, size=1000):
    path = os.path.join(directory, "database.json")
    with open(path, "w") as file:
        json.dump({"items": [{"id": "first", "text": "x" * size}]}, file)
    return path


def records(path):
    with open(path) as file:
        return {record["id"] for record in json.load(file)["items"]}


def refused(harness, server, path, name, statuses, text="y"):
    """Posts what must be refused."""
    before = open(path, "rb").read()
    answer = server.request("POST", "/items", {"id": "refused", "text": text})
    harness.check(answer.status in statuses, f"{name}: answered {answer.status} {answer.body[:200]}")
    harness.check(server.request("GET", "/items/refused").status == 404, f"{name}: a refused record is in memory")
    harness.check(server.request("GET", "/items/first").status == 200, f"{name}: reading stopped")
    harness.check(open(path, "rb").read() == before, f"{name}: a refused write changed the file")
    harness.check(not side_files(path), f"{name}: left {side_files(path)}")


def accepted(harness, server, path, name):
    answer = server.request("POST", "/items", {"id": "after"})
    harness.check(answer.status == 201, f"{name}: the next write was answered {answer.status} {answer.body[:200]}")
    harness.check("after" in records(path), f"{name}: the next write is not in the file")
    harness.check("refused" not in records(path), f"{name}: a refused record came back")


def full_disk(harness):
    with Mount(harness.subdirectory("full"), "512k") as directory:
        path = prepare(directory, 100_000)
        with Server(harness.binary, path, "--quiet") as server:
            filler = fill(directory)
            for _ in range(3):
                refused(harness, server, path, "full disk", {507})
            os.unlink(filler)
            accepted(harness, server, path, "full disk")


def full_disk_in_place(harness):
    """A mounted file is written in place, where space may end in the middle."""
    directory = harness.subdirectory("full-in-place")
    target = prepare(harness.subdirectory("full-target"))
    mount = Mount(directory, "512k")
    with mount:
        source = prepare(directory, 200_000)
        filler = os.path.join(directory, "filler")
        subprocess.run(["mount", "--bind", source, target], check=True)
        try:
            with Server(harness.binary, target, "--quiet") as server:
                with open(filler, "wb", buffering=0) as file:
                    try:
                        while True:
                            file.write(b"f" * 4096)
                    except OSError:
                        pass
                refused(harness, server, target, "full disk in place", {507}, "y" * 20_000)
                os.unlink(filler)
                accepted(harness, server, target, "full disk in place")
        finally:
            subprocess.run(["umount", target])


def read_only_mount(harness):
    mount = Mount(harness.subdirectory("read-only"), "4m")
    with mount as directory:
        path = prepare(directory)
        mount.remount("ro")
        server = Server(harness.binary, path, "--quiet")
        with server:
            refused(harness, server, path, "read-only mount", {503})
            mount.remount("rw")
            accepted(harness, server, path, "read-only mount")


def read_only_file(harness):
    path = prepare(harness.subdirectory("read-only-file"))
    with Server(harness.binary, path, "--quiet") as server:
        os.chmod(path, 0o444)
        refused(harness, server, path, "read-only file", {503})
        os.chmod(path, 0o644)
        accepted(harness, server, path, "read-only file")


def file_size_limit(harness):
    path = prepare(harness.subdirectory("file-size"))
    limits = [(resource.RLIMIT_FSIZE, (64 << 10, 64 << 10))]
    with Server(harness.binary, path, "--quiet", limits=limits) as server:
        refused(harness, server, path, "file-size limit", {503, 507}, "y" * 100_000)
        accepted(harness, server, path, "file-size limit")


def descriptors(harness):
    path = prepare(harness.subdirectory("descriptors"))
    limits = [(resource.RLIMIT_NOFILE, (160, 160))]
    with Server(harness.binary, path, "--quiet", limits=limits) as server:
        first = server.connect()
        connections = []
        for _ in range(400):
            try:
                connections.append(server.connect(1))
            except OSError:
                break
        time.sleep(0.3)
        try:
            answer = first.request("POST", "/items", {"id": "crowded"})
            if answer.status == 201:
                harness.check("crowded" in records(path), "descriptors: an acknowledged write is not in the file")
            else:
                harness.check(answer.status == 503, f"descriptors: answered {answer.status}")
                harness.check("crowded" not in records(path), "descriptors: a refused write is in the file")
        except (Dropped, OSError) as error:
            harness.fail(f"descriptors: {error!r}")
        for connection in connections:
            connection.close()
        time.sleep(0.3)
        accepted(harness, server, path, "descriptors")


CASES = [
    ("full disk", full_disk), ("full disk in place", full_disk_in_place), ("read-only mount", read_only_mount),
    ("read-only file", read_only_file), ("file-size limit", file_size_limit), ("descriptors", descriptors)]


def measure(harness):
    done = 0
    skipped = []
    for name, case in CASES:
        failures = len(harness.failures)
        try:
            case(harness)
        except Skip:
            skipped.append(name)
            continue
        done += len(harness.failures) == failures
    harness.figure = f"{done} of {len(CASES)} as promised"
    if skipped:
        harness.figure += f"; not here: {', '.join(skipped)}"


main(measure)
