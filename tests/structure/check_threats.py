#!/usr/bin/env python3
"""Checks that the tests named in docs/threat-model.md and docs/reliability.md exist.

Usage: check_threats.py ROOT

In every table with a column "Test", each row names one in backticks: Suite.Name, Suite, a
Go test, a script or a CTest. Otherwise it is marked **Open** (threat model) or has "–".
"""

import re
import sys
from pathlib import Path

GOOGLE_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)", re.MULTILINE)
GO_TEST = re.compile(r"^func (Test\w+)\(t \*testing\.T\)", re.MULTILINE)
STRUCTURE_TEST = re.compile(r"add_structure_test\(\s*(\w+)")
# foreach(check IN ITEMS sound renders) add_..._test(page.${check}
LOOP_OF_TESTS = re.compile(
    r"foreach\((\w+) IN ITEMS ([^)]*)\)\s+add_\w*test\(\s*(\w+)\.\$\{\1\}")
NAME = re.compile(r"`([^`]+)`")


def known_tests(root):
    names = set()
    for path in (root / "tests").rglob("*.cc"):
        for suite, name in GOOGLE_TEST.findall(path.read_text(errors="replace")):
            names |= {suite, f"{suite}.{name}"}
    for folder in ("client/go", "tests/e2e"):
        for path in (root / folder).rglob("*_test.go"):
            names |= set(GO_TEST.findall(path.read_text()))
    for path in (root / "tests").rglob("CMakeLists.txt"):
        text = path.read_text()
        names |= {f"structure.{name}" for name in STRUCTURE_TEST.findall(text)}
        names |= {f"{prefix}.{item}" for _, items, prefix in LOOP_OF_TESTS.findall(text)
                  for item in items.split()}
    names |= {f"scripts/{path.name}" for path in (root / "scripts").iterdir()
              if path.stat().st_mode & 0o100}
    return names


def rows(text):
    """Yields (row, its cell in the column Test) of each table that has one."""
    column = None
    for line in text.splitlines():
        if not line.startswith("|"):
            column = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if column is None:
            column = cells.index("Test") if "Test" in cells else -1
        elif column >= 0 and not set(line) <= set("|-: "):
            yield cells, cells[column]


def problems_of(text, known, must_be_open, files=()):
    count = 0
    for cells, tests in rows(text):
        count += 1
        names = NAME.findall(tests)
        # Scripts may have arguments; test files are named by path.
        for name in names:
            if name.split()[0] not in known and name not in files:
                yield f"{cells[0]}: there is no test {name}"
        if not names and must_be_open and "**Open**" not in " ".join(cells):
            yield f"{cells[0]}: no test, and not marked **Open**"
    if not count:
        yield "no table with a column Test"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = Path(sys.argv[1])
    known = known_tests(root)
    files = {path.relative_to(root).as_posix() for path in (root / "tests").rglob("*_test.*")}
    found = []
    for name in ("docs/threat-model.md", "docs/reliability.md"):
        found += [f"{name}: {problem}" for problem in problems_of(
            (root / name).read_text(), known, name == "docs/threat-model.md", files)]
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
