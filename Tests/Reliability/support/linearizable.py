"""Decides whether the history of one register is linearizable (Wing and Gong's search, with Lowe's memory)."""

import math

ABSENT = None


class Operation:
    """One request to one register.

    `apply` takes a state and returns those that may follow: none when the answer does not fit, two when it is not known
    whether the request was carried out.
    """

    def __init__(self, start, end, name, apply):
        self.start = start
        self.end = end
        self.name = name
        self.apply = apply

    def __repr__(self):
        return f"[{self.start:.6f} {self.end:.6f}] {self.name}"


def is_linearizable(operations, initial, limit=2_000_000):
    """Whether some order that respects the intervals explains all answers.

    Raises `RuntimeError` after `limit` steps.
    """
    operations = sorted(operations, key=lambda operation: operation.start)
    count = len(operations)
    # A configuration: all operations before `base` done, those of the set beyond it too, and the state.
    stack = [(0, frozenset(), initial)]
    seen = set()
    steps = 0
    while stack:
        base, done, state = stack.pop()
        while base in done:
            done = done - {base}
            base += 1
        if base == count:
            return True
        if (base, done, state) in seen:
            continue
        seen.add((base, done, state))
        # What may come next: nothing that is still to do ended before it began.
        earliest_end = math.inf
        candidates = []
        for index in range(base, count):
            operation = operations[index]
            if operation.start > earliest_end:
                break
            if index in done:
                continue
            candidates.append(index)
            earliest_end = min(earliest_end, operation.end)
        for index in reversed(candidates):
            steps += 1
            operation = operations[index]
            if operation.start > earliest_end:
                continue
            for new in operation.apply(state):
                stack.append((base, done | {index}, new))
        if steps > limit:
            raise RuntimeError("the search takes too long")
    return False
