"""Cuts the power of a file system in a loop-mounted image, under load.

The file system is shut down without writing its log (FS_IOC_SHUTDOWN): what was not flushed is gone, as after a power cut.
It is mounted again, which replays its log, and the file is compared with what was acknowledged.
"""

import fcntl
import os
import random
import shutil
import struct
import subprocess
import threading
import time

from support.harness import Skip, main
from support.load import Client, compare
from support.server import Server, side_files

SHUTDOWN = 0x8004587D
WITHOUT_LOG = 2


class Image:
    def __init__(self, harness, kind):
        self.path = os.path.join(harness.directory, f"{kind}.image")
        self.directory = harness.subdirectory(kind)
        with open(self.path, "wb") as file:
            file.truncate(320 << 20)
        force = "-F" if kind == "ext4" else "-f"
        subprocess.run([f"mkfs.{kind}", "-q", force, self.path], check=True, stdout=subprocess.DEVNULL)

    def mount(self):
        result = subprocess.run(
            ["mount", "-o", "loop", self.path, self.directory], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if result.returncode != 0:
            raise Skip("loop mounts are not possible here")

    def cut(self):
        directory = os.open(self.directory, os.O_RDONLY)
        try:
            fcntl.ioctl(directory, SHUTDOWN, struct.pack("I", WITHOUT_LOG))
        finally:
            os.close(directory)

    def unmount(self):
        subprocess.run(["umount", self.directory], check=True)


def trial(harness, image, path, expectations, name, generator):
    cut = threading.Event()
    server = Server(harness.binary, path, "--quiet", "--sync", "full")
    try:
        if not server.wait():
            harness.fail(f"{name}: no start: {server.log[-500:]}")
            return 0
        harness.check(not side_files(path), f"{name}: left after the restart: {side_files(path)}")
        clients = [
            Client(index, server.port, expectations[index], generator.random(), cut)
            for index in range(len(expectations))]
        for client in clients:
            client.start()
        time.sleep(generator.uniform(0.05, 0.3))
        # XFS says yes to the fsync of a directory after a shutdown; a machine without power says nothing.
        cut.set()
        image.cut()
        time.sleep(generator.uniform(0, 0.05))
    finally:
        server.kill()
    for client in clients:
        client.join(10)
        harness.check(client.problem is None, f"{name}: {client.problem}")
    image.unmount()
    image.mount()
    compare(harness, path, expectations, name)
    return sum(client.acknowledged for client in clients)


def measure(harness):
    if os.geteuid() != 0:
        raise Skip("mounting needs root")
    trials = harness.options.trials or (100 if harness.options.thorough else 20)
    figures = []
    for kind in ("ext4", "xfs"):
        if not shutil.which(f"mkfs.{kind}"):
            figures.append(f"{kind}: not here")
            continue
        generator = random.Random(f"{harness.options.seed}{kind}")
        image = Image(harness, kind)
        image.mount()
        try:
            path = os.path.join(image.directory, "database.json")
            with open(path, "w") as file:
                file.write('{"items": []}')
                file.flush()
                os.fsync(file.fileno())
            expectations = [{} for _ in range(16)]
            acknowledged = 0
            for number in range(trials):
                acknowledged += trial(harness, image, path, expectations, f"{kind} cut {number}", generator)
                if len(harness.failures) > 20:
                    break
            figures.append(f"{kind}: {trials} cuts, {acknowledged} acknowledged")
        finally:
            subprocess.run(["umount", "-l", image.directory], stderr=subprocess.DEVNULL)
    harness.figure = "; ".join(figures) + f"; {len(harness.failures)} lost or torn"


main(measure, lambda parser: parser.add_argument("--trials", type=int, help="cuts on each file system"))
