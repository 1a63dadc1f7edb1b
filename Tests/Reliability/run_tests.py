#!/usr/bin/env python3
"""Shows `run` harnesses that end in every way, and what it must call each."""
import argparse
import functools
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

FOLDER = pathlib.Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader("run", str(FOLDER / "run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)

# The least of a server: it says that it is ready, and waits for its end.
SERVER = """\
while [ "$1" != --ready-file ]; do shift; done
echo "{\\"port\\": 1, \\"pid\\": $$}" >"$2"
exec sleep 60
"""
HARNESS = """\
import os, signal, sys, threading, time
from support.harness import Skip, main
from support.histories import Histories
from support.linearizable import Operation
def raises(*_):
    raise RuntimeError("too long")
def measure(harness):
    harness.figure = "figure"
    {}
main(measure)
"""
THREAD = "thread = threading.Thread(target=raises); thread.start(); thread.join()"
SEARCH = "histories = Histories(); histories.add('r0', Operation(0, 1, 'GET', raises)); histories.judge(harness, 'kills')"

# A server, a harness, its result and what it said.
CASES = [
    (SERVER, HARNESS.format("pass"), "ok", "figure"),
    (SERVER, HARNESS.format("harness.fail('lost')"), "found", "1 failures, first: lost; figure"),
    (SERVER, HARNESS.format("raise Skip('no root')"), "skipped", "no root"),
    (SERVER, HARNESS.format("raises()"), "broken", "broke: RuntimeError('too long'); figure"),
    (SERVER, HARNESS.format("harness.fail('lost'); raises()"), "found",
     "1 failures, first: lost; broke: RuntimeError('too long'); figure"),
    (SERVER, HARNESS.format(THREAD), "broken", "broke: RuntimeError('too long'); figure"),
    (SERVER, HARNESS.format(SEARCH), "broken", "broke: kills: r0: too long; figure"),
    (SERVER, HARNESS.format("time.sleep(60)"), "timed out", "not done after 2 s"),
    (SERVER, HARNESS.format("os.kill(os.getpid(), signal.SIGKILL)"), "broken", "no verdict, exit status -9"),
    (SERVER, "from support import nothing", "broken", "no verdict, exit status 1"),
    (SERVER, "print('1')", "broken", "no verdict, exit status 0"),
    ("exit 0", HARNESS.format("harness.fail('lost')"), "broken", "broke: RuntimeError('The server did not start: ')"),
]
# The exit statuses of `run` without and with --planted.
STATUSES = {"ok": (0, 1), "found": (1, 0), "broken": (1, 1), "timed out": (1, 1), "skipped": (0, 1)}


class RunTests(unittest.TestCase):
    def test_each_end_of_a_harness_has_its_result(self):
        for server, harness, result, said in CASES:
            with self.subTest(harness=harness), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                (folder / "harnesses").mkdir()
                (folder / "harnesses/kill.py").write_text(harness)
                (folder / "support").symlink_to(FOLDER / "support")
                (folder / "server").write_text(f"#!/bin/sh\n{server}")
                (folder / "server").chmod(0o755)
                options = argparse.Namespace(server=str(folder / "server"), seed=1, short=False, thorough=False)
                limit = 2 if result == "timed out" else 60
                silent = functools.partial(subprocess.Popen, stderr=subprocess.DEVNULL)
                with mock.patch.multiple(run, ROOT=name, HARNESSES=[("kill", limit, limit)]), \
                        mock.patch("subprocess.Popen", silent):
                    self.assertEqual(run.run("kill", options)[:2], (result, said))

    def test_each_result_has_its_exit_status(self):
        for result, statuses in STATUSES.items():
            for status, planted in zip(statuses, ([], ["--planted"])):
                arguments = ["run", "kill", "--server", os.__file__, *planted]
                with self.subTest(result=result, planted=planted), mock.patch("sys.argv", arguments), \
                        mock.patch("os.access"), mock.patch.object(run, "run", return_value=(result, "", 0.0)), \
                        self.assertRaises(SystemExit) as end:
                    run.main()
                self.assertEqual(end.exception.code, status)


if __name__ == "__main__":
    unittest.main(buffer=True)
