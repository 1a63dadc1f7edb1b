"""Makes the databases that servers are measured with: files, and schemas of a PostgreSQL that is started for them."""

import contextlib
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "Reliability"))

from support.harness import Skip  # noqa: E402
from support.postgresql import PostgreSQL  # noqa: E402

RECORD_BYTES = 1024
SMALL, MEDIUM, LARGE, HUGE = 1_000, 10_000, 100_000, 1_000_000
NEEDLE = "quizzical"
# What bodies are made of in which searches are slowest, and a text whose letters all occur there.
FREQUENT, FREQUENT_NEEDLE = " façade zz façade zy", "façade zzz"
FREQUENT_COUNT = 20_000


def record(number, random_numbers):
    """A record of about 1 KB; one in 1,000 holds the word that searches look for."""
    word = NEEDLE if number % 1000 == 500 else "ordinary"
    value = {
        "id": number,
        "title": f"Post {number}",
        "authorId": number % 1000,
        "views": random_numbers.randrange(10**6),
        "category": f"category {number % 17}",
        "isDraft": number % 5 == 0,
        "body": word,
    }
    padding = RECORD_BYTES - len(json.dumps(value, indent=2))
    value["body"] += " lorem ipsum dolor sit amet"[: padding] * max(1, padding // 27)
    return value


def make_database(path, count):
    """Writes a database as `json.dump` would, without holding all of it."""
    random_numbers = random.Random(count)
    authors = [{"id": number, "name": f"Author {number}"} for number in range(1000)]
    rest = json.dumps({"authors": authors, "profile": {"name": "typicode"}}, indent=2)
    with open(path, "w") as file:
        file.write('{\n  "posts": [')
        for number in range(1, count + 1):
            text = json.dumps(record(number, random_numbers), indent=2)
            file.write(("," if number > 1 else "") + "\n    " + text.replace("\n", "\n    "))
        file.write("\n  ],\n" + rest.removeprefix("{\n"))


def make_frequent_database(path, is_escaped):
    """Writes a database of records whose bodies hold nearly what is searched for."""
    random_numbers = random.Random(FREQUENT_COUNT)
    posts = [record(number, random_numbers) for number in range(1, FREQUENT_COUNT + 1)]
    for post in posts:
        post["body"] = FREQUENT * (RECORD_BYTES * 4 // 5 // len(FREQUENT))
    with open(path, "w") as file:
        json.dump({"posts": posts}, file, indent=2, ensure_ascii=is_escaped)


class Database:
    """What one server serves, or several: a file, and a schema where the command asks for one."""

    def __init__(self, path, url=None):
        self.path = path
        self.url = url


class Databases:
    """Copies of the databases of one run."""

    def __init__(self, directory, scratch=None):
        self.directory = directory
        self.scratch = scratch
        self.originals = {}
        self.postgres = None
        self.last_number = 0

    def original(self, kind):
        """The path of a file with a number of records, or to search for what is frequent; made when first asked for."""
        if kind not in self.originals:
            path = self.originals[kind] = os.path.join(self.directory, f"{kind}.json")
            if kind in ("frequent", "escaped"):
                make_frequent_database(path, kind == "escaped")
            else:
                make_database(path, kind)
        return self.originals[kind]

    @contextlib.contextmanager
    def fresh(self, command, kind):
        """A database with a number of records, or of another kind, for a command; gone in the end."""
        self.last_number += 1
        path = os.path.join(self.directory, f"db-{self.last_number}.json")
        subprocess.run(["cp", self.original(kind), path], check=True)
        schema = f"load{self.last_number}"
        url = self.started_postgres().url(schema) if "{postgres}" in command else None
        try:
            yield Database(path, url)
        finally:
            os.remove(path)
            if url:
                self.postgres.query(f"DROP SCHEMA IF EXISTS {schema} CASCADE")

    def started_postgres(self):
        if self.postgres is None:
            try:
                self.postgres = PostgreSQL(self.scratch)
            except Skip as skip:
                sys.exit(f"load.py: {skip}")
        return self.postgres

    def __enter__(self):
        return self

    def __exit__(self, *details):
        if self.postgres:
            self.postgres.__exit__(*details)
