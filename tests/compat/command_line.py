#!/usr/bin/env python3
"""The command line takes what earlier releases wrote: decision logs, policies, ledgers.

    command_line.py MULLIGAN

A folder beside this file is a release (record.py).
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
    def test_a_release_is_on_record(self):
        self.assertTrue(RELEASES)

    def test_its_decision_log_is_replayed_and_nothing_changes(self):
        for release in RELEASES:
            log = release / "decisions.jsonl"
            told = json.loads(run("replay", log, "-o", "json"))
            with self.subTest(release.name):
                lines = len(log.read_text().splitlines())
                self.assertEqual((told["lines"], told["badLines"]), (lines, 0))
                self.assertEqual((told["all"]["decisions"], told["all"]["changed"]), (lines, 0), told)

    def test_its_decision_log_is_reported_on(self):
        for release in RELEASES:
            with self.subTest(release.name):
                self.assertIn("CONTAINER_OOM", run("report", release / "decisions.jsonl"))

    def test_its_policies_have_no_problems(self):
        for release in RELEASES:
            with self.subTest(release.name):
                run("policy", "check", release / "policies")

    # As the annotation of an object, where the last attempt left it.
    def test_its_ledger_goes_on(self):
        pod = json.loads((HERE.parent / "testdata/quickstart/out-of-memory.json").read_text())
        for release in RELEASES:
            ledger = {"attemptsSeen": 3, "budgets": {"memory": {"used": 3}}}
            pod["metadata"]["annotations"] = {"mulligan.dev/ledger": json.dumps(ledger)}
            with self.subTest(release.name):
                told = json.loads(run("explain", "-", "-o", "json", input=json.dumps(pod)))
                self.assertEqual(told["decision"]["action"], "FAIL")


if __name__ == "__main__":
    unittest.main()
