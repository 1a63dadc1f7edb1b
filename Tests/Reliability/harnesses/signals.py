"""Asks servers to stop at random instants of their start, several at a time.

Each must end: before it catches signals by the signal itself, after that with exit code 0. A database in use must be free
for the next.
"""

import collections
import concurrent.futures
import os
import random
import signal
import subprocess
import time

from support.harness import main

AT_A_TIME = 4
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


def stop_one(harness, path, number, delay, asked):
    """Starts a server and asks it to stop; returns how it ended, or None when it went on."""
    server = subprocess.Popen(
        [harness.binary, path, "--port", "0", "--quiet"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    time.sleep(delay)
    server.send_signal(asked)
    try:
        _, text = server.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        server.kill()
        server.communicate()
        harness.fail(f"trial {number}: {asked.name} after {delay * 1000:.1f} ms, and the server went on")
        return None
    harness.check(
        server.returncode in (0, -asked), f"trial {number}: exit code {server.returncode}: {text[-300:].decode()}")
    return "served" if server.returncode == 0 else "starting"


def trials(harness, place, count, seed):
    generator = random.Random(seed)
    path = os.path.join(harness.subdirectory(f"place{place}"), "database.json")
    with open(path, "w") as file:
        file.write('{"items": [{"id": 1}]}')
    ends = collections.Counter()
    for number in range(count):
        delay = generator.uniform(0, harness.options.longest / 1000)
        ends[stop_one(harness, path, f"{place}.{number}", delay, generator.choice(SIGNALS))] += 1
        if len(harness.failures) > 20:
            break
    return ends


def measure(harness):
    # A shell starts what it runs in the background with this signal ignored, and the servers would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    count = harness.options.trials or (10_000 if harness.options.thorough else 1_000)
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        parts = [
            pool.submit(trials, harness, place, count // AT_A_TIME, f"{harness.options.seed}.{place}")
            for place in range(AT_A_TIME)]
        ends = sum((part.result() for part in parts), collections.Counter())
    # Both must have been met, or the instants were not those of the start.
    harness.check(ends["served"] and ends["starting"], f"the instants missed the start: {dict(ends)}")
    harness.figure = (
        f"{sum(ends.values())} starts: {ends['starting']} ended by the signal itself, {ends['served']} with exit code 0, "
        f"{ends[None]} went on")


def add_options(parser):
    parser.add_argument("--trials", type=int, help="starts in all")
    parser.add_argument("--longest", type=float, default=90, help="the latest instant, in milliseconds")


main(measure, add_options)
