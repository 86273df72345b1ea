#!/usr/bin/env python3
"""The command line accepts files of earlier releases: decision logs, policies, ledgers.

    command_line.py MULLIGAN

Each folder next to this file is a release (record.py).
"""

import json
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASES = sorted(path.parent for path in HERE.glob("*/decisions.jsonl"))
MULLIGAN = sys.argv.pop(1)


def run(*arguments, **options):
    return subprocess.run([MULLIGAN, *map(str, arguments)], capture_output=True, text=True, check=True,
                          timeout=60, **options).stdout


class CompatTest(unittest.TestCase):
    def test_a_release_is_recorded(self):
        self.assertTrue(RELEASES)

    def test_its_decision_log_replays_unchanged(self):
        for release in RELEASES:
            log = release / "decisions.jsonl"
            result = json.loads(run("replay", log, "-o", "json"))
            with self.subTest(release.name):
                lines = len(log.read_text().splitlines())
                self.assertEqual((result["lines"], result["badLines"]), (lines, 0))
                self.assertEqual((result["all"]["decisions"], result["all"]["changed"]), (lines, 0), result)

    def test_its_decision_log_is_in_a_report(self):
        for release in RELEASES:
            with self.subTest(release.name):
                self.assertIn("CONTAINER_OOM", run("report", release / "decisions.jsonl"))

    def test_its_policies_have_no_problems(self):
        for release in RELEASES:
            with self.subTest(release.name):
                run("policy", "check", release / "policies")

    # The ledger is an annotation of the last attempt's object.
    def test_its_ledger_continues(self):
        pod = json.loads((HERE.parent / "testdata/quickstart/out-of-memory.json").read_text())
        for release in RELEASES:
            ledger = {"attemptsSeen": 3, "budgets": {"memory": {"used": 3}}}
            pod["metadata"]["annotations"] = {"mulligan.dev/ledger": json.dumps(ledger)}
            with self.subTest(release.name):
                result = json.loads(run("explain", "-", "-o", "json", input=json.dumps(pod)))
                self.assertEqual(result["decision"]["action"], "FAIL")


if __name__ == "__main__":
    unittest.main()
