"""What the server promises of data, as a few lines of Python: resources, requests and what they are answered."""

import copy

KEYS = {"posts": "postId", "comments": "commentId", "replies": "replyId"}
CHILDREN = {"posts": "comments", "comments": "replies"}
COMPARISONS = {
    "eq": lambda value, operand: value == operand,
    "gte": lambda value, operand: value >= operand, "lte": lambda value, operand: value <= operand,
    "gt": lambda value, operand: value > operand, "lt": lambda value, operand: value < operand,
    "ne": lambda value, operand: value != operand, "in": lambda value, operand: value == operand,
    "contains": lambda value, operand: str(operand) in str(value),
    "startsWith": lambda value, operand: str(value).startswith(str(operand)),
    "endsWith": lambda value, operand: str(value).endswith(str(operand)),
    "like": lambda value, operand: str(operand) in str(value)}
ANY = object()


class Reply:
    """What a request is to be answered: its statuses, its body, and the model after it."""

    def __init__(self, statuses, body=ANY, after=None, touched=(), headers=None):
        self.statuses = statuses
        self.body = body
        self.after = after
        self.touched = set(touched)
        self.headers = headers or {}


def find(records, key):
    return next((record for record in records if str(record["id"]) == str(key)), None)


def next_id(records):
    return max((record["id"] for record in records if isinstance(record["id"], int)), default=0) + 1


def create(state, name, body):
    after = copy.deepcopy(state)
    if body.get("id"):
        if find(state[name], body["id"]):
            return Reply({409})
        record = dict(body)
    else:
        record = {**body, "id": next_id(state[name])}
    after[name].append(record)
    return Reply({201}, record, after, [name])


def create_below(state, parent, key, name, body):
    # As json-server 0.17, whether there is such a parent or not.
    return create(state, name, {**body, KEYS[parent]: key})


def replace(state, name, key, body):
    after = copy.deepcopy(state)
    for index, record in enumerate(after[name]):
        if str(record["id"]) == str(key):
            after[name][index] = {**body, "id": record["id"]}
            return Reply({200}, after[name][index], after, [name])
    return Reply({404})


def merge(state, name, key, body):
    after = copy.deepcopy(state)
    record = find(after[name], key)
    if not record:
        return Reply({404})
    record.update({member: value for member, value in body.items() if member != "id"})
    return Reply({200}, record, after, [name])


def delete(state, name, key):
    if not find(state[name], key):
        return Reply({404})
    after = copy.deepcopy(state)
    gone, touched = [(name, str(key))], {name}
    after[name] = [record for record in after[name] if str(record["id"]) != str(key)]
    while gone:
        parent, key = gone.pop()
        # Whatever refers to it, in any collection.
        for child in KEYS:
            for record in [record for record in after[child] if str(record.get(KEYS[parent])) == key]:
                after[child].remove(record)
                touched.add(child)
                gone.append((child, str(record["id"])))
    return Reply({200}, {}, after, touched)


def bulk(state, name, bodies):
    after, records = state, []
    for body in bodies:
        known = body.get("id") and find(after[name], body["id"])
        reply = merge(after, name, body["id"], body) if known else create(after, name, body)
        after = reply.after
        records.append(reply.body)
    # Whether a list that only changes is answered 200 or 201 is for Compatibility to say.
    return Reply({200, 201}, [find(after[name], record["id"]) for record in records], after, [name])


def write_object(state, name, body, merging):
    after = copy.deepcopy(state)
    after[name] = {**after[name], **body} if merging else dict(body)
    return Reply({200}, after[name], after, [name])


def listed(state, name, parameters):
    """The answer to a list; `parameters` are pairs of one filter, `q`, `_sort` and a window, as `choose` makes them."""
    records = state[name]
    for parameter, value in parameters:
        if parameter == "q":
            records = [record for record in records if any(
                value in str(member) for member in record.values() if isinstance(member, str))]
        elif not parameter.startswith("_"):
            records = [record for record in records if passes(record, parameter, value, state[name])]
    total = len(records)
    window = dict(parameters)
    if sort := window.get("_sort"):
        member = sort.lstrip("-")
        records = sorted(records, key=lambda record: record[member], reverse=sort.startswith("-"))
    if "_page" in window:
        size = int(window["_limit"])
        first = (int(window["_page"]) - 1) * size
        records = records[first:first + size]
    elif "_start" in window:
        records = records[int(window["_start"]):int(window["_end"])]
    return Reply({200}, records, headers={"x-total-count": str(total)})


def passes(record, parameter, value, records):
    for operator, holds in COMPARISONS.items():
        for separator in ("_", ":"):
            if parameter.endswith(separator + operator):
                # A missing member never matches, whether or not another record has it.
                member = record.get(parameter[:-len(operator) - 1])
                return member is not None and holds(member, int(value) if isinstance(member, int) else value)
    if not any(parameter in other for other in records):
        return True
    return str(record.get(parameter)) == value
