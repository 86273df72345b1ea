#!/usr/bin/env python3
"""Plants violations in a temporary tree: the check must find each of them."""

import tempfile
import unittest
from pathlib import Path

from check_includes import check_tree

VIOLATIONS = {
    "gRPC in policy": ("policy/decide.cc", "#include <grpcpp/grpcpp.h>"),
    "stubs in policy": ("policy/a.cc", '#include "mulligan/v1/s.grpc.pb.h"'),
    "thread in policy": ("policy/rules/match.cc", "#include <thread>"),
    "mutex in policy": ("policy/rules/match.cc", "#include <mutex>"),
    "files in policy": ("policy/budget/budget.cc", "#include <fstream>"),
    "logging in policy": ("policy/decide.cc", "#include <spdlog/spdlog.h>"),
    "absl clock in policy": ("policy/a.h", '#include "absl/time/clock.h"'),
    "clock call in policy": ("policy/a.cc",
                             "auto t = std::chrono::system_clock::now();"),
    "YAML outside the loader": ("policy/a.cc", "#include <yaml-cpp/yaml.h>"),
    "policy on its loader": ("policy/a.cc", '#include "policy/loader/load.h"'),
    "causes on rules": ("policy/demystify/judge.h",
                        '#include "policy/rules/ruleset.h"'),
    "native on verdicts": ("policy/native/job/a.cc",
                              '#include "policy/verdict/record.h"'),
    "the core on the operators' rules": (
        "policy/verdict/a.cc", '#include "policy/native/native.h"'),
    "the server on the core's rooms": (
        "server/rpc/a.cc", '#include "policy/verdict/verdict.h"'),
    "the command line on the core's rooms": (
        "client/cli/story/a.cc", '#include "policy/words/summary.h"'),
    "the base on requests": ("policy/base/a.cc",
                             '#include "policy/request/validate.h"'),
    "policy on server": ("policy/a.cc", '#include "server/observe/metrics.h"'),
    "gRPC in the loader": ("policy/loader/load.cc", "#include <grpc/grpc.h>"),
    "mutex in the loader": ("policy/loader/load.cc", "#include <mutex>"),
    "server on client": ("server/main.cc", '#include "client/client.h"'),
    "client on server": ("client/cli/main.cc", '#include "server/options.h"'),
    "the client on its command line": ("client/ledger.cc",
                                       '#include "client/cli/base/utf8.h"'),
    "reading on commands": ("client/cli/input/a.cc",
                            '#include "client/cli/flags.h"'),
    "stories on pages": ("client/cli/story/a.cc",
                         '#include "client/cli/print/layout.h"'),
    "replays on suites": ("client/cli/replay/a.cc",
                          '#include "client/cli/suite/suite.h"'),
    "a room of the server on what is built of rooms": (
        "server/net/tls.h", '#include "server/options.h"'),
    "connections on services": ("server/net/acceptor.cc",
                                '#include "server/rpc/unary_call.h"'),
    "logs on policies": ("server/observe/log.cc",
                         '#include "server/policies/snapshot.h"'),
    "product on tests": ("server/main.cc", '#include "tests/testing/files.h"'),
}

ALLOWED = {
    "messages": ("policy/a.cc", '#include "mulligan/v1/report.pb.h"'),
    "abseil": ("policy/a.cc", '#include "absl/status/statusor.h"'),
    "absl durations": ("policy/a.cc", '#include "absl/time/time.h"'),
    "a clock in a comment": ("policy/a.cc", "int a;  // unlike absl::Now"),
    "causes in rules": ("policy/rules/a.cc",
                        '#include "policy/demystify/demystify.h"'),
    "files in the loader": ("policy/loader/load.cc", "#include <fstream>"),
    "gRPC in server": ("server/main.cc", "#include <grpcpp/grpcpp.h>"),
    "logs in connections": ("server/net/acceptor.h",
                            '#include "server/observe/log.h"'),
    "admission in services": ("server/rpc/a.cc",
                              '#include "server/admission/arrivals.h"'),
    "reading in stories": ("client/cli/story/a.cc",
                           '#include "client/cli/input/inputs.h"'),
    "the client in pages": ("client/cli/print/a.cc",
                            '#include "client/ledger.h"'),
    "policy in client": ("client/cli/main.cc", '#include "policy/decide.h"'),
}


def violations_of(file, line):
    with tempfile.TemporaryDirectory() as root:
        path = Path(root) / file
        path.parent.mkdir(parents=True)
        path.with_suffix(".h").touch()
        path.write_text(f"// A file.\n{line}\n", encoding="utf-8")
        return check_tree(root)[0]


def violations_in(files):
    """Of files, each with what it includes; empty: nothing."""
    with tempfile.TemporaryDirectory() as root:
        for file, included in files.items():
            path = Path(root) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f'#include "{included}"\n' if included else "",
                            encoding="utf-8")
        return check_tree(root)[0]


class CheckIncludesTest(unittest.TestCase):

    def test_finds_each_planted_violation(self):
        for name, (file, line) in VIOLATIONS.items():
            with self.subTest(name):
                found = violations_of(file, line)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"{file}:2: "), found)

    def test_accepts_what_is_allowed(self):
        for name, (file, line) in ALLOWED.items():
            with self.subTest(name):
                self.assertEqual(violations_of(file, line), [])

    def test_finds_arrows_that_point_back(self):
        readers = "policy/demystify/readers"
        ways = {
            "by headers": {"policy/demystify/a.h": "policy/demystify/b.h",
                           "policy/demystify/b.h": "policy/demystify/a.h"},
            "by a source": {"policy/demystify/a.h": "policy/demystify/b.h",
                            "policy/demystify/b.h": "",
                            "policy/demystify/b.cc": "policy/demystify/a.h"},
            "outside of diagnoses": {"policy/rules/a.h": "policy/rules/b.h",
                                     "policy/rules/b.h": "policy/rules/a.h"},
            "by a third": {"policy/demystify/a.h": "policy/demystify/b.h",
                           "policy/demystify/b.h": f"{readers}/c.h",
                           f"{readers}/c.h": "policy/demystify/a.h"},
        }
        for name, files in ways.items():
            with self.subTest(name):
                found = violations_in(files)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith("know each other: "),
                                found)

    def test_two_ways_to_one_header_are_no_arrow_back(self):
        self.assertEqual(
            violations_in({"policy/demystify/a.h": "policy/demystify/b.h",
                           "policy/demystify/a.cc": "policy/demystify/c.h",
                           "policy/demystify/b.h": "policy/demystify/c.h",
                           "policy/demystify/c.h": ""}), [])

    def test_finds_a_source_without_its_header(self):
        for folder in ("demystify", "rules", "verdict"):
            with self.subTest(folder):
                source = f"policy/{folder}/a.cc"
                self.assertEqual(violations_in({source: ""}),
                                 [f"{source}: has no header of its name"])
        self.assertEqual(violations_in({"policy/native/import/a.cc": ""}), [])


if __name__ == "__main__":
    unittest.main()
