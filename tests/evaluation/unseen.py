"""Failures of projects that nothing was learned from: leave one source out.

A row of the text tables may exist because of one project's failures. Each project's samples are
judged without the rows that decide no other project's, by a build that can leave rows out
(rows_left_out.cc). These answers are what the next project's failures may expect.
"""

import concurrent.futures
import os
import re
import tempfile
from pathlib import Path

import corpus
from engine import Engine

# Next to the command line; part of the build, not of the product.
BINARY = "tests/rows_left_out"
PROJECT = re.compile(r"[\w.-]+/[\w.-]+")
PAGE = re.compile(r"https?://([^/\s]+(?:/[^/\s]+)?)")
INDEX_FILE = re.compile(r"index (?:file|id) \d+")


def source_of(sample):
    """The project (owner/name), page or file that a sample comes from; its own id if that is
    not recorded."""
    source = sample.get("source") or ""
    page = PAGE.match(source)
    if page:
        host_and_path = page[1]
        if host_and_path.startswith("github.com"):
            return "/".join(source.split("/")[3:5]).lower()
        return host_and_path.lower()
    project = PROJECT.match(source)
    if project:
        return project[0].lower()
    file = INDEX_FILE.search(source)
    return file[0] if file else source.lower() or sample["id"]


def by_source(samples):
    sources = {}
    for sample in samples:
        sources.setdefault(source_of(sample), []).append(sample)
    return sources


def rows_in(answer):
    """The rows that an answer rests on: the deciding one, and signs that the failure passes."""
    diagnosis = answer["diagnosis"]
    rows = {diagnosis.get("signature", "")}
    rows |= {evidence["signature"] for evidence in diagnosis.get("evidence", [])
             if evidence.get("signature", "").startswith("passing/")}
    return rows - {""}


def own_rows(asked):
    """For each source, the rows that decide samples of no other source."""
    sources = {}
    for sample, answer, retries in asked:
        if retries is not None:
            for row in rows_in(answer):
                sources.setdefault(row, set()).add(source_of(sample))
    own = {}
    for row, of in sources.items():
        if len(of) == 1:
            own.setdefault(min(of), set()).add(row)
    return own


def ask_without(binary, rows, samples):
    """The answers about the samples with the rows left out."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(sorted(rows)) + "\n")
        file.flush()
        with Engine(binary, environment={"MULLIGAN_ROWS_LEFT_OUT": file.name}
                    ) as engine:
            return corpus.ask(engine, samples)


def ask(binary, asked):
    """The answers about the samples of corpus.ask(), each without its own source's rows."""
    own = own_rows(asked)
    groups = by_source(sample for sample, _, _ in asked)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = pool.map(
            lambda source: ask_without(Path(binary).parent / BINARY,
                                       own[source], groups[source]),
            sorted(own))
        again = [part for group in parts for part in group]
    return again + [part for part in asked if source_of(part[0]) not in own]
