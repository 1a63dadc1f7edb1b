"""Runs random steps against the server and a model of it: requests, edits of the file from outside, kills, restarts.

After each acknowledged step the answer, `/db` and the file are what the model says. An edit that undoes what was
acknowledged, a reset and a restore leave a copy in the history, before anyone sees them. Event ids are good across kills.
"""

import copy
import json
import os
import random
import time

from support import editing, model
from support.events import Events
from support.harness import Skip, main
from support.model import ANY, Reply
from support.mount import Mount, fill
from support.server import Connection, Dropped, Server, side_files

WORDS = ["amber", "birch", "cedar", "dune", "ember", "fjord"]
COLLECTIONS = ["posts", "comments", "replies"]


class Broken(Exception):
    """A promise is broken."""


def start_state(generator):
    def records(count, **links):
        return [
            {"id": number, "n": generator.randrange(6), "text": generator.choice(WORDS),
             **{member: generator.randrange(1, limit) for member, limit in links.items()}}
            for number in range(1, count + 1)]
    return {
        "posts": records(4), "comments": records(6, postId=5), "replies": records(6, commentId=7),
        "profile": {"name": "start"}}


class Source:
    """The file, or the directory of a file for each resource, that a server is given."""

    def __init__(self, directory, is_directory, state):
        self.is_directory = is_directory
        self.folder = os.path.join(directory, "data")
        os.makedirs(self.folder)
        self.path = self.folder if is_directory else os.path.join(self.folder, "database.json")
        for path, names in self.files(state).items():
            editing.put(path, self.text(state, names))

    def files(self, state):
        if self.is_directory:
            return {os.path.join(self.folder, f"{name}.json"): [name] for name in state}
        return {self.path: list(state)}

    def text(self, state, names):
        return json.dumps(state[names[0]] if self.is_directory else {name: state[name] for name in names}, indent=2) + "\n"

    def read(self, path, names):
        """What a file holds, as resources."""
        with open(path, "rb") as file:
            value = json.loads(file.read())
        return {names[0]: value} if self.is_directory else value

    def copies(self, path, names):
        """What the copies in a file's history hold, as resources."""
        history = os.path.join(self.folder, f".{os.path.basename(path)}.history")
        if not os.path.isdir(history):
            return []
        found = [name for name in os.listdir(history) if name.endswith(".json") and not name.startswith(".")]
        return [self.read(os.path.join(history, name), names) for name in sorted(found)]


