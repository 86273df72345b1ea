#!/usr/bin/env python3
"""Checks every rendered set of objects against schemas and the rules of rendered.py.

Usage: check_rendered.py RENDERED SCHEMAS BINARIES
"""

import re
import subprocess
import sys
from pathlib import Path

import rendered
import schemas
import yaml

CONTROLLER = Path(__file__).resolve().parents[2] / "client/go/cmd/mulligan-controller/main.go"


def load(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def problems(items, validators, help_texts):
    for item in items:
        for problem in schemas.problems(validators, item):
            yield f"{rendered.name_of(item)}: {problem}"
    yield from rendered.problems(items, help_texts)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder, schema_folder, binaries = map(Path, sys.argv[1:])
    validators = schemas.load(schema_folder)
    help_texts = {"server": subprocess.run(
        [binaries / "mulligan-server", "--help"], capture_output=True, text=True,
        check=True, timeout=30).stdout}
    commands = subprocess.run([binaries / "mulligan", "--help"], capture_output=True, text=True,
                              check=True, timeout=30).stdout
    help_texts["replay"] = subprocess.run(
        [binaries / "mulligan", "replay", "--help"], capture_output=True, text=True, check=True,
        timeout=30).stdout if "\n  replay " in commands else ""
    # A Go program that is not built here: takes its flags from the source.
    help_texts["controller"] = {f"--{name}" for name in re.findall(
        r'Var\(&f\.[\w.]+, "([a-z0-9-]+)"', CONTROLLER.read_text())}
    found = []
    sets = sorted(folder.glob("*.yaml"))
    objects = 0
    for path in sets:
        items = load(path)
        objects += len(items)
        found += [f"{path.stem}: {problem}"
                  for problem in problems(items, validators, help_texts)]
    for problem in found:
        print(problem)
    print(f"{len(sets)} sets, {objects} objects, {len(found)} problems")
    sys.exit(1 if found or not objects else 0)


if __name__ == "__main__":
    main()
