#!/usr/bin/env python3
"""Checks what each target links, directly or not, against include_rules.py.

Usage: check_links.py CLOSURES | --self-test

CLOSURES is a file of lines "target: library library ...", written by CMake.
--self-test proves that a forbidden library is found.
"""

import re
import sys
from pathlib import Path

from include_rules import LINK_RULES


def violations(closures):
    for target, forbidden in LINK_RULES.items():
        if target not in closures:
            yield f"{target} is not a target: correct LINK_RULES"
        for library in closures.get(target, ()):
            if re.fullmatch(forbidden, library):
                yield f"{target} must not link {library}"


def parse(text):
    rows = (line.partition(":")[::2] for line in text.splitlines() if line)
    return {target: libraries.split() for target, libraries in rows}


def self_test():
    clean = {target: [] for target in LINK_RULES}
    assert not list(violations(clean))
    planted = dict(clean, mulligan_proto=["absl::time", "gRPC::grpc++"])
    assert list(violations(planted)) == [
        "mulligan_proto must not link gRPC::grpc++"]
    del clean["mulligan_proto"]
    assert len(list(violations(clean))) == 1
    print("a planted link and a missing target were found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(violations(parse(Path(sys.argv[1]).read_text())))
    for violation in found:
        print(violation)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
