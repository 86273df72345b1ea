#!/usr/bin/env python3
"""Checks lengths of C++ files and functions, and of YAML files and their
lines; file names come on stdin.

A function is recognised by its shape after clang-format: a declaration with
parentheses that opens a brace, closed at the indentation it started at.
"""

import re
import sys
from pathlib import Path

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
# clang-format sees to those of C++.
MAX_YAML_COLUMNS = 80

# Tables of data: long by nature, one row a fact.
EXEMPT = Path(__file__).with_name("size_exemptions.txt")

NOT_A_FUNCTION = re.compile(
    r"^\s*(namespace|class|struct|enum|union|extern|using|typedef|#|//|\}"
    # Rows of a test, not code.
    r"|INSTANTIATE_TEST_SUITE_P"
    r"|(public|protected|private):)")


def functions(lines):
    """Yields (first line number, name, length) of each function."""
    index = 0
    while index < len(lines):
        start = index
        line = lines[index]
        index += 1
        indent = len(line) - len(line.lstrip())
        if not line.strip() or indent > 2 or NOT_A_FUNCTION.match(line):
            continue
        head = line
        while (not re.search(r"[{};]\s*(//.*)?$", lines[index - 1])
               and index < len(lines)):
            head += " " + lines[index].strip()
            index += 1
        opened = head.rstrip().endswith("{")
        before_brace = head.rsplit("{", 1)[0]
        is_data = re.search(r"[^=!<>]=([^=]|$)", before_brace.split("(")[0].rstrip())
        if not opened or "(" not in head or is_data:
            continue
        closing = re.compile(r"^ {%d}\}" % indent)
        while index < len(lines) and not closing.match(lines[index]):
            index += 1
        index += 1
        name = before_brace.split("(")[0].strip().split()[-1]
        yield start + 1, name, index - start


def exempt_files():
    if not EXEMPT.exists():
        return set()
    rows = (row.split("#")[0].strip() for row in EXEMPT.read_text().split("\n"))
    return {row for row in rows if row}


def check(path, exempt):
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    if len(lines) > MAX_FILE_LINES and path not in exempt:
        yield f"{path}: {len(lines)} lines, at most {MAX_FILE_LINES}"
    if path.endswith(".yaml"):
        for number, line in enumerate(lines, start=1):
            if len(line) > MAX_YAML_COLUMNS:
                yield (f"{path}:{number}: {len(line)} columns, "
                       f"at most {MAX_YAML_COLUMNS}")
        return
    for line, name, length in functions(lines):
        if length > MAX_FUNCTION_LINES and path not in exempt:
            yield (f"{path}:{line}: {name} has {length} lines, "
                   f"at most {MAX_FUNCTION_LINES}")


def main():
    exempt = exempt_files()
    problems = [f"scripts/size_exemptions.txt: {path} does not exist"
                for path in sorted(exempt) if not Path(path).exists()]
    for path in sys.stdin.read().split():
        problems.extend(check(path, exempt))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
