#!/usr/bin/env python3
"""Leaves the page open while others use the server: what the tab costs, and whether it grows.

    long-run.py PROGRAM [--minutes N]

PROGRAM is swift-json-server. For ten minutes, or N, a client sends 1,000 requests a second, 10 of which are writes, beside a list with
its request log open. Prints a line for each tenth of the time: the requests sent, the processor time of the tab's processes in cores, and
after a collection of garbage its heap, its resident memory and the number of its DOM nodes. Exit status: 0 when the tab takes less than
half a core, the last third has no more of anything than the third before, and the page is still live. Linux only (/proc).
"""

import argparse
import itertools
import json
import multiprocessing
import os
import pathlib
import socket
import statistics
import sys
import time

from chromium import Browser
from server import Server, data

REQUESTS, WRITES, BUNCH = 1_000, 10, 10
MOST_CORES = 0.5
# The clients use the server object, which no other process can be sent.
FORK = multiprocessing.get_context("fork")
TICKS = os.sysconf("SC_CLK_TCK")
MEGABYTE = 1 << 20
# How much more of each measure the last third may have than the third before: a minute more or less of the browser's own caches.
SLACK = {"heap": 0.3 * MEGABYTE, "resident": 6 * MEGABYTE, "nodes": 300}


def paced(rate):
    """Numbers from 0, each when its turn has come; what was late is made up for."""
    began = time.monotonic()
    for number in itertools.count():
        time.sleep(max(0, began + number / rate - time.monotonic()))
        yield number


def read(port, sent):
    """Sends reads in small bunches, whose responses it awaits."""
    paths = itertools.cycle(["/posts?_page=2", "/posts/7", "/users", "/comments?postId=3", "/posts/none", "/profile"])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection, connection.makefile("rb") as responses:
        for number in paced((REQUESTS - WRITES) / BUNCH):
            bunch = itertools.islice(paths, BUNCH)
            connection.sendall("".join(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for path in bunch).encode())
            for _ in range(BUNCH):
                head = list(iter(responses.readline, b"\r\n"))
                responses.read(next(int(line[15:]) for line in head if line.lower().startswith(b"content-length:")))
            sent.value = (number + 1) * BUNCH


def write(server, sent):
    """Changes a record that the page shows, and now and then adds one and deletes it."""
    made = None
    for number in paced(WRITES):
        if number % 4 == 2:
            made = server.request("POST", "/posts", {"title": f"Made {number}"})["id"]
        elif number % 4 == 3:
            server.request("DELETE", f"/posts/{made}")
        else:
            server.request("PATCH", "/posts/3", {"title": f"Title {number}"})
        sent.value = number + 1


def tabs(browser):
    """The processes of the browser's tabs: the main one of a headless browser, and those that it keeps in reserve."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes()
        except OSError:
            continue
        if b"--type=renderer" in command and browser.profile.encode() in command:
            found.append(place)
    return found


def seconds_of(processes):
    fields = [(process / "stat").read_text().rpartition(")")[2].split() for process in processes]
    return sum(int(each[11]) + int(each[12]) for each in fields) / TICKS


def measure(browser, processes):
    for _ in range(2):
        browser.call("HeapProfiler.collectGarbage")
    metrics = {each["name"]: each["value"] for each in browser.call("Performance.getMetrics")["metrics"]}
    resident = sum(int((process / "statm").read_text().split()[1]) for process in processes) * os.sysconf("SC_PAGE_SIZE")
    return {"heap": metrics["JSHeapUsedSize"], "resident": resident, "nodes": metrics["Nodes"]}


def watch(browser, server, minutes):
    """Lets the page stand under the load; returns the cores that the tab took, and its measures over time."""
    browser.resize(1440, 900)
    # The protocol's agent for it keeps every element that there ever was.
    browser.call("Accessibility.disable")
    browser.open(f"{server.url}/__admin#records/posts")
    browser.wait_for("document.querySelectorAll('#rows tr[data-id]').length > 0", "the rows")
    browser.evaluate("document.getElementById('log-fold').click(); 0")
    browser.call("Performance.enable")
    processes = tabs(browser)
    sent = [FORK.Value("q", 0) for _ in range(2)]
    count = lambda: sum(each.value for each in sent)
    clients = [FORK.Process(target=read, args=(server.port, sent[0]), daemon=True),
               FORK.Process(target=write, args=(server, sent[1]), daemon=True)]
    for client in clients: client.start()
    cores, measures = [], []
    part = minutes * 60 / 10
    began = time.monotonic()
    try:
        for number in range(1, 11):
            before, start, spent = count(), time.monotonic(), seconds_of(processes)
            time.sleep(max(0, began + number * part - start))
            passed = time.monotonic() - start
            cores.append((seconds_of(processes) - spent) / passed)
            rate = (count() - before) / passed
            measures.append(measure(browser, processes))
            heap, resident, nodes = (measures[-1][name] for name in SLACK)
            print(f"{number * part:5.0f} s  {rate:5.0f} requests/s  {cores[-1]:.2f} cores  heap {heap / MEGABYTE:5.1f} MiB"
                  f"  resident {resident / MEGABYTE:6.1f} MiB  {nodes:6.0f} nodes", flush=True)
    finally:
        for client in clients: client.terminate()
    rate = count() / (time.monotonic() - began)
    if rate < 0.9 * REQUESTS:
        sys.exit(f"The clients sent only {rate:.0f} requests/s: the machine is too busy.")
    # The page is current when all is quiet: its table shows the last title, its log the last request.
    title = server.request("GET", "/posts/3")["title"]
    browser.wait_for(f"document.getElementById('rows').innerText.includes({json.dumps(title)})", f"the title {title}")
    browser.wait_for("document.querySelector('#log-list .path')?.innerText === '/posts/3'", "the last request in the log")
    browser.wait_for("document.getElementById('connection').classList.contains('live')", "a live page")
    return statistics.mean(cores), measures


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=10)
    arguments = parser.parse_args()
    with Server(os.path.abspath(arguments.program), data()) as server, Browser() as browser:
        cores, measures = watch(browser, server, arguments.minutes)
        problems = list(browser.problems)
    print(f"{cores:.2f} cores")
    if cores >= MOST_CORES:
        problems.append(f"the tab takes {cores:.2f} cores, more than {MOST_CORES}")
    for name, slack in SLACK.items():
        middle, last = (statistics.median(each[name] for each in part) for part in (measures[4:7], measures[7:]))
        if last > middle + slack:
            problems.append(f"{name} grows from {middle:,.0f} to {last:,.0f}")
    sys.exit("; ".join(problems) or 0)


if __name__ == "__main__":
    main()
