"""Tests of every engine: its answers equal those of one machine.

$MULLIGAN_BIN has the binary, $MULLIGAN_LOG a decision log.
"""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

import pyarrow
import pyarrow.parquet

MULLIGAN = pathlib.Path(os.environ["MULLIGAN_BIN"], "mulligan")
LOG = pathlib.Path(os.environ["MULLIGAN_LOG"])
POLICY = """\
apiVersion: mulligan.dev/v1
kind: RetryPolicy
metadata: {name: no-retries}
spec:
  default: {action: FAIL}
"""
PLACE = ("file", "line")
FILES = 5

# Kills the first worker that runs it (the nearest process above named {worker}), then runs
# mulligan.
MURDEROUS = """\
#!/bin/sh
if mkdir '{mark}' 2>/dev/null; then
  pid=$PPID
  while ! grep -q '{worker}' "/proc/$pid/comm"; do
    pid=$(awk '/^PPid:/ {{print $2}}' "/proc/$pid/status")
    [ "$pid" -gt 1 ] || exit 1
  done
  kill -9 "$pid"
  exit 1
fi
exec '{mulligan}' "$@"
"""


class EngineCase(unittest.TestCase):
    """A table of decisions in Parquet, and the answers of one machine.

    An engine's case defines how it reads, and the name of its worker process.
    """

    worker = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.policy = cls.folder / "no-retries.yaml"
        cls.policy.write_text(POLICY)
        lines = LOG.read_text().splitlines() + ['{"torn": ']
        cls.text = "".join(line + "\n" for line in lines)
        cls.parquet = cls.folder / "decisions"
        cls.parquet.mkdir()
        for start in range(FILES):
            pyarrow.parquet.write_table(
                pyarrow.table({"value": lines[start::FILES],
                               "file": ["-"] * len(lines[start::FILES]),
                               "line": list(range(start + 1, len(lines) + 1, FILES))}),
                cls.parquet / f"{start}.parquet", row_group_size=50)

    def alone(self, *arguments):
        """The output of one machine for the log."""
        return subprocess.run([MULLIGAN, *arguments, "-"], input=self.text.encode(),
                              check=True, capture_output=True).stdout.decode()

    def murderous(self):
        """Returns a binary that kills a worker once, and the file that then exists."""
        mark = self.folder / f"{self.id()}.killed"
        binary = self.folder / f"{self.id()}.sh"
        binary.write_text(MURDEROUS.format(mark=mark, mulligan=MULLIGAN,
                                           worker=self.worker))
        binary.chmod(binary.stat().st_mode | stat.S_IXUSR)
        return binary, mark


class EngineTests:
    """Tests of each engine; `engine` is its module, `read` returns its table."""

    def test_a_report_equals_that_of_one_machine(self):
        report = self.engine.report(self.read(self.parquet), place=PLACE,
                                    team_label="team", compare=self.policy,
                                    partitions=3, binary=MULLIGAN)
        for form in ("json", "text", "html", "csv"):
            expected = self.alone("report", "--team-label=team",
                                  f"--compare={self.policy}", "-o", form)
            self.assertEqual(report.output(form), expected, form)
        self.assertIn('"badLines": 1', report.output("json"))

    def test_a_report_leaves_out_other_times(self):
        report = self.engine.report(self.read(self.parquet), place=PLACE,
                                    since="2026-11-10", until="2026-11-20T06:00:00Z",
                                    partitions=2, binary=MULLIGAN)
        expected = self.alone("report", "--since=2026-11-10",
                              "--until=2026-11-20T06:00:00Z", "-o", "json")
        self.assertEqual(report.output("json"), expected)
        self.assertNotIn('"leftOut": 0,', expected)

    def test_a_killed_worker_changes_nothing(self):
        binary, mark = self.murderous()
        report = self.engine.report(self.read(self.parquet), place=PLACE,
                                    partitions=3, binary=binary)
        self.assertTrue(mark.exists(), "no worker was killed")
        self.assertEqual(report.output("json"), self.alone("report", "-o", "json"))

    def test_tables_of_a_report_are_rows(self):
        report = self.engine.report(self.read(self.parquet), place=PLACE,
                                    partitions=2, binary=MULLIGAN)
        rows = report.rows()
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows),
                                    self.folder / "tables.parquet")
        self.assertEqual(
            pyarrow.parquet.read_table(self.folder / "tables.parquet").to_pylist(), rows)
        everything = rows[0]
        self.assertEqual(everything["by"], "all")
        causes = [row for row in rows if row["by"] == "cause"]
        self.assertEqual(sum(row["failures"] for row in causes), everything["failures"])

    def test_verdicts_of_a_replay_equal_those_of_one_machine(self):
        verdicts = self.rows(self.engine.replay(self.read(self.parquet), self.policy,
                                                place=PLACE, binary=MULLIGAN))
        expected = [json.loads(line) for line in self.alone(
            "replay", f"--policy={self.policy}", "--threads=1", "-o", "rows")
            .splitlines()]
        self.assertEqual(len(verdicts), len(expected))
        self.assertGreater(sum(row.get("change") == "RETRY to FAIL"
                               for row in expected), 0)
        for verdict, row in zip(sorted(verdicts, key=lambda row: row["line"]), expected,
                                strict=True):
            self.assertEqual({name: value for name, value in verdict.items() if value},
                             {name: value for name, value in row.items() if value})

    def test_a_replay_equals_that_of_one_machine(self):
        binary, mark = self.murderous()
        replay = self.engine.replay_summary(self.read(self.parquet), self.policy,
                                            place=PLACE, binary=binary)
        self.assertTrue(mark.exists(), "no worker was killed")
        expected = self.alone("replay", f"--policy={self.policy}", "-o", "json")
        self.assertEqual(replay.output("json"), expected)

    def test_rows_without_a_place_make_the_same_report(self):
        report = json.loads(self.engine.report(
            self.read(self.parquet), partitions=2, binary=MULLIGAN).output("json"))
        expected = json.loads(self.alone("report", "-o", "json"))
        self.assertEqual(report.pop("bad")[0]["why"], expected.pop("bad")[0]["why"])
        self.assertEqual(report, expected)

    def test_errors_are_raised_before_anything_runs(self):
        table = self.read(self.parquet)
        with self.assertRaisesRegex(ValueError, "text: is not a column, expected one of"):
            self.engine.report(table, column="text")
        with self.assertRaisesRegex(ValueError, "since: 'monday' is not valid"):
            self.engine.report(table, since="monday")
        with self.assertRaisesRegex(self.engine.MulliganError, "/missing: does not exist"):
            self.engine.report(table, binary="/missing")
        with self.assertRaisesRegex(FileNotFoundError, "missing.yaml"):
            self.engine.replay(table, self.folder / "missing.yaml")

    def test_errors_of_the_binary_are_raised(self):
        bad = self.folder / "bad.yaml"
        bad.write_text("kind: Nonsense\n")
        with self.assertRaisesRegex(Exception, "bad.yaml"):
            self.rows(self.engine.replay(self.read(self.parquet), bad, place=PLACE,
                                         binary=MULLIGAN))
