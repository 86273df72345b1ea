"""Runs every SQL file of deploy/duckdb over a decision log and checks what it says.

    python check.py 'LOG*' MULLIGAN

The same questions are answered line by line in Python, and by `mulligan report`;
DuckDB has to agree with both.
"""
import collections
import datetime
import glob
import gzip
import json
import pathlib
import subprocess
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


def failures_of(records):
    """Each failure once, as it was answered last: record, its part of the answer."""
    told = {}
    for record in records:
        if not is_counted_failure(record):
            continue
        response = record["response"]
        # Observed by one clock, in one form but for the fraction of a second.
        order = (record["request"]["report"]["observedAt"].rstrip("Z"),
                 record["decidedAt"])
        parts = [part for part in response.get("separate", [])
                 if not part.get("duplicate")]
        for part in [response, *parts]:
            known = told.get(part["failureId"])
            if known is None or order >= known[0]:
                told[part["failureId"]] = (order, record, part)
    return [(record, part) for _, record, part in told.values()]


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")[:26]
                                           if "." in text else
                                           text.replace("Z", "+00:00"))


def run_of(pod):
    """From when until when a pod ran; None: it is not known, or still does."""
    status = pod.get("status", {})
    states = [container.get(name, {})
              for key in ("containerStatuses", "initContainerStatuses")
              for container in status.get(key, [])
              for name in ("state", "lastState")]
    begun = [state[kind]["startedAt"] for state in states
             for kind in ("running", "terminated")
             if state.get(kind, {}).get("startedAt")]
    ended = [state["terminated"]["finishedAt"] for state in states
             if state.get("terminated", {}).get("finishedAt")]
    start = status.get("startTime") or min(begun, default=None)
    runs = any("running" in state for state in states) or (
        not ended and status.get("phase") not in ("Failed", "Succeeded"))
    if not ended:
        ended = [condition["lastTransitionTime"]
                 for condition in status.get("conditions", [])
                 if condition.get("lastTransitionTime")]
    return (start and moment(start),
            None if runs else moment(max(ended)) if ended else "never")


def hours_lost(record, part):
    """Pod-hours of one failure, by the rules of client/cli/report/spent.h."""
    report = record["request"]["report"]
    observed = moment(report["observedAt"])
    struck = moment(part["diagnosis"].get("finishedAt") or report["observedAt"])
    culprit = part["diagnosis"].get("culprit", {}).get("pod", "")
    alone = culprit and part["decision"].get("scope") in ("CONTAINER", "POD", "INDEX")
    slack = datetime.timedelta(seconds=5)
    lost = counted = 0
    for pod in report.get("pods", []):
        start, end = run_of(pod)
        if start is None:
            continue
        mine = pod["metadata"].get("name", "") == culprit
        if mine and end == "never":
            end = struck
        if not mine and (alone or end == "never" or start > struck + slack
                         or (end is not None and end < struck - slack)
                         or pod["status"].get("phase") == "Succeeded"):
            continue
        counted += 1
        if end != "never":
            until = observed if end is None else min(end, observed)
            lost += max(0.0, (until - start).total_seconds())
    omitted = report.get("omittedPods", {})
    more = omitted.get("failed", 0) + omitted.get("running", 0)
    if not alone and counted:
        lost *= 1 + more / counted
    return lost / 3600


def check_report(pattern, mulligan, failures, connection):
    """`mulligan report` says what the SQL files and the lines say."""
    report = json.loads(subprocess.run(
        [mulligan, "report", *sorted(glob.glob(pattern)), "-o", "json"],
        check=True, stdout=subprocess.PIPE).stdout)
    rows = run(connection, "why-jobs-die.sql")
    expect("report: failures and workloads by cause",
           {name: (cost["failures"], cost["workloads"])
            for name, cost in report["by"]["cause"].items()},
           {row["cause"]: (row["failures"], row["workloads"]) for row in rows})
    rows = run(connection, "budgets.sql")
    expect("report: budgets",
           {name: (cost["charged"], cost["workloadsEnded"])
            for name, cost in report["budgets"].items()},
           {row["budget"]: (row["charged"], row["workloads_ended"]) for row in rows})
    rows = run(connection, "wasted-retries.sql")
    expect("report: retries in vain", report["done"]["retriedInVain"]["failures"],
           sum(row["in_vain"] for row in rows))
    hours = collections.Counter()
    for record, part in failures:
        hours[part["diagnosis"]["cause"]] += hours_lost(record, part)
    expect("report: pod-hours by cause",
           {name: round(cost["podHours"], 2)
            for name, cost in report["by"]["cause"].items()},
           {name: round(hours[name], 2) for name in report["by"]["cause"]})


def main(pattern, mulligan):
    records = list(read_lines(pattern))
    failures = failures_of(records)
    connection = duckdb.connect()
    connection.execute("SET VARIABLE log = ?", [pattern])
    connection.execute((SQL / "decisions.sql").read_text())
    expect("decisions",
           connection.execute("SELECT count(*) FROM decisions").fetchone()[0],
           len(records))

    rows = run(connection, "why-jobs-die.sql")
    causes = collections.Counter(
        part["diagnosis"]["cause"] for _, part in failures)
    expect("failures by cause", {row["cause"]: row["failures"] for row in rows},
           dict(causes))

    rows = run(connection, "budgets.sql")
    charged = collections.Counter()
    for _, part in failures:
        if "accounting" not in part:
            charged[part.get("chargedTo")] += 1
        elif part["accounting"].get("units"):
            charged[part["accounting"]["chargedTo"]] += 1
    charged.pop(None, None)
    expect("charged by budget",
           {row["budget"]: row["charged"] for row in rows if row["charged"]},
           dict(charged))

    rows = run(connection, "nodes.sql")
    nodes = collections.Counter(
        part["diagnosis"].get("culprit", {}).get("node")
        for _, part in failures)
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
           sum(1 for _, part in failures
               if part["decision"].get("action") == "RETRY"))
    check_report(pattern, mulligan, failures, connection)
    differ = any(candidate.get("differences") for candidate in asked)
    if not all((causes, charged, nodes, differ, rows)):
        sys.exit("a question has no answer: the log is too small to tell")


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
