#!/usr/bin/env python3
"""Checks that the kustomize component's PrometheusRule has the rules of deploy/prometheus.

Usage: prometheus_rule.py ROOT | --write ROOT

Kustomize reads no file outside of the component, so it has a copy; --write makes it.
"""

import sys
from pathlib import Path

import yaml

HEAD = """\
# Made from deploy/prometheus/mulligan.rules.yaml by `scripts/deploy-check
# --write-rules`; the reasons stand there.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: mulligan
spec:
"""


def main():
    root = Path(sys.argv[-1])
    rules = root / "deploy/prometheus/mulligan.rules.yaml"
    made = root / "deploy/kustomize/components/prometheus-rules/prometheus-rule.yaml"
    if sys.argv[1] == "--write":
        lines = [line for line in rules.read_text().splitlines()
                 if line.strip() and not line.lstrip().startswith("#")]
        made.write_text(HEAD + "".join(f"  {line}\n" for line in lines))
        return
    if yaml.safe_load(made.read_text())["spec"] != yaml.safe_load(rules.read_text()):
        sys.exit(f"{made.relative_to(root)} is not {rules.relative_to(root)}: "
                 "run scripts/deploy-check --write-rules")


if __name__ == "__main__":
    main()
