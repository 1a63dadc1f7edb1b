"""Small file systems, for what happens when there is no room."""

import os
import subprocess

from support.harness import Skip


class Mount:
    """A small file system in memory."""

    def __init__(self, directory, size):
        self.directory = directory
        if subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", directory], stderr=subprocess.DEVNULL
        ).returncode != 0:
            raise Skip("mounting needs root")

    def __enter__(self):
        return self.directory

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.directory])

    def remount(self, *options):
        subprocess.run(["mount", "-o", ",".join(["remount", *options]), self.directory], check=True)


def fill(directory):
    """Fills a file system; returns the path of what to remove for room again."""
    filler = os.path.join(directory, "filler")
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"f" * 4096)
        except OSError:
            pass
    return filler
