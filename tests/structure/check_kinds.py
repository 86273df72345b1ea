#!/usr/bin/env python3
"""Only the files of a kind know the fields of its object: a new one is its
mirror, its row, its functions and its operator's folder.

Usage: check_kinds.py ROOT

Looks for the accessors of those fields of FailureReport that hold an object
which Jobs and pods are made for (kinds.cc: rows with `.view`).
"""

import re
import sys
from pathlib import Path

FOLDERS = ("policy", "server", "client")
# Where a kind is known.
HOMES = ("policy/request/views/", "policy/native/")

VIEWED = re.compile(r'\.field = "(\w+)",(?:(?!\.name).)*?\.view = \w+', re.S)
TRAINING = "kubeflow_job"


def snake(json_name):
    return re.sub(r"([A-Z])", lambda m: "_" + m.group(1).lower(), json_name)


def fields(kinds_source):
    """Names of the fields, as C++ accesses them."""
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
                    yield (f"{name}:{number}: asks for {found.group(1)}; ask its "
                           "view (policy/request/workload_view.h)")


def main():
    found = list(violations(Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