class Machine:
    """One run: a server, the model of it, and what was done."""

    def __init__(self, harness, number):
        self.harness = harness
        self.random = random.Random(number)
        self.is_watching = self.random.random() < 0.7
        self.options = ["--quiet", "--sync", self.random.choice(["full", "fast"])]
        self.options += ["--watch"] if self.is_watching else []
        self.state = start_state(self.random)
        self.source = Source(
            harness.subdirectory(f"run-{number}"), self.random.random() < 0.35, self.state)
        self.steps = [f"{'directory' if self.source.is_directory else 'file'} {' '.join(self.options)}"]
        self.count = 0
        self.kills = 0
        self.edits = 0
        self.copies_wanted = 0
        # The edit that nobody has seen, when edits are not watched for: its path, resources and new state.
        self.unseen = None
        # What stood where something acknowledged was written since the file was read: (resource, id) -> before.
        self.written = {}
        self.stale = {path: [self.source.text(self.state, names)] for path, names in self.files.items()}
        self.initial = copy.deepcopy(self.state)
        self.server = None

    @property
    def files(self):
        return self.source.files(self.state)

    def start(self):
        self.server = Server(self.harness.binary, self.source.path, *self.options)
        if not self.server.wait():
            raise Broken(f"no restart: {self.server.log[-500:]}")
        self.connection = self.server.connect()
        if self.unseen:
            self.adopt(self.unseen)
        self.initial = copy.deepcopy(self.state)
        self.snapshots = {}
        self.written = {}
        left = [name for path in self.files for name in side_files(path)]
        self.expect(not left, f"left after a restart: {left}")

    def expect(self, condition, message):
        if not condition:
            raise Broken(message)

    def run(self, count):
        """Runs steps; says how it went wrong, or None."""
        try:
            self.start()
            for _ in range(count):
                self.step()
                self.count += 1
            return None
        except (Broken, Dropped, OSError, ValueError) as error:
            return f"{error}" if isinstance(error, Broken) else repr(error)
        finally:
            if self.server:
                self.server.stop()

    def step(self):
        chosen = self.random.choices(
            [self.write, self.read, self.conditional, self.edit, self.reset, self.snapshot, self.restore, self.kill,
             self.kill_during_write],
            [40, 30, 5, 12, 3, 4, 4, 3, 3])[0]
        chosen()

    # Requests

    def choose_write(self):
        """A write: what it is called, what is sent, and what the model makes of it."""
        name = self.random.choice(COLLECTIONS)
        known = [record["id"] for record in self.state[name]]
        key = self.random.choice(known + [self.random.randrange(1, 30)])
        body = {"n": self.random.randrange(6), "text": f"{self.random.choice(WORDS)} {self.random.getrandbits(32):x}"}
        for parent in COLLECTIONS:
            if self.random.random() < (0.7 if model.CHILDREN.get(parent) == name else 0.05):
                body[model.KEYS[parent]] = self.random.randrange(1, 8)
        kind = self.random.choices(
            ["create", "create with id", "replace", "merge", "merge by POST", "delete", "bulk", "below", "object"],
            [8, 3, 4, 7, 2, 5, 4, 4, 3])[0]
        if kind == "create":
            return "POST", f"/{name}", body, lambda state: model.create(state, name, body)
        if kind == "create with id":
            body["id"] = key
            return "POST", f"/{name}", body, lambda state: model.create(state, name, body)
        if kind == "replace":
            return "PUT", f"/{name}/{key}", body, lambda state: model.replace(state, name, key, body)
        if kind in ("merge", "merge by POST"):
            changed = {member: value for member, value in body.items() if self.random.random() < 0.7}
            method = "PATCH" if kind == "merge" else "POST"
            return method, f"/{name}/{key}", changed, lambda state: model.merge(state, name, key, changed)
        if kind == "delete":
            return "DELETE", f"/{name}/{key}", None, lambda state: model.delete(state, name, key)
        if kind == "bulk":
            changed = self.random.sample(known, min(len(known), self.random.randrange(3)))
            bodies = [{**body, "id": other} for other in changed] + [dict(body)] * self.random.randrange(1, 3)
            return "POST", f"/{name}", bodies, lambda state: model.bulk(state, name, bodies)
        if kind == "below":
            parent, child = self.random.choice(sorted(model.CHILDREN.items()))
            below = self.random.choice([record["id"] for record in self.state[parent]] + [99])
            return "POST", f"/{parent}/{below}/{child}", body, lambda state: model.create_below(
                state, parent, below, child, body)
        method = self.random.choice(["PUT", "PATCH"])
        return method, "/profile", body, lambda state: model.write_object(state, "profile", body, method == "PATCH")

    def write(self):
        method, target, body, apply = self.choose_write()
        self.request(method, target, body, apply)

    def conditional(self):
        """A write with If-Match, of what is there and of what is not there any more."""
        if self.unseen or not self.state["posts"]:
            return
        key = self.random.choice(self.state["posts"])["id"]
        tag = self.connection.request("GET", f"/posts/{key}").headers["etag"]
        body = {"text": f"tagged {self.random.getrandbits(32):x}"}
        self.request("PATCH", f"/posts/{key}", body, lambda state: model.merge(state, "posts", key, body), [f"If-Match: {tag}"])
        self.request("PATCH", f"/posts/{key}", body, lambda state: Reply({412}), [f"If-Match: {tag}"])

    def read(self):
        name = self.random.choice(COLLECTIONS)
        kind = self.random.choices(["record", "object", "list", "below"], [3, 1, 8, 1])[0]
        if kind == "record":
            key = self.random.choice([record["id"] for record in self.state[name]] + [99])
            record = model.find(self.state[name], key)
            return self.request("GET", f"/{name}/{key}", None, lambda state: Reply({200}, record) if record else Reply({404}))
        if kind == "object":
            return self.request("GET", "/profile", None, lambda state: Reply({200}, state["profile"]))
        if kind == "below":
            key = self.random.randrange(1, 8)
            return self.request("GET", f"/posts/{key}/comments", None, lambda state: Reply({200}, [
                record for record in state["comments"] if record.get("postId") == key]))
        parameters = []
        # `nosuch` is a member that no record has: operators on it match none, the bare name is ignored.
        member = self.random.choice(["n", "n", "text", "nosuch", "nosuch"])
        operator = self.random.choice(["", *model.COMPARISONS])
        value = str(self.random.randrange(6)) if member == "n" else self.random.choice(WORDS)
        if operator in ("contains", "startsWith", "endsWith", "like") and member == "n":
            operator = "gte"
        if self.random.random() < 0.7:
            parameters.append((member + (self.random.choice("_:") + operator if operator else ""), value))
        if self.random.random() < 0.2:
            parameters.append(("q", self.random.choice(WORDS)))
        if self.random.random() < 0.4:
            parameters.append(("_sort", self.random.choice(["n", "-n", "text", "-text"])))
        if self.random.random() < 0.4:
            first = self.random.randrange(4)
            parameters += self.random.choice([
                [("_page", str(first + 1)), ("_limit", "2")], [("_start", str(first)), ("_end", str(first + 2))]])
        query = "&".join(f"{parameter}={value}" for parameter, value in parameters)
        self.request("GET", f"/{name}?{query}", None, lambda state: model.listed(state, name, parameters))

    def request(self, method, target, body, apply, fields=()):
        self.steps.append(f"{method} {target}" + ("" if body is None else f" {json.dumps(body)}") + "".join(fields))
        answer = self.connection.request(method, target, body, fields)
        reply, state, undone = self.applied(apply)
        self.steps[-1] += f" -> {answer.status}"
        self.expect(
            answer.status in reply.statuses, f"answered {answer.status} {answer.body[:200]}, not {sorted(reply.statuses)}")
        if reply.body is not ANY:
            self.expect(answer.json == reply.body, f"answered {answer.body[:400]}, not {json.dumps(reply.body)[:400]}")
        for name, value in reply.headers.items():
            self.expect(answer.headers.get(name) == value, f"{name} is {answer.headers.get(name)}, not {value}")
        self.note(state, reply)
        self.check_copies(undone)
        self.check_state()

    def applied(self, apply):
        """What a request does; a write to a file that was edited unseen does it to the edit."""
        reply = apply(self.state)
        undone = []
        if self.unseen and reply.touched & set(self.unseen[1]):
            undone = self.undone(self.unseen)
            self.adopt(self.unseen)
            reply = apply(self.state)
        return reply, self.state, undone

    def note(self, before, reply):
        """Takes over what a write made, and remembers what stood there before it."""
        if reply.after is None:
            return
        for name in reply.touched:
            if isinstance(before[name], dict):
                self.written.setdefault((name, None), before[name])
                continue
            for record in before[name] + reply.after[name]:
                old, new = model.find(before[name], record["id"]), model.find(reply.after[name], record["id"])
                if old != new:
                    self.written.setdefault((name, str(record["id"])), old)
        self.state = reply.after
        for path, names in self.files.items():
            if reply.touched & set(names):
                self.stale[path].append(self.source.text(self.state, names))

    def check_state(self):
        answer = self.connection.request("GET", "/db")
        self.expect(
            answer.status == 200 and answer.json == self.state,
            f"/db is {answer.body[:1500]}, not {json.dumps(self.state)[:1500]}")
        for path, names in self.files.items():
            wanted = self.unseen[2] if self.unseen and self.unseen[0] == path else self.state
            held = self.source.read(path, names)
            self.expect(
                held == {name: wanted[name] for name in names},
                f"{os.path.basename(path)} holds {json.dumps(held)[:1500]}, not {json.dumps(wanted)[:1500]}")

    # Resets and snapshots

    def reset(self):
        # To what was last read from outside: the edit, too, that nobody has seen before the reset.
        edited = {name: self.unseen[2][name] for name in self.unseen[1]} if self.unseen else {}
        self.replace_all("/__admin/reset", {**self.initial, **edited})

    def snapshot(self):
        name = self.random.choice(WORDS)
        self.steps.append(f"snapshot {name}")
        answer = self.connection.request("POST", "/__admin/snapshots", {"name": name})
        self.expect(answer.status == 201, f"answered {answer.status}")
        self.snapshots[name] = copy.deepcopy(self.state)

    def restore(self):
        if not self.snapshots:
            return self.snapshot()
        name = self.random.choice(sorted(self.snapshots))
        self.replace_all(f"/__admin/snapshots/{name}", self.snapshots[name])

    def replace_all(self, target, wanted):
        self.steps.append(f"POST {target}")
        unseen = self.unseen
        undone = self.undone((None, list(self.state), wanted))
        if unseen:
            undone += self.undone(unseen)
        answer = self.connection.request("POST", target)
        self.expect(answer.status == 200, f"answered {answer.status} {answer.body[:200]}")
        if unseen:
            # What a person saved and nobody saw is not overwritten without a copy.
            path, names, edited = unseen
            changed = {name: edited[name] for name in names}
            if changed != {name: wanted[name] for name in names}:
                undone.append((path, changed, "an edit that nobody had seen"))
            self.adopt(unseen)
        self.state = copy.deepcopy(wanted)
        self.written = {}
        for path, names in self.files.items():
            self.stale[path].append(self.source.text(self.state, names))
        if self.random.random() < 0.3:
            self.end_by_kill()
            self.check_copies(undone)
            self.start()
        else:
            self.check_copies(undone)
        self.check_state()

    # Edits

    def undone(self, edit):
        """The versions of files of which a copy is due, since something acknowledged is not in an edit of them."""
        _, names, edited = edit
        found = []
        for path, own in self.files.items():
            if not set(own) & set(names):
                continue
            for name, key in self.written:
                if name not in own or key is None:
                    continue
                if model.find(self.state[name], key) and not model.find(edited[name], key):
                    found.append((path, {other: self.state[other] for other in own}, f"/{name}/{key}"))
                    break
        return found

    def check_copies(self, undone):
        for path, version, what in undone:
            self.copies_wanted += 1
            copies = self.source.copies(path, list(version))
            self.expect(
                version in copies,
                f"{what} is gone, and of {len(copies)} copies in the history of {os.path.basename(path)} none holds it")

    def adopt(self, edit):
        _, names, edited = edit
        read = copy.deepcopy({name: edited[name] for name in names})
        self.state = {**self.state, **read}
        self.initial = {**self.initial, **copy.deepcopy(read)}
        self.written = {place: before for place, before in self.written.items() if place[0] not in names}
        self.unseen = None

    def edit(self):
        """Someone saves the file: with a change, or from a buffer of before some acknowledged writes."""
        if self.unseen:
            return
        path, names = self.random.choice(sorted(self.files.items()))
        edited = copy.deepcopy(self.state)
        if self.random.random() < 0.5:
            text = self.random.choice(self.stale[path])
            old = json.loads(text)
            edited.update({names[0]: old} if self.source.is_directory else old)
        else:
            name = self.random.choice(names)
            if name == "profile":
                edited[name]["name"] = f"edit {self.random.getrandbits(32):x}"
            else:
                if edited[name] and self.random.random() < 0.5:
                    edited[name].pop(self.random.randrange(len(edited[name])))
                else:
                    edited[name].append({
                        "id": model.next_id(edited[name]), "n": self.random.randrange(6),
                        "text": f"edit {self.random.getrandbits(32):x}"})
            text = self.source.text(edited, names)
        if edited == self.state:
            return
        save = self.random.choice(editing.PLAIN)
        self.steps.append(f"edit of {os.path.basename(path)} by {save.__name__}: {' '.join(text.split())[:600]}")
        self.edits += 1
        edit = (path, names, edited)
        undone = self.undone(edit)
        save(path, text)
        self.stale[path].append(text)
        if not self.is_watching:
            self.unseen = edit
            self.check_state()
            return
        end = time.monotonic() + 5
        while self.connection.request("GET", "/db").json != edited:
            self.expect(time.monotonic() < end, "the edit is not seen")
        # Someone has seen it: from here on the version before must not be lost.
        self.adopt(edit)
        if self.random.random() < 0.5:
            self.end_by_kill()
            self.check_copies(undone)
            self.start()
        else:
            self.check_copies(undone)
        self.check_state()

    # Kills

    def end_by_kill(self):
        self.kills += 1
        self.steps.append("kill -9")
        self.server.kill()
        self.connection.close()

    def kill(self):
        self.end_by_kill()
        self.start()
        self.check_state()

    def kill_during_write(self):
        """Kills the server while it writes: the file holds what was before or what comes after."""
        method, target, body, apply = self.choose_write()
        self.steps.append(f"{method} {target}" + ("" if body is None else f" {json.dumps(body)}") + ", not waited for")
        sent = "" if body is None else json.dumps(body)
        self.connection.socket.sendall(
            f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(sent)}\r\n\r\n{sent}".encode())
        time.sleep(self.random.choice([0, 0.001, 0.003, 0.01]))
        self.end_by_kill()
        before = self.state if not self.unseen else {**self.state, **{name: self.unseen[2][name] for name in self.unseen[1]}}
        after = apply(before).after or before
        self.unseen = None
        for path, names in self.files.items():
            held = self.source.read(path, names)
            versions = [{name: version[name] for name in names} for version in (before, after)]
            self.expect(held in versions, f"{os.path.basename(path)} holds {json.dumps(held)[:1500]} after the kill")
            self.state = {**self.state, **held}
        self.start()
        self.check_state()


