#!/usr/bin/env python3
"""Prints "PASSED FAILED SKIPPED" for a JUnit file written by ctest.

A test that ctest could not start (its binary is missing) counts as failed.
"""

import sys
import xml.etree.ElementTree as ElementTree


def classify(case):
    status = case.get("status")
    if status == "run":
        return "passed"
    if status == "disabled":
        return "skipped"
    if status == "notrun":
        marker = case.find("skipped")
        message = marker.get("message", "") if marker is not None else ""
        return "skipped" if message.startswith("SKIP_") else "failed"
    return "failed"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: count_junit.py JUNIT.xml")
    try:
        cases = ElementTree.parse(sys.argv[1]).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError) as error:
        sys.exit(f"count_junit.py: {error}")
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in cases:
        counts[classify(case)] += 1
    print(counts["passed"], counts["failed"], counts["skipped"])


if __name__ == "__main__":
    main()
