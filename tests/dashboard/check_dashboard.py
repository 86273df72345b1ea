#!/usr/bin/env python3
"""Runs every query of the dashboards over a day of failures.

Usage: check_dashboard.py BINARIES PROMETHEUS [--seconds N] [--picture FILE]

Plays the day of day.py to a server behind mutual TLS, an hour in N seconds (default 2), while a
Prometheus scrapes it and a controller with simulated metrics. Then each query of deploy/grafana
must return at least one value that is not zero, except for the panels of QUIET, and exactly the
alerts expected of such a day must fire. --picture draws the results as SVG.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import picture
from controller import PlayedController
from day import Day
from prometheus import JOB, ROOT, Prometheus, Server, wait_until

# By the job that each is about; the first is drawn.
DASHBOARDS = {JOB: ROOT / "deploy/grafana/mulligan.json",
              "mulligan-controller": ROOT / "deploy/grafana/mulligan-controller.json"}
HOURS = 24
# Panels without a value on such a day, and why.
QUIET = {}
# Of the alerts without `for`. The day takes less than a minute, so alerts with `for` stay
# pending: promtool tests them.
FIRING = {"MulliganIncident", "MulliganBadNode"}


class Caller:
    """One `mulligan decide` that answers line by line, as a controller asks."""

    def __init__(self, server):
        self.process = subprocess.Popen(
            [*server.command(), "--requests", "-", "-o", "json"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def other_events(hour, server, policies):
    """Events of the hour other than failures of work."""
    broken = policies / "broken.yaml"
    if hour == 12:
        subprocess.run([*server.command("stranger"), "-f",
                        ROOT / "tests/testdata/quickstart/out-of-memory.json"],
                       capture_output=True, timeout=30)
    if hour == 18:
        broken.write_text("kind: RetryPolicy\n")
        server.reload()
    if hour == 19:
        broken.unlink()
        server.reload()


def play(server, policies, seconds):
    """Plays the day in HOURS * seconds; returns its beginning and end."""
    day, caller = Day(), Caller(server)
    begin = time.time()
    answers = 0
    for hour in range(HOURS):
        other_events(hour, server, policies)
        events = day.events(hour)
        # One after the other: a request has the ledger of the previous answer.
        for i, (kind, minute) in enumerate(events):
            job, request = day.request(kind, hour, minute)
            due = begin + seconds * (hour + i / len(events))
            time.sleep(max(0, due - time.time()))
            answer = caller.ask(request)
            answers += 1
            if job:
                day.answered(job, answer)
    time.sleep(max(0, begin + seconds * HOURS - time.time()))
    caller.close()
    print(f"{answers} requests in {time.time() - begin:.0f} s")
    return begin, time.time()


def filled_in(expression, seconds, job):
    """Like Grafana, fills in the displayed time and four scrapes."""
    return (expression.replace("$__range", f"{seconds + 5:.0f}s")
            .replace("$__rate_interval", "5s").replace("$job", job))


def ask(prometheus, job, panel, begin, end):
    """The panel's series: [(legend, labels, [(time, value)])]"""
    found = []
    for target in panel.get("targets", ()):
        expression = filled_in(target["expr"], end - begin, job)
        if target.get("instant"):
            result = [(series["metric"], [series["value"]]) for series in prometheus.query(expression)]
        else:
            result = [(series["metric"], series["values"])
                      for series in prometheus.query_range(expression, begin, end)]
        found += [(legend(target["legendFormat"], labels), points) for labels, points in result]
    return found


def legend(text, labels):
    for name, value in labels.items():
        text = text.replace("{{" + name + "}}", value)
    return text


def problems_of(panel, found):
    title = panel["title"]
    values = [float(value) for _, points in found for _, value in points]
    if not found:
        yield f"{title}: no series"
    elif title not in QUIET and not any(value == value and value != 0 for value in values):
        yield f"{title}: nothing but zeros"
    elif any("{{" in text for text, _ in found):
        yield f"{title}: a label of the legend does not exist: {found[0][0]}"


def alert_problems(prometheus):
    firing = {series["metric"]["alertname"] for series in prometheus.query(
        'ALERTS{alertstate="firing"}')}
    for name in sorted(FIRING - firing):
        yield f"{name} does not fire"
    for name in sorted(firing - FIRING):
        yield f"{name} fires"


def format_problems(promtool, address):
    """promtool's problems with the metrics themselves, after a day."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
        said = subprocess.run([promtool, "check", "metrics"], input=answer.read(), capture_output=True, check=False)
    return [] if said.returncode == 0 else (said.stdout + said.stderr).decode().splitlines()


def put_policies(folder):
    """The policies in force, and a candidate whose budgets of three pay for nothing."""
    text = (ROOT / "policy/default_policy.yaml").read_text()
    for name in ("policies", "candidate"):
        (folder / name).mkdir()
    (folder / "policies/default.yaml").write_text(text)
    (folder / "candidate/default.yaml").write_text(text.replace("limit: 3", "limit: 0"))
    return folder / "policies", folder / "candidate"


def check(args, folder):
    policies, candidate = put_policies(folder)
    with Server(args.binaries, folder, f"--policy-dir={policies}",
                f"--candidate-policy-dir={candidate}") as server, \
            PlayedController() as controller, \
            Prometheus(args.prometheus, folder, {
                JOB: server.admin, "mulligan-controller": controller.address}) as prometheus:
        begin, end = play(server, policies, args.seconds)

        def scraped_to_the_end():
            times = prometheus.query("timestamp(mulligan_build_info)")
            return times and float(times[0]["value"][1]) > end + 1
        wait_until(scraped_to_the_end)
        results = {job: [(panel, ask(prometheus, job, panel, begin, time.time()))
                         for panel in json.loads(path.read_text())["panels"]]
                   for job, path in DASHBOARDS.items()}
        shown = [row for rows in results.values() for row in rows if "targets" in row[0]]
        found = [problem for panel, series in shown for problem in problems_of(panel, series)]
        found += alert_problems(prometheus)
        found += format_problems(args.prometheus.with_name("promtool"), server.admin)
        server.check_alive()
    if args.picture:
        args.picture.write_text(picture.draw(results[JOB], begin, end))
    print(f"{sum(len(panel['targets']) for panel, _ in shown)} queries, {len(found)} problems")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", type=Path)
    parser.add_argument("prometheus", type=Path)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--picture", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = check(args, Path(name))
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
