#!/usr/bin/env python3
"""Checks that a failed test shows which row of its table failed.

Usage: check_printed.py TESTS_FOLDER

Lists the tests of each program in the folder and reports parameters that gtest
prints as bytes. A row with a member `name` is printed by it
(tests/testing/gtest/internal/custom/gtest-printers.h), any other type needs a
PrintTo() or an operator<< in its namespace.
"""
import os
import subprocess
import sys
from pathlib import Path

BYTES = "-byte object <"


def printed_as_bytes(listing):
    """Returns tests of a --gtest_list_tests whose parameter is shown as bytes."""
    suite, found = "", {}
    for line in listing.splitlines():
        if line and not line.startswith(" "):
            suite = line.split("#")[0].strip().rstrip(".")
        elif BYTES in line.partition("# GetParam() = ")[2]:
            found.setdefault(suite, line.split("#")[0].strip())
    return [f"{suite}.{test}" for suite, test in found.items()]


def list_tests(program):
    run = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True,
                         errors="replace", check=True)
    return run.stdout


def main(folder):
    programs = sorted(path for path in Path(folder).iterdir()
                      if path.is_file() and path.name.endswith("_test")
                      and os.access(path, os.X_OK))
    if not programs:
        return f"{folder}: no tests are built"
    found = [f"{program.name}: {test}" for program in programs
             for test in printed_as_bytes(list_tests(program))]
    for test in found:
        print(f"{test}: its parameter is printed as bytes; expected a member name, "
              "PrintTo() or operator<<")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
