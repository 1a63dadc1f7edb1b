"""Writes through the server, and looks whether mode, owner, attributes, ACL, symbolic link and mount are kept."""

import json
import os
import shutil
import subprocess

from support.harness import main
from support.server import Server, side_files


def prepare(harness, name):
    path = os.path.join(harness.subdirectory(name), "database.json")
    with open(path, "w") as file:
        file.write('{"items": []}\n')
    return path


def write(harness, path, name):
    """Writes twice through the server; returns what it printed."""
    with Server(harness.binary, path) as server:
        for number in (1, 2):
            answer = server.request("POST", "/items", {"number": number})
            harness.check(answer.status == 201, f"{name}: POST was answered {answer.status} {answer.body[:200]}")
    with open(path) as file:
        harness.check(len(json.load(file)["items"]) == 2, f"{name}: the writes are not in the file")
    harness.check(not side_files(path), f"{name}: left {side_files(path)}")
    return server.last_log


def mode(harness):
    path = prepare(harness, "mode")
    os.chmod(path, 0o640)
    write(harness, path, "mode")
    return harness.check(os.stat(path).st_mode & 0o7777 == 0o640, f"mode: {os.stat(path).st_mode:o}")


def owner(harness):
    if os.geteuid() != 0:
        return None
    path = prepare(harness, "owner")
    os.chown(path, 1234, 2345)
    write(harness, path, "owner")
    status = os.stat(path)
    return harness.check((status.st_uid, status.st_gid) == (1234, 2345), f"owner: {status.st_uid}:{status.st_gid}")


def attributes(harness):
    path = prepare(harness, "attributes")
    try:
        os.setxattr(path, "user.note", b"keep me")
    except OSError:
        return None
    write(harness, path, "attributes")
    return harness.check("user.note" in os.listxattr(path), "attributes: user.note is gone")


def access_list(harness):
    if not shutil.which("setfacl"):
        return None
    path = prepare(harness, "acl")
    if subprocess.run(["setfacl", "-m", "u:1234:rw", path], stderr=subprocess.DEVNULL).returncode != 0:
        return None
    write(harness, path, "acl")
    listed = subprocess.run(["getfacl", "-n", "-p", path], capture_output=True, text=True).stdout
    return harness.check("user:1234:rw-" in listed, f"acl: {listed}")


def link(harness):
    path = prepare(harness, "link")
    real = os.path.join(harness.subdirectory("link-target"), "real.json")
    os.rename(path, real)
    os.symlink(real, path)
    write(harness, path, "link")
    return harness.check(os.path.islink(path) and os.readlink(path) == real, "link: it is no symbolic link any more")


def mount(harness):
    path = prepare(harness, "mount")
    source = os.path.join(harness.subdirectory("mount-source"), "source.json")
    shutil.copy(path, source)
    if subprocess.run(["mount", "--bind", source, path], stderr=subprocess.DEVNULL).returncode != 0:
        return None
    try:
        log = write(harness, path, "mount")
        with open(source) as file:
            is_kept = harness.check(len(json.load(file)["items"]) == 2, "mount: the writes did not reach its source")
        return harness.check("written in place" in log, f"mount: not told: {log}") and is_kept
    finally:
        subprocess.run(["umount", path])


def hard_link(harness):
    path = prepare(harness, "hard-link")
    os.link(path, path + ".other")
    log = write(harness, path, "hard link")
    return harness.check("2 names" in log, f"hard link: not told: {log}")


CASES = [
    ("mode", mode), ("owner", owner), ("attributes", attributes), ("ACL", access_list), ("symbolic link", link),
    ("bind mount", mount), ("hard link told", hard_link)]


def measure(harness):
    results = [(name, case(harness)) for name, case in CASES]
    done = [name for name, result in results if result]
    skipped = [name for name, result in results if result is None]
    harness.figure = f"{len(done)} of {len(results)} kept or told"
    if skipped:
        harness.figure += f"; not here: {', '.join(skipped)}"


main(measure)
