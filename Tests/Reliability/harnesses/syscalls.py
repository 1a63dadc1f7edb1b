"""Makes each system call of a write fail with each errno, one at a time (strace -e inject).

The calls are those of all threads but the event loops: the queue of the storage runs on any of them. A refused write must be in neither memory nor
file, an acknowledged one in both, and the write after it must work.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter

from support.harness import Skip, main
from support.server import Dropped, Server, side_files

ERRNOS = ["EIO", "ENOSPC", "EACCES", "EINTR", "EMFILE", "ENOMEM", "EDQUOT", "EROFS"]
# What a thread begins, waits and allocates with, what no error is defined for, the write that wakes the event loop (the file
# is written with pwrite), and what the queue's alarms are made with.
LEFT_OUT = {"write", "ppoll", "poll", "futex", "madvise", "mmap", "mprotect", "brk", "munmap", "restart_syscall", "gettid",
            "getrandom", "geteuid", "getuid", "getgid", "getegid", "rt_sigprocmask", "sched_yield", "clock_nanosleep", "read",
            "clone", "clone3", "rseq", "set_robust_list", "sigaltstack", "sched_getaffinity", "prctl", "exit", "epoll_create1",
            "epoll_wait", "epoll_pwait", "epoll_ctl", "eventfd2", "timerfd_create", "timerfd_settime"}


class Tracer:
    """strace, attached to the threads of a server that are no event loops."""

    def __init__(self, server, output, *options):
        self.threads = storage_threads(server)
        attached = [word for thread in self.threads for word in ("-p", str(thread))]
        self.process = subprocess.Popen(
            ["strace", "-qq", "-o", output, *options, *attached], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._wait(lambda tracer: tracer != 0)

    def _wait(self, condition):
        end = time.monotonic() + 10
        for thread in self.threads:
            while time.monotonic() < end:
                try:
                    with open(f"/proc/{thread}/status") as file:
                        if condition(int(re.search(r"TracerPid:\s+(\d+)", file.read()).group(1))):
                            break
                except OSError:
                    break
                time.sleep(0.001)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._wait(lambda tracer: tracer == 0)


def records(path):
    with open(path) as file:
        return {record["id"] for record in json.load(file)["items"]}


def storage_threads(server):
    def name(thread):
        try:
            with open(f"/proc/{thread}/comm") as file:
                return file.read()
        except OSError:
            return "NIO"

    return [int(thread) for thread in os.listdir(f"/proc/{server.pid}/task") if not name(thread).startswith("NIO")]


def calls_of_a_write(harness, server):
    output = os.path.join(harness.directory, "calls")
    server.request("POST", "/items", {"id": "first"})
    # What the write before left behind is put away after half a second.
    time.sleep(0.7)
    tracer = Tracer(server, output)
    server.request("POST", "/items", {"id": "counted"})
    time.sleep(0.7)
    tracer.end()
    with open(output) as file:
        names = [match.group(1) for match in re.finditer(r"^(?:\d+ +)?(\w+)\(", file.read(), re.MULTILINE)]
    if not any(name.startswith("rename") for name in names):
        raise Skip("strace shows no rename")
    return Counter(name for name in names if name not in LEFT_OUT)


def measure(harness):
    if not shutil.which("strace"):
        raise Skip("strace is not installed")
    path = os.path.join(harness.directory, "database.json")
    with open(path, "w") as file:
        file.write('{"items": []}')
    server = Server(harness.binary, path, "--quiet")
    cases = 0
    statuses = Counter()
    with server:
        calls = calls_of_a_write(harness, server)
        harness.note(", ".join(f"{name} × {count}" for name, count in calls.items()))
        errnos = ERRNOS if harness.options.thorough else ERRNOS[:4]
        connection = server.connect()
        for call, count in calls.items():
            for number in range(1, count + 1):
                for errno in errnos:
                    cases += 1
                    name = f"{call} number {number} fails with {errno}"
                    try:
                        statuses[inject(harness, server, connection, path, call, number, errno, cases)] += 1
                    except (Dropped, OSError) as error:
                        harness.fail(f"{name}: {error!r}")
                        if server.process.poll() is not None:
                            harness.fail(f"{name}: the server ended")
                            return
                        connection = server.connect()
                    if len(harness.failures) > 20:
                        return
    with Server(harness.binary, path, "--quiet") as server:
        harness.check(not side_files(path), f"left after a restart: {side_files(path)}")
    shown = ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
    harness.figure = f"{cases} faults in {sum(calls.values())} calls: answered {shown}"


def inject(harness, server, connection, path, call, number, errno, case):
    name = f"{call} number {number} fails with {errno}"
    key = f"fault-{case}"
    tracer = Tracer(server, "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error={errno}:when={number}")
    try:
        answer = connection.request("POST", "/items", {"id": key})
    finally:
        tracer.end()
    in_file = key in records(path)
    in_memory = connection.request("GET", f"/items/{key}").status == 200
    is_unknown = answer.status >= 500 and answer.json.get("durability") == "unknown"
    if answer.status == 201:
        harness.check(in_file and in_memory, f"{name}: acknowledged, but file {in_file}, memory {in_memory}")
    elif is_unknown:
        harness.check(in_file == in_memory, f"{name}: unknown, and file {in_file}, memory {in_memory}")
    else:
        harness.check(answer.status in (503, 507), f"{name}: answered {answer.status}")
        harness.check(
            not in_file and not in_memory, f"{name}: answered {answer.status}, but file {in_file}, memory {in_memory}")
    after = connection.request("POST", "/items", {"id": f"{key}-after"})
    harness.check(after.status == 201, f"{name}: the next write was answered {after.status} {after.body[:200]}")
    # So that the file stays small.
    for other in (key, f"{key}-after"):
        connection.request("DELETE", f"/items/{other}")
    return f"{answer.status}{' unknown' if is_unknown else ''}"


main(measure)
