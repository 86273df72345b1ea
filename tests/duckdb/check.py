"""Runs every SQL file of deploy/duckdb over a decision log and checks what it says.

    python check.py 'LOG*'

The same questions are answered line by line in Python; DuckDB has to agree.
"""
import collections
import glob
import gzip
import json
import pathlib
import sys

import duckdb

SQL = pathlib.Path(__file__).resolve().parents[2] / "deploy/duckdb"


def read_lines(pattern):
    for name in sorted(glob.glob(pattern)):
        opened = gzip.open if name.endswith(".gz") else open
        with opened(name, "rt") as file:
            for line in file:
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:
                    pass  # torn


def is_counted_failure(record):
    response = record["response"]
    return (response["diagnosis"].get("situation") == "BROKEN"
            and not response["accounting"].get("duplicate"))


def run(connection, name):
    """The rows of one file, as dictionaries."""
    cursor = connection.execute((SQL / name).read_text())
    columns = [column[0] for column in cursor.description]
    return [dict(zip(columns, row)) for row in cursor.fetchall()]


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: DuckDB says {found}, the lines say {expected}")
    print(f"{what}: {found}")


def main(pattern):
    records = list(read_lines(pattern))
    failures = [record for record in records if is_counted_failure(record)]
    connection = duckdb.connect()
    connection.execute("SET VARIABLE log = ?", [pattern])
    connection.execute((SQL / "decisions.sql").read_text())
    expect("decisions",
           connection.execute("SELECT count(*) FROM decisions").fetchone()[0],
           len(records))

    rows = run(connection, "why-jobs-die.sql")
    causes = collections.Counter(
        record["response"]["diagnosis"]["cause"] for record in failures)
    expect("failures by cause", {row["cause"]: row["failures"] for row in rows},
           dict(causes))

    rows = run(connection, "budgets.sql")
    charged = collections.Counter()
    for record in records:
        accounting = record["response"]["accounting"]
        if accounting.get("units"):
            charged[accounting["chargedTo"]] += accounting["units"]
    expect("charged by budget",
           {row["budget"]: row["charged"] for row in rows if row["charged"]},
           dict(charged))

    rows = run(connection, "nodes.sql")
    nodes = collections.Counter(
        record["response"]["diagnosis"].get("culprit", {}).get("node")
        for record in failures)
    nodes.pop(None, None)
    expect("nodes", len(rows), min(50, len(nodes)))
    expect("failures on nodes", {row["node"]: row["failures"] for row in rows},
           {row["node"]: nodes[row["node"]] for row in rows})

    rows = run(connection, "candidate.sql")
    asked = [record["response"]["candidate"] for record in records
             if "candidate" in record["response"]]
    expect("asked the candidate", sum(row["decisions"] for row in rows),
           len(asked))
    expect("candidate differs",
           sum(row["decisions"] for row in rows if row["differences"]),
           sum(1 for candidate in asked if candidate.get("differences")))

    rows = run(connection, "wasted-retries.sql")
    expect("retries", sum(row["retries"] for row in rows),
           sum(1 for record in records
               if record["response"]["decision"].get("action") == "RETRY"
               and not record["response"]["accounting"].get("duplicate")
               and record["response"]["diagnosis"].get("situation")
               == "BROKEN"))
    differ = any(candidate.get("differences") for candidate in asked)
    if not all((causes, charged, nodes, differ, rows)):
        sys.exit("a question has no answer: the log is too small to tell")


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
