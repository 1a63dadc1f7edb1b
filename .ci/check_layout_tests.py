#!/usr/bin/env python3
"""Tests each rule of check-layout.py with a violation, and with files that it must accept."""
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).with_name("check-layout.py")
specification = importlib.util.spec_from_file_location("check_layout", PATH)
layout = importlib.util.module_from_spec(specification)
specification.loader.exec_module(layout)

STORE = "Sources/JSONStorage/FileStore.swift"
SERVER = "Sources/JSONServer/Server/Server.swift"
FOUNDATION = """\
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
"""


# A rule, files, and the problems that the rule must find; none for valid files.
CASES = [
    (layout.imports, {STORE: "import JSONDescription\n"}, ["JSONStorage may not import JSONDescription"]),
    (layout.imports, {STORE: "package import JSONServerValues\n"}, []),
    (layout.imports, {STORE: "    import JSONServer\n"}, []),
    (layout.imports, {STORE: "@_exported import JSONServerValues\n"}, ["only Exports.swift exports a module again"]),
    (layout.imports, {SERVER: "import NIOCore\n"}, ["only JSONServerHTTP may import NIOCore"]),
    (layout.imports, {SERVER: "import NIOConcurrencyHelpers\n"}, []),
    (layout.imports, {"Sources/JSONServerHTTP/Transport/Bytes.swift": "import NIOCore\n"}, []),
    (layout.imports, {"Sources/JSONDatabase/Database.swift": "import Dispatch\n"},
     ["JSONDatabase is pure and may not import Dispatch"]),
    (layout.imports, {"Sources/Unknown/File.swift": ""}, ["Unknown has no arrows in .ci/check-layout.py"]),
    (layout.top_level, {"Package.swift": "", "Benchmarks/run": ""},
     ["the top level has no such entry; find it a room"]),
    (layout.conditions, {SERVER: "#if canImport(Darwin)\n#endif\n"},
     ["'#if canImport(Darwin)' stands in Platform folders only"]),
    (layout.conditions, {SERVER: "#if os(Linux)\n#endif\n"}, ["'#if os(Linux)' stands in Platform folders only"]),
    (layout.conditions, {SERVER: "  #if HTTPS\n  #endif\n"},
     ["'#if HTTPS' stands in Platform folders only"]),
    (layout.conditions, {SERVER: "#if HTTPS\n#endif\n"}, ["'#if HTTPS' stands in Platform folders only"]),
    (layout.conditions, {"Sources/JSONServerHTTP/Transport/Security/TLSContext.swift": "#if HTTPS\n#endif\n"}, []),
    (layout.conditions, {"Sources/JSONServerHTTP/Transport/Security/TLSContext.swift": "#if os(Linux)\n#endif\n"},
     ["'#if os(Linux)' stands in Platform folders only"]),
    (layout.conditions, {SERVER: FOUNDATION}, []),
    (layout.conditions, {SERVER: FOUNDATION.replace("Foundation\n", "Foundation\n  import Darwin\n")},
     ["'#if canImport(FoundationEssentials)' stands in Platform folders only"]),
    (layout.conditions, {"Sources/CDescription/Assets/Client.swift": "#if os(Linux)\n#endif\n"}, []),
    (layout.conditions, {"Sources/JSONServer/Platform/System.swift": "#if os(Linux)\n#endif\n"}, []),
]


class LayoutTests(unittest.TestCase):
    def test_each_rule_finds_its_violations_and_nothing_else(self):
        for rule, files, expected in CASES:
            with self.subTest(rule=rule.__name__, files=list(files.items())[:2]):
                self.assertEqual([problem for _, _, problem in rule(files)], expected)

    def test_each_rule_is_shown_a_violation(self):
        self.assertEqual({rule for rule, _, expected in CASES if expected}, set(layout.RULES))


if __name__ == "__main__":
    unittest.main()
