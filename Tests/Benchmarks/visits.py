#!/usr/bin/env python3
"""Counts the files of JSONServer that a request, or an edit of the file, passes through.

    Tests/Benchmarks/visits.py           the numbers
    Tests/Benchmarks/visits.py --list    the files, too

Builds the server with coverage into .build-coverage, and compares what a server has executed that was only started and stopped
with what one has that did more. A file counts when one of its functions was entered; files of the folder Transport count, too.
"""

import argparse
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, ".build-coverage")
# Those of the compiler: others may not read its profiles.
TOOLS = os.path.dirname(os.path.realpath(shutil.which("swift") or "swift"))
DATA = {"posts": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}], "comments": [{"id": 1, "postId": 1}]}


def get(port, path):
    request(port, "GET", "/posts/1")


def post(port, path):
    request(port, "POST", "/posts", {"title": "c"})


def edit(port, path):
    with open(path, "w") as file:
        json.dump(DATA | {"posts": [{"id": 3, "title": "edited"}]}, file)
    time.sleep(1)


ACTIONS = {"GET by id": get, "POST": post, "an edit of the file": edit}


def request(port, method, target, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request(method, target, body and json.dumps(body), {"Content-Type": "application/json"} if body else {})
    response = connection.getresponse()
    response.read()
    if response.status >= 300:
        sys.exit(f"visits.py: {method} {target} is answered with {response.status}")


def entered(program, action):
    """The functions that a run has entered, as pairs of their file and name."""
    with tempfile.TemporaryDirectory() as directory:
        path, ready = os.path.join(directory, "db.json"), os.path.join(directory, "ready")
        raw, profile = os.path.join(directory, "raw"), os.path.join(directory, "profile")
        with open(path, "w") as file:
            json.dump(DATA, file)
        process = subprocess.Popen(
            [program, "--quiet", "--watch", "--port", "0", "--ready-file", ready, path], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, env=os.environ | {"LLVM_PROFILE_FILE": raw})
        while not os.path.exists(ready):
            if process.poll() is not None:
                sys.exit("visits.py: the server has ended")
            time.sleep(0.05)
        with open(ready) as file:
            port = json.load(file)["port"]
        time.sleep(1)
        if action:
            action(port, path)
        process.terminate()
        process.wait()
        subprocess.run([os.path.join(TOOLS, "llvm-profdata"), "merge", "-sparse", raw, "-o", profile], check=True)
        output = subprocess.run(
            [os.path.join(TOOLS, "llvm-cov"), "export", "--format=text", f"--instr-profile={profile}", program], check=True,
            capture_output=True).stdout
    functions = json.loads(output)["data"][0]["functions"]
    return {(file, function["name"]) for function in functions if function["count"] for file in function["filenames"][:1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the files, too")
    options = parser.parse_args()
    subprocess.run(
        ["swift", "build", "--package-path", ROOT, "--scratch-path", BUILD, "--product", "swift-json-server",
         "-Xswiftc", "-profile-generate", "-Xswiftc", "-profile-coverage-mapping"],
        check=True, stdout=subprocess.DEVNULL)
    program = os.path.join(BUILD, "debug", "swift-json-server")
    started = entered(program, None)
    for name, action in ACTIONS.items():
        folder = os.path.join(ROOT, "Sources", "JSONServer") + os.sep
        files = {file for file, _ in entered(program, action) - started if file.startswith(folder)}
        print(f"{name:20} {len(files):4} files of JSONServer")
        if options.list:
            for file in sorted(files):
                print("    " + file.removeprefix(folder))


if __name__ == "__main__":
    main()