def machines(harness, number, count, steps):
    done = {"steps": 0, "kills": 0, "edits": 0, "copies": 0}
    failed = 0
    for run in range(number, number + count):
        machine = Machine(harness, run)
        problem = machine.run(steps)
        done["steps"] += machine.count
        done["kills"] += machine.kills
        done["edits"] += machine.edits
        done["copies"] += machine.copies_wanted
        if problem:
            failed += 1
            last = "\n    ".join(machine.steps[:1] + ["…"] * (len(machine.steps) > 13) + machine.steps[1:][-12:])
            harness.fail(f"run {run}: {problem}")
            harness.note(f"again: --run {run}; the last steps:\n    {last}")
            if failed >= 10:
                break
    return f"{done['steps']} steps with {done['edits']} edits, {done['kills']} kills, {done['copies']} copies due: {failed} runs failed"


def write_file(harness, name, value):
    path = os.path.join(harness.subdirectory(name), "database.json")
    editing.put(path, json.dumps(value))
    return path


def lost_copies(harness, generator, count):
    """An edit removes what was acknowledged, and the server is killed as soon as a reader sees it."""
    kept = 0
    for number in range(count):
        is_directory = number % 3 == 2
        state = {"posts": [{"id": 1, "text": "start"}]}
        source = Source(harness.subdirectory(f"copy-{number}"), is_directory, state)
        path, names = next(iter(source.files(state).items()))
        with open(path) as file:
            old = file.read()
        with Server(harness.binary, source.path, "--watch", "--quiet") as server, server.connect() as connection:
            # Enough to write that a copy made too late is not made at all.
            body = {"text": f"mine {number} " + "x" * generator.choice([10, 100_000])}
            harness.check(connection.request("POST", "/posts", body).status == 201, "copies: POST refused")
            editing.move_over(path, old)
            end = time.monotonic() + 5
            while connection.request("GET", "/posts/2").status == 200 and time.monotonic() < end:
                pass
            server.kill()
        wanted = {"posts": [*state["posts"], {**body, "id": 2}]}
        kept += wanted in source.copies(path, names)
    harness.check(kept == count, f"copies: {count - kept} of {count} acknowledged records are gone without a copy")
    return f"{kept} of {count} copies kept"


