"""Clients of a shop whose network is rehearsed: `weak_clients.py NAME`. Four are robust; the others have one weakness each.

A client reaches the server at JSON_SERVER_URL, keeps what must last in JSON_SERVER_REHEARSAL_DIRECTORY, and exits with 1 when a
person would see an error.
"""

import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request


class Failed(Exception):
    """The server did not do what was asked, as far as the client can tell."""

    def __init__(self, status=0):
        super().__init__(status)
        self.status = status


def send(method, path, body=None, checks_type=True, **fields):
    """Sends a request once; returns the header fields and the JSON of the response."""
    data = None if body is None else json.dumps(body).encode()
    fields = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in fields.items()}}
    request = urllib.request.Request(os.environ["JSON_SERVER_URL"] + path, data, fields, method=method)
    try:
        with urllib.request.urlopen(request, timeout=8) as response:
            text = response.read()
            if not checks_type:
                return response.headers, text
            return response.headers, json.loads(text)
    except urllib.error.HTTPError as error:
        raise Failed(error.code) from error
    except (OSError, ValueError, EOFError) as error:
        raise Failed from error
    except Exception as error:  # http.client has exceptions of its own for what is cut.
        raise Failed from error


def until_done(attempt, tries=6):
    """Tries again after a while, as often as is sensible."""
    for rest in reversed(range(tries)):
        try:
            return attempt()
        except Failed:
            if rest == 0:
                raise
            time.sleep(0.02)


class Kept:
    """A value in a file of the client's."""

    def __init__(self, name, start):
        self.path = os.path.join(os.environ["JSON_SERVER_REHEARSAL_DIRECTORY"], name)
        try:
            with open(self.path) as file:
                self.value = json.load(file)
        except FileNotFoundError:
            self.set(start)

    def set(self, value):
        self.value = value
        with open(self.path, "w") as file:
            json.dump(value, file)


def key():
    return Kept("key", os.urandom(8).hex()).value


# Robust ones.


def robust_key():
    until_done(lambda: send("POST", "/orders", {"item": "tea"}, Idempotency_Key=key()))
    until_done(lambda: send("GET", "/orders"))


def robust_put():
    name = Kept("name", "n-tea").value

    def put():
        try:
            send("PUT", f"/notes/{name}", {"text": "tea"}, If_None_Match="*")
        except Failed as error:
            if error.status != 412:  # Then an earlier attempt has arrived.
                raise

    until_done(put)
    until_done(lambda: send("PATCH", f"/notes/{name}", {"text": "green tea"}))


def robust_outbox():
    outbox = Kept("outbox", [
        {"key": os.urandom(8).hex(), "what": ["POST", "/orders", {"item": item}]} for item in ("tea", "milk")])
    while outbox.value:
        first = outbox.value[0]
        send(*first["what"], Idempotency_Key=first["key"])
        outbox.set(outbox.value[1:])


def merged(notes, changes):
    notes = dict(notes)
    for record in changes:
        if record.get("_deleted"):
            notes.pop(record["id"], None)
        else:
            notes[record["id"]] = record["text"]
    return notes


def robust_replica():
    def pull(held):
        try:
            fields, changes = send("GET", f"/notes?_since={held.value['token']}")
        except Failed as error:
            if error.status == 410:
                held.set({"token": "", "notes": {}})
            raise
        held.set({"token": fields["X-Next-Since"], "notes": merged(held.value["notes"], changes)})

    def delete():
        try:
            send("DELETE", "/notes/n-1")
        except Failed as error:
            if error.status != 404:  # Then an earlier attempt has arrived.
                raise

    held = Kept("held", {"token": "", "notes": {}})
    until_done(lambda: pull(held))
    until_done(lambda: send("PUT", "/notes/n-9", {"text": "new"}))
    until_done(delete)
    until_done(lambda: pull(held))
    until_done(lambda: send("PATCH", "/shop", {"notes": sorted(held.value["notes"])}))


# Weak ones.


def blind_retry():
    until_done(lambda: send("POST", "/orders", {"item": "tea"}))


def new_key():
    until_done(lambda: send("POST", "/orders", {"item": "tea"}, Idempotency_Key=os.urandom(8).hex()))


def gives_up():
    try:
        until_done(lambda: send("POST", "/orders", {"item": "tea"}, Idempotency_Key=key()), tries=2)
    except Failed as error:
        if error.status != 503:
            raise


def any_200():
    until_done(lambda: send("POST", "/orders", {"item": "tea"}, checks_type=False, Idempotency_Key=key()))


def exists_is_an_error():
    until_done(lambda: send("PUT", "/notes/n-tea", {"text": "tea"}, If_None_Match="*"))


def outbox_dropped():
    outbox = Kept("outbox", [{"item": "tea", "key": os.urandom(8).hex()}])
    for order in outbox.value:
        outbox.set([])
        send("POST", "/orders", {"item": order["item"]}, Idempotency_Key=order["key"])


def outbox_turned():
    outbox = ["kettle on", "tea ready"]
    for _ in range(8):
        if not outbox:
            return
        text = outbox.pop(0)
        try:
            send("PATCH", "/shop", {"text": text})
        except Failed:
            outbox.append(text)
    raise Failed


def counted_twice():
    def order():
        _, shop = send("GET", "/shop")
        send("PATCH", "/shop", {"count": shop["count"] + 1})

    until_done(order)


def token_first():
    held = Kept("held", {"token": "", "notes": {}})

    def pull():
        # The token is kept before the records are there.
        response = urllib.request.urlopen(f"{os.environ['JSON_SERVER_URL']}/notes?_since={held.value['token']}", timeout=8)
        token = response.headers["X-Next-Since"]
        if token is None:
            raise Failed
        held.set({**held.value, "token": token})
        held.set({**held.value, "notes": merged(held.value["notes"], json.loads(response.read()))})

    def attempt():
        try:
            pull()
        except Failed:
            raise
        except Exception as error:
            raise Failed from error

    until_done(attempt)
    until_done(lambda: send("PATCH", "/shop", {"notes": sorted(held.value["notes"])}))


def last_response_wins():
    shown, failures = [], []

    def search(text):
        try:
            shown.append(send("GET", f"/notes?text={text}")[1][0]["id"])
        except (Failed, LookupError) as error:
            failures.append(error)

    typed = []
    for text in ("black", "green"):
        typed.append(threading.Thread(target=search, args=(text,)))
        typed[-1].start()
        # So long that the first response comes before the second even on a busy machine.
        time.sleep(0.4)
    for thread in typed:
        thread.join()
    if failures:
        raise Failed
    send("PATCH", "/shop", {"chosen": shown[-1]})


def main():
    try:
        globals()[sys.argv[1]]()
    except Failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
