#!/usr/bin/env python3
"""Samples an oracle's cases, with rare answers over-represented.

Usage: oracle_sample.py CASES.jsonl SAMPLE.jsonl.gz N

Cases with the same answer (verdict, reason, action, scope, who is charged, the
message without numbers, the first refusal) and the same point form a group. Every
group gets the same share of N; small groups leave the rest to larger ones.
"""

import collections
import gzip
import json
import re
import sys

PARTS = ("refused", "verdict", "reason", "action", "scope", "chargedTo",
         "message")


def answer(case):
    """Returns the group of a case; ignores names and numbers in texts."""
    expect = case["expect"]
    # One of several refusals: their combinations would outnumber the rest.
    said = json.dumps([expect.get(part) for part in PARTS] +
                      expect.get("refusals", [])[:1] + [case.get("point")])
    return re.sub(r"[0-9][0-9a-z-]*", "#", said)


def sample(cases, count):
    groups = collections.defaultdict(list)
    for case in cases:
        groups[answer(case)].append(case)
    taken = []
    by_size = sorted(groups.values(), key=len)
    for number, group in enumerate(by_size):
        share = max(count - len(taken), 0) / (len(by_size) - number)
        size = min(len(group), round(share))
        # Evenly over the group, because generators may go through a table in order.
        taken += [group[index * len(group) // size] for index in range(size)]
    return taken


def main():
    if len(sys.argv) != 4 or not sys.argv[3].isdigit():
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = [json.loads(line) for line in file if line.strip()]
    chosen = {case["id"] for case in sample(cases, int(sys.argv[3]))}
    # No time in the header, so that the same sample is the same file.
    with open(sys.argv[2], "wb") as raw, \
            gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        for case in cases:
            if case["id"] in chosen:
                line = json.dumps(case, ensure_ascii=False,
                                  separators=(",", ":"))
                file.write((line + "\n").encode())
    print(f"{sys.argv[2]}: {len(chosen)} of {len(cases)} cases")


if __name__ == "__main__":
    main()
