#!/usr/bin/env python3
"""Runs schemathesis, a schema-driven tester that nobody here wrote, against servers of OpenAPI documents.

    .ci/check-openapi.py PROGRAM SCHEMATHESIS [--seed N]... [--examples N] [--phases NAMES] [--path PATTERN] [DOCUMENT]...

A document is an OpenAPI document, which the server serves with state, or a data file, whose own document
(/__admin/openapi.json) is held to the same measure with --check. Without documents: database.json and all of
fixtures/openapi. The routes below /__admin are left out: a hold would let the tester wait, and a fault fail.

Each check of schemathesis counts, except the one that any other credential is refused: without --auth, any is taken.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CREDENTIALS = ["Authorization: Bearer token", "X-API-Key: key", "X-Api-Token: key", "Cookie: sid=session"]


def documents():
    """All documents of the fixtures, without the files beside them that hold only schemas."""
    documents = sorted((ROOT / "fixtures/openapi").iterdir())
    return [ROOT / "database.json"] + [
        path for path in documents if re.search(r"^paths:|\"paths\"", path.read_text(), re.MULTILINE)
    ]


def is_document(path):
    return path.suffix in (".yaml", ".yml") or '"openapi"' in path.read_text()[:4096]


def start(program, path, directory):
    """Starts a server on a free port; returns the process and the address."""
    ready = pathlib.Path(directory) / "ready.json"
    options = ["--port", "0", "--quiet", "--ephemeral", "--ready-file", str(ready)]
    if not is_document(path):
        options.append("--check")
    server = subprocess.Popen([program, *options, str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in server.stdout:
        if line.startswith("http://"):
            return server, json.loads(ready.read_text())["url"]
    raise SystemExit(f"{path}: the server does not start")


def check(program, tester, path, seed, options):
    with tempfile.TemporaryDirectory() as directory:
        server, url = start(program, path, directory)
        try:
            described = str(path) if is_document(path) else url + "/__admin/openapi.json"
            command = [
                tester, "--config-file", str(ROOT / "fixtures/openapi/schemathesis.toml"), "run", described, "--url", url,
                "--checks", "all", "--exclude-checks", "ignored_auth", "--exclude-path-regex", "^/__admin",
                "--include-path-regex", options.path,
                "--seed", str(seed), "--max-examples", str(options.examples), "--phases", options.phases,
                "--warnings", "off", "--continue-on-failure", "--suppress-health-check", "all",
            ]
            for credential in CREDENTIALS:
                command += ["--header", credential]
            result = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        finally:
            server.terminate()
            server.communicate()
    lines = result.stdout.splitlines()
    cases = next((line.strip() for line in lines if "test cases" in line or "generated" in line), "")
    print(f"{path.name}, seed {seed}: {'passed' if result.returncode == 0 else 'FAILED'}; {cases}", flush=True)
    if result.returncode != 0:
        print(result.stdout)
    return result.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("tester")
    parser.add_argument("documents", nargs="*", type=pathlib.Path)
    parser.add_argument("--seed", action="append", type=int)
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--phases", default="examples,coverage,fuzzing,stateful")
    parser.add_argument("--path", default="")
    options = parser.parse_intermixed_args()
    paths = options.documents or documents()
    results = [
        check(options.program, options.tester, path.resolve(), seed, options)
        for path in paths
        for seed in options.seed or [1, 2, 3]
    ]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
