"""Clients that read and write the same few records, and the judgement of what they saw of each."""

import random
import threading
import time

from support.linearizable import ABSENT, Operation, is_linearizable
from support.server import Dropped

KEYS = [f"r{number}" for number in range(24)]
ALLOWED = {"GET": {200, 404}, "POST": {201, 409}, "PUT": {200, 404}, "PATCH": {200, 404}, "DELETE": {200, 404}}


class Histories:
    """What was done to each record, by whichever client."""

    def __init__(self):
        self.lock = threading.Lock()
        self.operations = {key: [] for key in KEYS}
        self.count = 0

    def add(self, key, operation, is_answered=True):
        with self.lock:
            self.operations[key].append(operation)
            self.count += is_answered

    def judge(self, harness, name):
        """Reports the records whose operations no order explains, and returns how many operations were answered."""
        for key, operations in self.operations.items():
            try:
                if not is_linearizable(operations, ABSENT):
                    harness.fail(f"{name}: the history of {key} is not linearizable ({len(operations)} operations)")
            except RuntimeError as error:
                harness.broke(f"{name}: {key}: {error}")
        return self.count


def effect(method, value, status, seen):
    """What an answer says of the states before and after; `status` is None when there was no answer."""
    if method == "GET":
        expected = ABSENT if status == 404 else seen
        return lambda state: (state,) if state == expected else ()
    is_done_on_absent = method == "POST"
    new = ABSENT if method == "DELETE" else value

    def apply(state):
        fits = (state is ABSENT) == is_done_on_absent
        if status is None:
            return (new, state) if fits else (state,)
        if status < 300:
            return (new,) if fits else ()
        return () if fits else (state,)

    return apply


class RegisterClient(threading.Thread):
    """Reads and writes the records at random, one request at a time."""

    # How long a request may take effect after its connection was lost; nothing does once the only server is gone.
    later = 0

    def __init__(self, histories, seed, stop):
        super().__init__(daemon=True)
        self.histories = histories
        self.random = random.Random(seed)
        self.stop = stop
        self.problem = None
        # Writes that a server refused, and reads that nobody answered.
        self.refused = 0
        self.unread = 0

    def step(self, connection):
        key = self.random.choice(KEYS)
        method = self.random.choices(["GET", "POST", "PUT", "PATCH", "DELETE"], [5, 2, 2, 2, 1])[0]
        value = self.random.getrandbits(60)
        target = "/items" if method == "POST" else f"/items/{key}"
        body = None if method in ("GET", "DELETE") else {"value": value} if method == "PATCH" else {
            "id": key, "value": value}
        start = time.monotonic()
        try:
            answer = connection.request(method, target, body)
        except (Dropped, OSError):
            self.doubt(method, key, value, start)
            raise
        end = time.monotonic()
        if answer.status in (502, 503, 504):
            if not is_refusal(answer):
                self.doubt(method, key, value, start)
            elif method != "GET":
                self.refused += 1
            else:
                self.unread += 1
            return
        if answer.status not in ALLOWED[method]:
            self.problem = f"{method} {target} was answered {answer.status} {answer.body[:200]}"
            return
        seen = answer.json.get("value") if method == "GET" and answer.status == 200 else None
        name = f"{method} {key} {value if body else seen} {answer.status}"
        self.histories.add(key, Operation(start, end, name, effect(method, value, answer.status, seen)))

    def doubt(self, method, key, value, start):
        """Records a request whose outcome nobody told."""
        if method == "GET":
            self.unread += 1
            return
        end = time.monotonic() + self.later
        operation = Operation(start, end, f"{method} {key} {value} ?", effect(method, value, None, None))
        self.histories.add(key, operation, is_answered=False)


def is_refusal(answer):
    """Whether nothing was done.

    A server says so unless the outcome is unknown. With a 503 of its own haproxy says that it found no server to send the
    request to; its 502 and 504 are about what was sent.
    """
    if answer.headers.get("content-type", "").startswith("application/json"):
        return answer.json.get("durability") != "unknown"
    return answer.status == 503
