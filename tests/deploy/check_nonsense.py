#!/usr/bin/env python3
"""Checks that helm refuses to render each row of nonsense_values.yaml, with its reason.

Usage: check_nonsense.py ROOT HELM
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import yaml


def refusal(helm, chart, values):
    """Returns helm's error, or None if it renders."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(values, file)
        file.flush()
        run = subprocess.run(
            [helm, "template", "mulligan", chart, "--kube-version", "1.30",
             "--values", file.name], capture_output=True, text=True, timeout=60)
    return None if run.returncode == 0 else run.stderr


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, helm = Path(sys.argv[1]), sys.argv[2]
    rows = yaml.safe_load(
        (root / "tests/deploy/nonsense_values.yaml").read_text())
    problems = 0
    for row in rows:
        said = refusal(helm, root / "deploy/helm/mulligan", row["values"])
        if said is None:
            print(f"{row['name']}: is rendered; expected: {row['says']}")
        elif row["says"] not in said:
            print(f"{row['name']}: expected: {row['says']}\nsays: {said}")
        else:
            continue
        problems += 1
    print(f"{len(rows)} rows, {problems} problems")
    sys.exit(1 if problems or not rows else 0)


if __name__ == "__main__":
    main()
