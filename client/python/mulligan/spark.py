"""Reports and replays of decision logs on Apache Spark.

    decisions = spark.read.text("s3a://logs/mulligan/")
    print(mulligan.spark.report(decisions, team_label="team").output("text"))
    verdicts = mulligan.spark.replay(decisions, "candidate.yaml")
    verdicts.where("change <> ''").write.parquet("s3a://tables/changes")

A decision is a row with its line of the log (docs/decision-log.md) as text. The
binary `mulligan` does the work. It and this module must be on every worker: in the
image, or by `--files mulligan --py-files WHEEL`. Needs PySpark 3.5 or later and
PyArrow. The answers are byte for byte those of one machine, however the rows are
split and however often a task runs: docs/scale.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import pyarrow
from pyspark import SparkFiles
from pyspark.sql import DataFrame

from mulligan import _binary
from mulligan._binary import MulliganError, PathLike, Replay, Report, Time

__all__ = ["MulliganError", "Replay", "Report", "replay", "replay_summary", "report"]

_ROWS = pyarrow.schema([(name, pyarrow.int64() if name == "line" else pyarrow.string())
                        for name in _binary.ROW_MEMBERS])
_ROWS_DDL = ", ".join(f"{name} {'long' if name == 'line' else 'string'}"
                      for name in _binary.ROW_MEMBERS)
# Rows per batch: enough for Arrow, few enough for any memory.
_BATCH = 1024

Batches = Iterator[pyarrow.RecordBatch]


def report(decisions: DataFrame, *, column: str = "value",
           place: tuple[str, str] | None = None, team_label: str = "",
           compare: PathLike | Sequence[PathLike] | None = None,
           since: Time | None = None, until: Time | None = None,
           partitions: int | None = None, binary: PathLike | None = None) -> Report:
    """Returns what the failures of `decisions` cost, as `mulligan report` does.

    Moves only entries between machines, about 600 bytes per failure, and all entries
    of a workload to the same one.

    column: the column of the lines.
    place: columns of each line's file and number, to report unreadable lines; None:
        a number that depends only on the line.
    team_label: the label of the workload that names its team; "": the namespace.
    compare: policy files or directories on this machine, to compare with.
    since, until: leave out observations before `since`, and at or after `until`.
    partitions: partitions of the sums; None: `spark.sql.shuffle.partitions`.
    binary: the path of `mulligan` on every machine; None: $MULLIGAN_BINARY, else
        the file of `--files`, else on $PATH.
    """
    _binary.check_columns(decisions.columns, column, place)
    settings = _binary.ReportSettings.of(team_label, compare, since, until, binary)
    here = _binary.find(settings.binary, SparkFiles.getRootDirectory())

    def entries(batches: Batches) -> Batches:
        lines = (line for batch in batches
                 for line in _binary.lines_of(batch, column, place))
        yield from _batches(("key", "part"),
                            settings.entries(lines, SparkFiles.getRootDirectory()))

    def sums(batches: Batches) -> Batches:
        parts = (part for batch in batches for part in batch.column("part").to_pylist())
        made = settings.sums(parts, SparkFiles.getRootDirectory())
        yield from _batches(("part",), ((part,) for part in made))

    keyed = _narrow(decisions, column, place).mapInArrow(entries, "key string, part string")
    spread = (keyed.repartition(partitions, "key") if partitions
              else keyed.repartition("key"))
    collected = spread.mapInArrow(sums, "part string").collect()
    return Report(tuple(sorted(row.part for row in collected)), here)


def replay(decisions: DataFrame,
           policy: PathLike | Sequence[PathLike] | None = None, *,
           column: str = "value", place: tuple[str, str] | None = None,
           binary: PathLike | None = None) -> DataFrame:
    """Returns what `policy` would have decided, one row per decision.

    Columns are those of `mulligan replay -o rows` (docs/cli.md): the decision (cause,
    action, budget, sentence), the new one (replayedCause, ...), `change` ("RETRY to
    FAIL"; "" if nothing changes), and `error` for an unreadable line. Each line
    contains the ledger that it was decided with, so rows may be on any machine.
    Arguments are those of report(); policy: files or directories on this machine;
    None: the embedded policies.
    """
    _binary.check_columns(decisions.columns, column, place)
    settings = _binary.ReplaySettings.of(policy, binary)

    def verdicts(batches: Batches) -> Batches:
        lines = (line for batch in batches
                 for line in _binary.lines_of(batch, column, place))
        rows = settings.rows(lines, SparkFiles.getRootDirectory())
        while some := list(itertools.islice(rows, _BATCH)):
            yield pyarrow.RecordBatch.from_pylist(some, schema=_ROWS)

    return _narrow(decisions, column, place).mapInArrow(verdicts, _ROWS_DDL)


def replay_summary(decisions: DataFrame,
                   policy: PathLike | Sequence[PathLike] | None = None, *,
                   column: str = "value", place: tuple[str, str] | None = None,
                   binary: PathLike | None = None) -> Replay:
    """Returns what `policy` would change, as `mulligan replay` does.

    Arguments are those of replay().
    """
    _binary.check_columns(decisions.columns, column, place)
    settings = _binary.ReplaySettings.of(policy, binary)
    root = SparkFiles.getRootDirectory()
    here = _binary.find(settings.binary, root)

    def results(batches: Batches) -> Batches:
        lines = (line for batch in batches
                 for line in _binary.lines_of(batch, column, place))
        result = settings.result(lines, SparkFiles.getRootDirectory())
        yield from _batches(("part",), [(result,)])

    collected = (_narrow(decisions, column, place)
                 .mapInArrow(results, "part string").collect())
    made = sorted(row.part for row in collected)
    # Without rows there may be no part.
    return Replay(tuple(made or [settings.result((), root)]), here)


def _narrow(decisions: DataFrame, column: str,
            place: tuple[str, str] | None) -> DataFrame:
    return decisions.select(column, *(place or ()))


def _batches(names: Sequence[str], rows: Iterable[tuple[str, ...]]) -> Batches:
    """Yields batches of columns of text."""
    schema = pyarrow.schema([(name, pyarrow.string()) for name in names])
    rows = iter(rows)
    while some := list(itertools.islice(rows, _BATCH)):
        yield pyarrow.RecordBatch.from_arrays(
            [pyarrow.array(values, pyarrow.string()) for values in zip(*some)],
            schema=schema)
