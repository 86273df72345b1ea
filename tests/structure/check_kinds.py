#!/usr/bin/env python3
"""Checks that only the files of a kind access the fields of its object. A new kind
needs only its mirror, its row, its functions and its operator's folder.

Usage: check_kinds.py ROOT

Looks for accessors of the fields of FailureReport that hold the object of a
workload (kinds.cc: rows with `.view`).
"""

import re
import sys
from pathlib import Path

FOLDERS = ("policy", "server", "client")
# Folders that may access them.
HOMES = ("policy/request/views/", "policy/native/")

VIEWED = re.compile(r'\.field = "(\w+)",(?:(?!\.name).)*?\.view = \w+', re.S)
TRAINING = "kubeflow_job"


def snake(json_name):
    return re.sub(r"([A-Z])", lambda m: "_" + m.group(1).lower(), json_name)


def fields(kinds_source):
    """Returns the names of the fields in C++."""
    found = {snake(name) for name in VIEWED.findall(kinds_source)}
    return sorted(found | {TRAINING})


def violations(root):
    names = fields((root / "policy/request/kinds.cc").read_text())
    if len(names) < 6:
        yield f"policy/request/kinds.cc: only {names} have views"
    access = re.compile(r"\b(?:has_|mutable_|set_allocated_)?("
                        + "|".join(names) + r")\(")
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cc", ".h"):
                continue
            name = path.relative_to(root).as_posix()
            if name.startswith(HOMES):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if found := access.search(line):
                    yield (f"{name}:{number}: accesses {found.group(1)}; use its "
                           "view (policy/request/workload_view.h)")


def main():
    found = list(violations(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
