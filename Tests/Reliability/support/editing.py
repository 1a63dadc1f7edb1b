"""Ways in which editors and tools save a file, given its path and the new text."""

import ctypes
import json
import mmap
import os
import subprocess
import time

libc = ctypes.CDLL(None, use_errno=True)


def put(path, text):
    with open(path, "w") as file:
        file.write(text)


def command(*arguments, cwd=None):
    subprocess.run(arguments, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def beside(path, text):
    put(path + ".new", text)
    return path + ".new"


def truncate(path, text):
    put(path, text)


def move_over(path, text):
    os.rename(beside(path, text), path)


def delete_recreate(path, text):
    os.unlink(path)
    time.sleep(0.1)
    put(path, text)


def two_parts(path, text):
    with open(path, "w") as file:
        file.write(text[:20])
        file.flush()
        time.sleep(0.2)
        file.write(text[20:])


def exchange(path, text):
    other = beside(path, text)
    if libc.renameat2(-100, other.encode(), -100, path.encode(), 2) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")
    os.unlink(other)


def mapped(path, text):
    data = text.encode()
    with open(path, "r+b") as file:
        file.truncate(len(data))
        with mmap.mmap(file.fileno(), len(data)) as memory:
            memory[:] = data
            memory.flush()


def copy_over(path, text):
    command("cp", beside(path, text), path)
    os.unlink(path + ".new")


def directory_away(path, text):
    folder, name = os.path.split(path)
    os.rename(folder, folder + ".away")
    put(os.path.join(folder + ".away", name), text)
    time.sleep(0.1)
    os.rename(folder + ".away", folder)


def same_size(path, text):
    """Keeps size and modification time where the new text is not longer than the old one."""
    status = os.stat(path)
    text = text.rstrip("\n").ljust(status.st_size - 1) + "\n"
    put(path, text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def two_at_once(path, text, first=None):
    put(path, json.dumps(json.loads(text)) + "\n\n" if first is None else first)
    time.sleep(0.01)
    put(path, text)


# The ways that need no program and no privilege, for harnesses that choose among them.
PLAIN = [
    truncate, move_over, delete_recreate, two_parts, exchange, mapped, copy_over, directory_away, same_size, two_at_once]