def without_history(harness, name, folder, prepare):
    """The history cannot be written: what was acknowledged is somewhere, or it is said that it is not.

    `prepare` takes the room for the history away, between the write and the edit that removes what was written.
    """
    path = os.path.join(folder, "database.json")
    editing.put(path, json.dumps({"posts": [{"id": 1, "text": "x" * 100_000}]}))
    with open(path) as file:
        old = file.read()
    with Server(harness.binary, path, "--watch") as server:
        server.request("POST", "/posts", {"text": "kept-or-told"})
        # The version before the write is kept open for half a second, and takes room.
        time.sleep(1)
        prepare(folder)
        editing.truncate(path, old)
        end = time.monotonic() + 2
        while server.request("GET", "/posts/2").status == 200 and time.monotonic() < end:
            pass
        is_served = time.monotonic() < end
        log = server.log
        server.kill()
    found = False
    for directory, _, names in os.walk(folder):
        for other in names:
            with open(os.path.join(directory, other), "rb") as file:
                found = found or b"kept-or-told" in file.read()
    is_told = "could not be kept" in log or "history" in log
    harness.check(
        found or is_told,
        f"{name}: the record is gone, no copy is there, and nothing is said when the edit is "
        + ("served" if is_served else "not served for 2 s") + f": {log[-200:]!r}")
    return found or is_told


