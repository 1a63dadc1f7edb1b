"""Kills the server at random instants under load, and compares the file with what was acknowledged.

Each of 16 clients owns its records. After a kill, a record must hold what was acknowledged last, or what the one request
that was not answered would have made of it. The file must be whole, and no temporary file may outlive a restart.
"""

import os
import random
import time

from support.harness import main
from support.load import Client, compare
from support.server import Server, side_files

def trial(harness, path, options, expectations, number, generator):
    server = Server(harness.binary, path, "--quiet", *options)
    if not server.wait():
        harness.fail(f"trial {number}: no restart: {server.log[-500:]}")
        server.kill()
        return 0, False
    left = side_files(path)
    harness.check(not left, f"trial {number}: left after the restart: {left}")
    clients = [
        Client(index, server.port, expectations[index], generator.random()) for index in range(len(expectations))]
    for client in clients:
        client.start()
    time.sleep(generator.uniform(0.01, 0.15))
    server.kill()
    for client in clients:
        client.join(10)
    for client in clients:
        problem = client.problem or (f"{client.refused} writes refused" if client.refused else None)
        harness.check(problem is None, f"trial {number}: {problem}")
    return sum(client.acknowledged for client in clients), compare(harness, path, expectations, f"trial {number}")


def measure(harness):
    trials = harness.options.trials or (1000 if harness.options.thorough else 200)
    figures = []
    for mode in ("full", "fast"):
        generator = random.Random(f"{harness.options.seed}{mode}")
        path = os.path.join(harness.subdirectory(mode), "database.json")
        with open(path, "w") as file:
            file.write('{"items": []}')
        expectations = [{} for _ in range(16)]
        acknowledged = done = 0
        for number in range(trials // 2):
            count, is_whole = trial(harness, path, ["--sync", mode], expectations, number, generator)
            acknowledged += count
            done += 1
            if not is_whole or len(harness.failures) > 20:
                break
        figures.append(f"{mode}: {done} kills, {acknowledged} acknowledged")
    harness.figure = "; ".join(figures) + f"; {len(harness.failures)} lost, torn or left over"


main(measure, lambda parser: parser.add_argument("--trials", type=int, help="kills in all, half for each mode"))
