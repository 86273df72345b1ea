#!/usr/bin/env python3
"""Checks that rules and dashboards use series that the server or the controller has.

Usage: check_monitoring.py ROOT MULLIGAN_SERVER

Every series exists from the start and label values are closed sets. So each selector, and
each alternative of a pattern such as code=~"Internal|Unknown", must match a series of a
server just started, or of a controller (CONTROLLER, which another test keeps up to date).
Alerts correspond one to one to sections in the run book of docs/operations.md and to
firing tests of promtool.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import yaml

CONTROLLER = "client/go/internal/controller/testdata/metrics.txt"
# Names with a colon are recorded by the rules themselves.
SELECTOR = re.compile(r"(?<![:\w])((?:mulligan|grpc_server|process)_\w+)\b(?!:)(?:\{([^}]*)\})?")
MATCHER = re.compile(r'(\w+)(=~|!~|!=|=)"([^"]*)"')
SERIES = re.compile(r"^(\w+)(?:\{([^}]*)\})? ", re.MULTILINE)
# Labels that Prometheus or Grafana adds.
GIVEN = {"job", "instance", "alertname", "alertstate"}


def series_of(text):
    """Returns {name: [labels]} of an exposition."""
    found = {}
    for name, labels in SERIES.findall(text):
        found.setdefault(name, []).append(dict(re.findall(r'(\w+)="([^"]*)"', labels)))
    return found


def words_of(matchers):
    """Yields the matchers, and again for each alternative of a pattern."""
    yield matchers
    for i, (label, operator, value) in enumerate(matchers):
        if operator == "=~" and "|" in value:
            for word in value.split("|"):
                yield matchers[:i] + [(label, "=~", word)] + matchers[i + 1:]


def matches(labels, matchers):
    return all(
        bool(re.fullmatch(value if "~" in operator else re.escape(value),
                          labels.get(label, ""))) == operator.startswith("=")
        for label, operator, value in matchers)


def selector_problems(where, expression, series):
    for name, text in SELECTOR.findall(expression):
        if name not in series:
            yield f"{where}: no series {name}"
            continue
        matchers = [row for row in MATCHER.findall(text) if row[0] not in GIVEN]
        for row in words_of(matchers):
            if not any(matches(labels, row) for labels in series[name]):
                yield f"{where}: nothing of {name} matches {row}"
                break


def expressions(root):
    rules = yaml.safe_load((root / "deploy/prometheus/mulligan.rules.yaml").read_text())
    for group in rules["groups"]:
        for rule in group["rules"]:
            yield rule.get("alert") or rule["record"], rule["expr"]
    for dashboard in sorted((root / "deploy/grafana").glob("*.json")):
        for panel in json.loads(dashboard.read_text())["panels"]:
            for target in panel.get("targets", ()):
                yield f"{dashboard.stem}, panel {panel['title']}", target["expr"]


def alert_problems(root):
    rules = yaml.safe_load((root / "deploy/prometheus/mulligan.rules.yaml").read_text())
    alerts = {rule["alert"]: rule for group in rules["groups"]
              for rule in group["rules"] if "alert" in rule}
    book = (root / "docs/operations.md").read_text().partition("\n## Run book\n")[2]
    headings = set(re.findall(r"^### (Mulligan\w+)$", book, re.MULTILINE))
    tests = yaml.safe_load((root / "deploy/prometheus/mulligan.rules_test.yaml").read_text())
    firing = {row["alertname"] for test in tests["tests"]
              for row in test.get("alert_rule_test", ()) if row["exp_alerts"]}
    for name, rule in alerts.items():
        if rule["annotations"]["runbook"] != f"docs/operations.md#{name.lower()}":
            yield f"{name}: its runbook leads elsewhere"
    for what, names in (("section in the run book", headings), ("test that it fires", firing)):
        for name in sorted(set(alerts) ^ names):
            yield f"{name}: {'no ' + what if name in alerts else what + ' of no alert'}"


def exposition(server):
    with tempfile.TemporaryDirectory() as folder:
        ports = Path(folder) / "ports"
        process = subprocess.Popen(
            [server, "--listen-address=127.0.0.1:0", "--admin-address=127.0.0.1:0",
             "--drain-delay=0s", f"--port-file={ports}"], stderr=subprocess.DEVNULL)
        try:
            for _ in range(500):
                if ports.exists() and ports.read_text().endswith("\n"):
                    break
                time.sleep(0.02)
            port = json.loads(ports.read_text())["adminPort"]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
                return answer.read().decode()
        finally:
            process.terminate()
            process.wait(timeout=30)


def check(root, series):
    problems = [problem for where, expression in expressions(root)
                for problem in selector_problems(where, expression, series)]
    return problems + list(alert_problems(root))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root = Path(sys.argv[1])
    problems = check(root, series_of(exposition(sys.argv[2]) + (root / CONTROLLER).read_text()))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