def unwritable_history(harness):
    def in_the_way(folder):
        editing.put(os.path.join(folder, ".database.json.history"), "in the way")

    folder = harness.subdirectory("in-the-way")
    told = [without_history(harness, "a file in the way of the history", folder, in_the_way)]
    try:
        with Mount(harness.subdirectory("full"), "512k") as folder:
            told.append(without_history(harness, "a full disk", folder, fill))
    except Skip as skip:
        harness.note(str(skip))
    return f"{sum(told)} of {len(told)} lacks of history kept or told"


def events(harness, rounds):
    """A reader comes back to another run of the server: at once, and while the new numbers pass its own."""
    path = write_file(harness, "events", {"posts": [{"id": 1}]})
    silent = returns = 0

    def comes_back(server, last, when):
        """What the reader has missed was in another run, of which this one knows nothing."""
        nonlocal silent, returns
        server.request("PATCH", "/posts/1", {"missed": when})
        reader = Events(server.port, last)
        kinds = [data["kind"] for _, data in reader.read(2, until=lambda found: found)]
        reader.close()
        returns += 1
        silent += not harness.check(
            kinds[:1] == ["reloaded"], f"events: back with id {last} of another run, {when}: told {kinds[:3]}")

    for number in range(rounds):
        with Server(harness.binary, path, "--quiet") as server:
            # Requests are numbered from the first reader on.
            follower = Events(server.port, types="change,request")
            server.request("HEAD", "/posts/1")
            follower.read(2, until=lambda found: found)
            first = follower.last
            flood(server, 8_000)
            reader = Events(server.port)
            server.request("PATCH", "/posts/1", {"seen": number})
            harness.check(reader.read(5, until=lambda found: found), "events: a change is not told")
            last = reader.last
            reader.close()
            server.request("PATCH", "/posts/1", {"seen": f"{number} again"})
            reader = Events(server.port, last)
            kinds = [data["kind"] for _, data in reader.read(5, until=lambda found: found)]
            harness.check(kinds == ["updated"], f"events: a reader that comes back within a run is told {kinds}")
            reader.close()
            server.kill()
        with Server(harness.binary, path, "--quiet") as server:
            comes_back(server, first, "at once")
            comes_back(server, last, "at once")
            follower = Events(server.port, types="change,request")
            for count in range(400, 10_000, 400):
                flood(server, 400)
                comes_back(server, last, f"after {count} requests")
            follower.close()
    return f"{silent} silent gaps in {returns} returns of readers"


