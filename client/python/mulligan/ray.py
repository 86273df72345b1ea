"""Reports and replays of decision logs on Ray Data.

    decisions = ray.data.read_text("s3://logs/mulligan/")
    print(mulligan.ray.report(decisions, column="text").output("text"))
    mulligan.ray.replay(decisions, "candidate.yaml", column="text").write_parquet(...)

Like mulligan.spark, with the same answers. The binary `mulligan` and this module
must be on every node: in the image, or by the runtime environment (`py_modules`,
and `working_dir` with the binary in it). Needs Ray Data 2.9 or later.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence

import pyarrow
import ray.data

from mulligan import _binary
from mulligan._binary import MulliganError, PathLike, Replay, Report, Time

__all__ = ["MulliganError", "Replay", "Report", "replay", "replay_summary", "report"]

_ROWS = pyarrow.schema([(name, pyarrow.int64() if name == "line" else pyarrow.string())
                        for name in _binary.ROW_MEMBERS])


def report(decisions: ray.data.Dataset, *, column: str = "value",
           place: tuple[str, str] | None = None, team_label: str = "",
           compare: PathLike | Sequence[PathLike] | None = None,
           since: Time | None = None, until: Time | None = None,
           partitions: int = 64, binary: PathLike | None = None) -> Report:
    """Returns what the failures of `decisions` cost, as `mulligan report` does.

    Arguments are those of mulligan.spark.report(). partitions: the number of partitions
    of the sums; each workload is in one of them.
    """
    _binary.check_columns(decisions.columns(), column, place)
    settings = _binary.ReportSettings.of(team_label, compare, since, until, binary)
    here = _binary.find(settings.binary, os.getcwd())

    def entries(table: pyarrow.Table) -> pyarrow.Table:
        rows = [(zlib.crc32(key.encode()) % partitions, part)
                for key, part in settings.entries(
                    _binary.lines_of(table, column, place), os.getcwd())]
        return pyarrow.table(
            {"bucket": pyarrow.array([bucket for bucket, _ in rows], pyarrow.int64()),
             "part": pyarrow.array([part for _, part in rows], pyarrow.string())})

    def sums(table: pyarrow.Table) -> pyarrow.Table:
        made = list(settings.sums(table.column("part").to_pylist(), os.getcwd()))
        return pyarrow.table({"part": pyarrow.array(made, pyarrow.string())})

    parts = (_narrow(decisions, column, place)
             .map_batches(entries, batch_format="pyarrow", batch_size=None)
             .groupby("bucket", num_partitions=partitions)
             .map_groups(sums, batch_format="pyarrow"))
    return Report(tuple(sorted(row["part"] for row in parts.iter_rows())), here)


def replay(decisions: ray.data.Dataset,
           policy: PathLike | Sequence[PathLike] | None = None, *,
           column: str = "value", place: tuple[str, str] | None = None,
           binary: PathLike | None = None) -> ray.data.Dataset:
    """Returns what `policy` would have decided, one row per decision.

    Columns and arguments are those of mulligan.spark.replay().
    """
    _binary.check_columns(decisions.columns(), column, place)
    settings = _binary.ReplaySettings.of(policy, binary)

    def verdicts(table: pyarrow.Table) -> pyarrow.Table:
        lines = _binary.lines_of(table, column, place)
        return pyarrow.Table.from_pylist(list(settings.rows(lines, os.getcwd())),
                                         schema=_ROWS)

    return _narrow(decisions, column, place).map_batches(
        verdicts, batch_format="pyarrow", batch_size=None)


def replay_summary(decisions: ray.data.Dataset,
                   policy: PathLike | Sequence[PathLike] | None = None, *,
                   column: str = "value", place: tuple[str, str] | None = None,
                   binary: PathLike | None = None) -> Replay:
    """Returns what `policy` would change, as `mulligan replay` does.

    Arguments are those of mulligan.spark.replay().
    """
    _binary.check_columns(decisions.columns(), column, place)
    settings = _binary.ReplaySettings.of(policy, binary)
    here = _binary.find(settings.binary, os.getcwd())

    def results(table: pyarrow.Table) -> pyarrow.Table:
        result = settings.result(_binary.lines_of(table, column, place), os.getcwd())
        return pyarrow.table({"part": pyarrow.array([result], pyarrow.string())})

    parts = _narrow(decisions, column, place).map_batches(
        results, batch_format="pyarrow", batch_size=None)
    made = sorted(row["part"] for row in parts.iter_rows())
    # Without rows there is no part.
    return Replay(tuple(made or [settings.result((), os.getcwd())]), here)


def _narrow(decisions: ray.data.Dataset, column: str,
            place: tuple[str, str] | None) -> ray.data.Dataset:
    return decisions.select_columns([column, *(place or ())])
