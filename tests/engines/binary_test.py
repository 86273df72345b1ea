#!/usr/bin/env python3
"""mulligan.spark and mulligan.ray with the binary, without an engine.

Usage: binary_test.py MULLIGAN
"""
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "client/python"))
from mulligan import _binary  # noqa: E402

MULLIGAN = str(pathlib.Path(sys.argv.pop(1)).resolve())
SITUATIONS = ROOT / "tests/testdata/situations.jsonl"
PARTS = 4


class Table:
    """The methods of an Arrow table that are used."""

    def __init__(self, **columns):
        self.columns = columns

    def column(self, name):
        return self

    def to_pylist(self):
        return self.columns["value"]


def decisions():
    """One line for each situation, on several days, and a truncated one."""
    requests = []
    for number, line in enumerate(SITUATIONS.read_text().splitlines()):
        report = json.loads(line)["report"]
        report["observedAt"] = f"2026-12-{number % 9 + 10}T12:00:00Z"
        requests.append({"report": report})
    answers = subprocess.run(
        [MULLIGAN, "explain", "--requests", "-"], check=True, capture_output=True,
        input="".join(json.dumps(request) + "\n" for request in requests).encode())
    return [json.dumps({"request": request, "response": json.loads(answer)})
            for request, answer in zip(requests, answers.stdout.splitlines(),
                                       strict=True)] + ['{"torn']


class BinaryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = decisions()
        cls.placed = [_binary.placed(line, "-", number)
                      for number, line in enumerate(cls.lines, 1)]
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.policy = pathlib.Path(cls.folder.name, "no-retries.yaml")
        cls.policy.write_text("apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
                              "metadata: {name: no-retries}\n"
                              "spec: {default: {action: FAIL}}\n")

    def alone(self, *arguments):
        return subprocess.run([MULLIGAN, *arguments, "-"], check=True,
                              input="".join(line + "\n" for line in self.lines).encode(),
                              capture_output=True).stdout.decode()

    def test_a_report_in_parts_equals_that_of_one_machine(self):
        settings = _binary.ReportSettings.of(
            "", self.policy, "2026-12-11", datetime.date(2026, 12, 18), MULLIGAN)
        buckets = [[] for _ in range(PARTS)]
        keys = set()
        for start in range(PARTS):
            for key, part in settings.entries(self.placed[start::PARTS]):
                keys.add(key)
                buckets[zlib.crc32(key.encode()) % PARTS].append(part)
        self.assertGreater(len(keys), PARTS)
        report = _binary.Report(
            tuple(sum for bucket in buckets for sum in settings.sums(bucket)), MULLIGAN)
        for form in ("json", "text", "html", "csv"):
            self.assertEqual(report.output(form),
                             self.alone("report", f"--compare={self.policy}",
                                        "--since=2026-12-11", "--until=2026-12-18",
                                        "-o", form), form)
        everything = report.rows()[0]
        self.assertEqual(everything["by"], "all")
        self.assertGreater(everything["failures"], 0)
        self.assertIsInstance(everything["core_hours"], float)

    def test_a_replay_in_parts_equals_that_of_one_machine(self):
        settings = _binary.ReplaySettings.of([self.policy], MULLIGAN)
        replay = _binary.Replay(
            tuple(settings.result(self.placed[start::PARTS]) for start in range(PARTS)),
            MULLIGAN)
        self.assertEqual(replay.output("json"),
                         self.alone("replay", f"--policy={self.policy}", "-o", "json"))
        rows = list(settings.rows(self.placed))
        self.assertEqual([row["line"] for row in rows],
                         list(range(1, len(self.lines) + 1)))
        self.assertEqual(rows[-1]["action"], "")
        self.assertNotEqual(rows[-1]["error"], "")

    def test_more_results_than_a_command_line_takes_are_merged(self):
        settings = _binary.ReplaySettings.of(None, MULLIGAN)
        result = settings.result(self.placed[:1])
        most = _binary._MOST_FILES
        self.addCleanup(setattr, _binary, "_MOST_FILES", most)
        _binary._MOST_FILES = 2
        merged = json.loads(_binary.Replay((result,) * 7, MULLIGAN).output("json"))
        self.assertEqual(merged["lines"], 7)

    def test_a_row_without_a_place_gets_its_own(self):
        texts = ['{"a": 1}\n', None, '{"b":\n 2}']
        first = list(_binary.lines_of(Table(value=texts), "value", None))
        again = list(_binary.lines_of(Table(value=texts[::-1]), "value", None))
        self.assertEqual(len(first), 2)
        self.assertEqual(sorted(first), sorted(again))
        self.assertTrue(all(line.count(b"\n") == 1 and line.endswith(b"\n")
                            for line in first))

    def test_no_lines_make_an_empty_report(self):
        settings = _binary.ReportSettings.of("", None, None, None, MULLIGAN)
        self.assertEqual(list(settings.sums([])), [])
        self.assertEqual(_binary.Report((), MULLIGAN).output("text"),
                         "No failures in 0 lines.\n")

    def test_errors_name_the_value(self):
        with self.assertRaisesRegex(ValueError, "until: 'soon' is not valid; expected"):
            _binary.time_text("until", "soon")
        with self.assertRaisesRegex(ValueError, "since: .* has no time zone"):
            _binary.time_text("since", datetime.datetime(2026, 1, 1))
        with self.assertRaisesRegex(_binary.MulliganError, "/missing: does not exist"):
            _binary.find("/missing")
        with self.assertRaisesRegex(ValueError, "lines: is not a column, expected one of"):
            _binary.check_columns(["value"], "lines", None)
        with self.assertRaisesRegex(_binary.MulliganError, "bad.yaml"):
            bad = pathlib.Path(self.folder.name, "bad.yaml")
            bad.write_text("kind: Nonsense\n")
            _binary.ReplaySettings.of(bad, MULLIGAN).result(self.placed)
        with self.assertRaisesRegex(ValueError, "another policy file has this name"):
            _binary.Policies.read([self.policy, self.policy])


if __name__ == "__main__":
    unittest.main()
