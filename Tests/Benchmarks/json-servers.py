#!/usr/bin/env python3
"""Measures swift-json-server beside json-server 0.17 and 1.0 in one run, and prints one table.

    Tests/Benchmarks/json-servers.py .build/release/swift-json-server

Each json-server is asked in its own parameters, and swift-json-server in both. At the first run, npm installs both
versions of json-server into --packages. A json-server that is there already is named with its version:

    --installed '0.17.4=node FOLDER/json-server/lib/cli/bin.js --quiet --port {port} {db}'

Needs what load.py needs, and Node.js. The exit code is 1 when a server refused something, or when a json-server cannot be
installed.
"""

import argparse
import json
import os
import pathlib
import platform
import shlex
import subprocess
import sys
import time

import load

# The versions that fixtures/conformance was recorded with, and the options that switch their logs off.
VERSIONS = {"0.17.4": "--quiet", "1.0.0-beta.15": ""}
# The parameters of a version, by its first number.
DIALECTS = {"0": load.V0, "1": load.V1}
ROWS = ["by-id", "by-id-cpu", "page", "sorted", "filtered", "put-small", "put-medium", "put-large", "start-small",
        "start-large", "memory"]


def json_servers(options):
    """The command of each json-server by its version: of those that are installed, and of the others from npm."""
    commands = dict(text.split("=", 1) for text in options.installed)
    given = {version[0] for version in commands}
    others = [version for version in VERSIONS if version[0] not in given]
    for version, path in install(options.packages.absolute(), others).items():
        commands[version] = f"node {shlex.quote(str(path))} {VERSIONS[version]} --port {{port}} {{db}}"
    return commands


def install(packages, versions):
    """Installs the versions that are missing, and returns the script of each."""
    folders = {version: packages / "node_modules" / f"json-server-{version}" for version in versions}
    missing = [version for version, folder in folders.items() if not folder.exists()]
    if missing:
        packages.mkdir(parents=True, exist_ok=True)
        names = [f"json-server-{version}@npm:json-server@{version}" for version in missing]
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", packages, *names]
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit(f"json-servers.py: npm cannot install json-server {' and '.join(missing)} into {packages}")
    return {version: folder / script(folder) for version, folder in folders.items()}


def script(folder):
    """The path of a package's program within its folder."""
    program = json.loads((folder / "package.json").read_text())["bin"]
    return program if isinstance(program, str) else program["json-server"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the executable of swift-json-server, a release build")
    parser.add_argument("--packages", type=pathlib.Path, default=pathlib.Path(load.HERE) / ".json-servers",
                        help="where npm installs json-server (default: .json-servers beside this program)")
    parser.add_argument("--installed", action="append", default=[], metavar="VERSION=COMMAND",
                        help="measure this json-server in place of npm's; the command has {port} and {db}")
    parser.add_argument("--duration", type=int, default=3, help="seconds of each load (default: 3)")
    parser.add_argument("--turns", type=int, default=load.TURNS,
                        help=f"how often the servers take turns (default: {load.TURNS})")
    parser.add_argument("--only", action="append", choices=ROWS, help="measure this row alone")
    options = parser.parse_args()
    ours = f"{shlex.quote(os.path.abspath(options.program))} --quiet --port {{port}} {{db}}"
    commands = {"ours": (ours, load.V0), "ours, --compat v1": (f"{ours} --compat v1", load.V1)}
    for version, command in json_servers(options).items():
        commands[f"json-server {version}"] = (command, DIALECTS[version[0]])
    load.TURNS = options.turns
    wanted = set(options.only or ROWS) | {"refused"}
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{time.strftime('%Y-%m-%d')}: {os.cpu_count()} processors, {platform.platform()}, Node.js {node}\n")
    load.report(load.measure(commands, options.duration, wanted), wanted)


if __name__ == "__main__":
    main()
