#!/usr/bin/env python3
"""Adds to a decision log a failed Job and its further attempt by mulligan-controller.

    further_attempt.py LOG

The attempt is another object, with a ledger that was handed on: its history alone tells
that both are one workload.
"""

import copy
import json
import sys
from pathlib import Path

FIRST = "Job/first-attempt/1"


def attempt(line, uid, failure, ledger):
    told = copy.deepcopy(line)
    told["request"]["report"]["workload"] = {"kind": "Job", "namespace": "ml", "name": uid, "uid": uid}
    told["request"]["ledger"] = ledger
    told["response"]["failureId"] = failure
    return told


def main():
    log = Path(sys.argv[1])
    lines = (json.loads(line) for line in log.read_text().splitlines())
    line = next(each for each in lines if each["response"]["diagnosis"].get("situation") == "BROKEN"
                and not each["response"].get("accounting", {}).get("duplicate") and not each["response"].get("separate"))
    told = [attempt(line, "first-attempt", FIRST, {}),
            attempt(line, "second-attempt", "Job/second-attempt/1", {"history": [{"failureId": FIRST}]})]
    with log.open("a", encoding="utf-8") as out:
        out.writelines(json.dumps(each, separators=(",", ":")) + "\n" for each in told)


if __name__ == "__main__":
    main()
