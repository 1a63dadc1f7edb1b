"""`rehearse --network` names the weaknesses of clients, each at its request and condition, and nothing else.

Ten clients have one weakness each, and four have none; see support/weak_clients.py.
"""

import json
import os
import shlex
import subprocess
import sys

from support.harness import main

DATA = {
    "orders": [{"id": 1, "item": "coffee"}],
    "notes": [{"id": "n-1", "text": "black"}, {"id": "n-2", "text": "green"}],
    "shop": {"count": 1, "text": "closed"},
}
LOST = {"lost-before", "429", "html"}

# What must be found of each client: a request, the how-manieth of its kind, and the conditions.
CLIENTS = {
    "robust_key": {},
    "robust_put": {},
    "robust_outbox": {},
    "robust_replica": {},
    "blind_retry": {("POST", "/orders", 1): {"lost-after", "twice", "cut"}},
    "new_key": {("POST", "/orders", 1): {"lost-after", "cut"}},
    "gives_up": {("POST", "/orders", 1): {"503"}},
    "any_200": {("POST", "/orders", 1): {"html"}},
    "exists_is_an_error": {("PUT", "/notes/*", 1): {"lost-after", "cut"}},
    "outbox_dropped": {("POST", "/orders", 1): LOST | {"503"}},
    "outbox_turned": {("PATCH", "/shop", 1): LOST | {"lost-after", "cut"}},
    "counted_twice": {("PATCH", "/shop", 1): {"lost-after", "cut"}},
    "token_first": {("GET", "/notes", 1): {"cut"}},
    "last_response_wins": {("GET", "/notes", 1): {"late"}},
}


def measure(harness):
    data = os.path.join(harness.directory, "data.json")
    with open(data, "w") as file:
        json.dump(DATA, file)
    clients = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support", "weak_clients.py")
    runs, names = 0, harness.options.client or list(CLIENTS)
    for name in names:
        expected = CLIENTS[name]
        client = f"{shlex.quote(sys.executable)} -S -E {shlex.quote(clients)} {name}"
        done = subprocess.run(
            [harness.binary, "rehearse", "--network", data, "--upsert", "notes", "--format", "json", "--jobs", "4",
             "--exec", client], capture_output=True, text=True, timeout=200)
        try:
            report = json.loads(done.stdout)
        except ValueError:
            harness.broke(f"{name}: exit status {done.returncode}, {done.stderr[-500:]}")
            continue
        found = {}
        for finding in report["findings"]:
            place = (finding["method"], finding["route"], finding["number"])
            found.setdefault(place, set()).add(finding["condition"])
        harness.check(found == expected, f"{name}: found {found}, should be {expected}")
        harness.check(done.returncode == (1 if expected else 0), f"{name}: exit status {done.returncode}")
        runs += report["runs"]
    harness.figure = f"{len(names)} clients in {runs} runs"


if __name__ == "__main__":
    main(measure, lambda parser: parser.add_argument("--client", action="append", choices=CLIENTS, help="only these"))