def flood(server, count):
    """Sends requests faster than one each millisecond."""
    one = b"HEAD /posts/1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with Connection(server.port, 30) as connection:
        for _ in range(0, count, 400):
            connection.socket.sendall(one * 400)
            for _ in range(400):
                connection.answer("HEAD")


def unwatched(harness):
    """Without --watch an edit waits for the next write, also after one that was refused."""
    path = write_file(harness, "unwatched", {"posts": [{"id": 1}]})
    with Server(harness.binary, path, "--quiet") as server:
        server.request("POST", "/posts", {"text": "mine"})
        with open(path) as file:
            good = file.read()
        editing.put(path, good[:-3])
        harness.check(server.request("POST", "/posts", {}).status == 503, "unwatched: a write over an invalid file")
        editing.put(path, good)
        editing.move_over(path, '{"posts": [{"id": 1}]}')
        time.sleep(0.6)
        count = len(server.request("GET", "/posts").json)
        harness.check(count == 2, f"unwatched: an edit is served without a write: {count} records")
        harness.check(server.request("POST", "/posts", {"text": "next"}).status == 201, "unwatched: the write after it")
        harness.check(len(server.request("GET", "/posts").json) == 2, "unwatched: the edit is not taken by the write")


def measure(harness):
    options = harness.options
    generator = random.Random(options.seed)
    if options.run is not None:
        harness.figure = machines(harness, options.run, 1, options.steps)
        return
    figures = []
    for name, part in (
            ("copies", lambda: lost_copies(harness, generator, 44 if options.thorough else 9)),
            ("history", lambda: unwritable_history(harness)), ("unwatched", lambda: unwatched(harness)),
            ("events", lambda: events(harness, 5 if options.thorough else 1)),
            ("machine", lambda: machines(
                harness, options.seed * 100_000, 400 if options.thorough else 14, options.steps))):
        if options.part and name not in options.part:
            continue
        if figure := part():
            figures.append(figure)
            harness.note(figure)
        harness.figure = "; ".join(figures)


def add_options(parser):
    parser.add_argument(
        "--part", action="append", choices=["copies", "history", "unwatched", "events", "machine"], help="may be repeated")
    parser.add_argument("--run", type=int, help="only this run of the machine, as a failure names it")
    parser.add_argument("--steps", type=int, default=60, help="the steps of each run")


main(measure, add_options)
