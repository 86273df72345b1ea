"""Runs the binary `mulligan` over lines, for all engines.

Each part of a table goes through its own process, whose answer does not depend on
how the table was split. Engines move entries (a line per failure) and sums (a line
for many) between machines: docs/scale.md.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow

# The most results per merge, because command lines have a limit.
_MOST_FILES = 200
# Members of a line of `mulligan replay -o rows`, all text except `line`.
ROW_MEMBERS = ("file", "line", "decisionId", "workload", "failureId", "observedAt",
               "cause", "action", "budget", "sentence", "replayedCause",
               "replayedAction", "replayedBudget", "replayedSentence", "change",
               "error")

PathLike = str | os.PathLike[str]
Time = str | datetime.date | datetime.datetime


class MulliganError(RuntimeError):
    """The binary refused its input or is missing; the message says why."""


def find(binary: PathLike | None = None, *folders: PathLike) -> str:
    """Returns the path of the binary.

    binary: its path on every machine; None: $MULLIGAN_BINARY, else the first
        `mulligan` in `folders`, else on $PATH.
    """
    named = binary or os.environ.get("MULLIGAN_BINARY")
    if named:
        path = os.fspath(named)
        if os.access(path, os.X_OK):
            return path
        raise MulliganError(f"{path}: does not exist or cannot be run; expected the "
                            "binary mulligan, on every machine that has a worker")
    found = shutil.which("mulligan", path=os.pathsep.join(
        [*(os.fspath(folder) for folder in folders),
         os.environ.get("PATH", os.defpath)]))
    if found:
        return found
    raise MulliganError("mulligan: not found; expected it on $PATH of every worker, "
                        "or in $MULLIGAN_BINARY, or as binary=")


@dataclasses.dataclass(frozen=True)
class Policies:
    """Policy files as text, to be sent to other machines."""

    files: tuple[tuple[str, bytes], ...] = ()

    @classmethod
    def read(cls, paths: PathLike | Sequence[PathLike] | None) -> Policies:
        """Reads files, and the files in directories; None: no policies."""
        if paths is None:
            return cls()
        if isinstance(paths, (str, os.PathLike)):
            paths = [paths]
        files: dict[str, bytes] = {}
        for path in map(pathlib.Path, paths):
            found = sorted(path.iterdir()) if path.is_dir() else [path]
            for file in found:
                if path.is_dir() and (file.name.startswith(".") or not file.is_file()):
                    continue
                if file.name in files:
                    raise ValueError(f"{file}: another policy file has this name; "
                                     "expected different names")
                files[file.name] = file.read_bytes()
        if not files:
            raise ValueError(f"{paths}: has no policy files")
        return cls(tuple(files.items()))

    def flags(self, flag: str, folder: str) -> list[str]:
        """Writes the files into `folder` and returns the flags that name them."""
        flags = []
        for name, text in self.files:
            path = pathlib.Path(folder, name)
            path.write_bytes(text)
            flags += [flag, str(path)]
        return flags


def time_text(name: str, time: Time) -> str:
    """Returns a day or a time for the binary, the same on every machine."""
    if isinstance(time, datetime.datetime):
        if time.tzinfo is None:
            raise ValueError(f"{name}: {time} has no time zone; expected one")
        return time.isoformat()
    if isinstance(time, datetime.date):
        return time.isoformat()
    try:
        datetime.datetime.fromisoformat(time)
    except ValueError:
        raise ValueError(f"{name}: {time!r} is not valid; expected a day or time such "
                         "as 2026-11-01 or 2026-11-01T06:00:00Z") from None
    return time


def run(arguments: Sequence[str], lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the binary's answer to `lines`, after it has read all of them.

    The answer is kept in a temporary file, so it may have any length. Raises
    MulliganError with the binary's message if it fails.
    """
    with (tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as errors):
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=answer,
                                   stderr=errors)
        assert process.stdin is not None
        try:
            with process.stdin as into:
                into.writelines(lines)
        except BrokenPipeError:
            pass  # The program has ended; its errors say why.
        except BaseException:
            process.kill()
            raise
        finally:
            code = process.wait()
        if code != 0:
            errors.seek(0)
            said = errors.read(4096).decode(errors="replace").strip()
            raise MulliganError(f"mulligan {arguments[1]} ended with {code}: {said}")
        answer.seek(0)
        yield from answer


def placed(text: str, file: str | None = None, line: int | None = None) -> bytes:
    """Returns a line for --placed: the position of a decision, and the decision.

    A row without a position gets one from a hash of its content, so that examples
    do not depend on how a table was split.
    """
    record = text.replace("\n", " ").encode(errors="replace")
    if file is None or line is None:
        file, line = "row", _hash(record)
    name = file.replace("\t", " ").replace("\n", " ")
    return b"%s\t%d\t%s\n" % (name.encode(errors="replace"), line, record)


def _hash(text: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") >> 1


@dataclasses.dataclass(frozen=True)
class ReportSettings:
    """The settings of `mulligan report`, on any machine."""

    team_label: str = ""
    compare: Policies = Policies()
    since: str = ""
    until: str = ""
    binary: str | None = None

    @classmethod
    def of(cls, team_label: str, compare: PathLike | Sequence[PathLike] | None,
           since: Time | None, until: Time | None,
           binary: PathLike | None) -> ReportSettings:
        return cls(team_label, Policies.read(compare),
                   time_text("since", since) if since else "",
                   time_text("until", until) if until else "",
                   os.fspath(binary) if binary else None)

    def entries(self, lines: Iterable[bytes],
                *folders: PathLike) -> Iterator[tuple[str, str]]:
        """Yields entries of placed lines, each with its key.

        All entries of a workload have the same key.
        """
        with tempfile.TemporaryDirectory() as folder:
            command = [find(self.binary, *folders), "report", "-", "--placed",
                       "--threads=1", "--output=entries",
                       *self.compare.flags("--compare", folder)]
            for flag, value in (("--team-label", self.team_label),
                                ("--since", self.since), ("--until", self.until)):
                if value:
                    command.append(f"{flag}={value}")
            for line in run(command, lines):
                # The key is the first member; lines about no workload have none.
                key = (line[7:line.index(b",")] if line.startswith(b'{"key":')
                       else b"%d" % _hash(line))
                yield key.decode(), line.decode().rstrip("\n")

    def sums(self, entries: Iterable[str], *folders: PathLike) -> Iterator[str]:
        """Yields the sums of entries of whole workloads; nothing without entries."""
        entries = iter(entries)
        first = next(entries, None)
        if first is None:
            return
        command = [find(self.binary, *folders), "report", "--merge", "-", "--threads=1",
                   "--output=sums"]
        for line in run(command, _lines(first, entries)):
            yield line.decode().rstrip("\n")


def _lines(first: str, rest: Iterable[str]) -> Iterator[bytes]:
    yield first.encode() + b"\n"
    for line in rest:
        yield line.encode() + b"\n"


@dataclasses.dataclass(frozen=True)
class Report:
    """What failures cost, merged from sums; the same as computed on one machine.

    sums: lines of `mulligan report --merge -o sums`, small enough for one machine.
    """

    sums: tuple[str, ...]
    binary: str | None = None

    def output(self, form: str) -> str:
        """Returns the report as "text", "html", "json" or "csv" (docs/report.md)."""
        command = [find(self.binary), "report", "-", f"--output={form}"]
        if self.sums:  # An empty log has no sums.
            command.append("--merge")
        return b"".join(run(command, (s.encode() + b"\n" for s in self.sums))).decode()

    def rows(self) -> list[dict[str, str | int | float]]:
        """Returns the tables: the lines of the CSV, keyed by its column names."""
        import csv
        import io
        rows = csv.DictReader(io.StringIO(self.output("csv"), newline=""))
        return [{name: _number(name, value) for name, value in row.items()}
                for row in rows]


def _number(name: str, value: str) -> str | int | float:
    if name in ("failures", "workloads"):
        return int(value)
    return float(value) if name.endswith("_hours") else value


@dataclasses.dataclass(frozen=True)
class ReplaySettings:
    """The settings of `mulligan replay`, on any machine."""

    policy: Policies = Policies()
    binary: str | None = None

    @classmethod
    def of(cls, policy: PathLike | Sequence[PathLike] | None,
           binary: PathLike | None) -> ReplaySettings:
        return cls(Policies.read(policy), os.fspath(binary) if binary else None)

    def rows(self, lines: Iterable[bytes], *folders: PathLike) -> Iterator[dict]:
        """Yields a verdict for each placed line, in order."""
        import json
        for line in self._run(lines, "rows", folders):
            row = json.loads(line)
            yield {name: row.get(name, "") for name in ROW_MEMBERS}

    def result(self, lines: Iterable[bytes], *folders: PathLike) -> str:
        """Returns the result of placed lines, for merge()."""
        return b"".join(self._run(lines, "json", folders)).decode()

    def _run(self, lines: Iterable[bytes], form: str,
             folders: Sequence[PathLike]) -> Iterator[bytes]:
        with tempfile.TemporaryDirectory() as folder:
            yield from run([find(self.binary, *folders), "replay", "-", "--placed",
                            "--threads=1", f"--output={form}",
                            *self.policy.flags("--policy", folder)], lines)


@dataclasses.dataclass(frozen=True)
class Replay:
    """What another policy would have decided, summed over all decisions.

    results: one per part, from `mulligan replay -o json`.
    """

    results: tuple[str, ...]
    binary: str | None = None

    def output(self, form: str) -> str:
        """Returns the result as "text", "html" or "json" (docs/cli.md)."""
        results = list(self.results)
        while len(results) > _MOST_FILES:
            results = [self._merged(results[at:at + _MOST_FILES], "json")
                       for at in range(0, len(results), _MOST_FILES)]
        return self._merged(results, form)

    def _merged(self, results: Sequence[str], form: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, f"{number}.json")
                     for number in range(len(results))]
            for path, result in zip(paths, results, strict=True):
                path.write_text(result, encoding="utf-8")
            return b"".join(run([find(self.binary), "replay", "--merge",
                                 f"--output={form}", *map(str, paths)], ())).decode()


def check_columns(names: Sequence[str], column: str,
                  place: tuple[str, str] | None) -> None:
    """Raises ValueError if a table lacks one of the columns."""
    for name in (column, *(place or ())):
        if name not in names:
            raise ValueError(f"{name}: is not a column, expected one of "
                             + ", ".join(names))


def lines_of(batch: pyarrow.RecordBatch | pyarrow.Table, column: str,
             place: tuple[str, str] | None) -> Iterator[bytes]:
    """Yields placed lines of an Arrow batch or table; skips rows without text."""
    texts = batch.column(column).to_pylist()
    if place is None:
        yield from (placed(text) for text in texts if text is not None)
        return
    files, lines = (batch.column(name).to_pylist() for name in place)
    for text, file, line in zip(texts, files, lines, strict=True):
        if text is not None:
            yield placed(text, file, line)
