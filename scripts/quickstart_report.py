#!/usr/bin/env python3
"""Prints verdict, price and reason of the DecideResponse on stdin.

Usage: quickstart_report.py EXPECTED_CAUSE

Fails if the input is not an answer or has another cause.
"""

import json
import re
import sys


def camel_case_names(value):
    """Converts field names of grpcurl, which spells them as the proto files do."""
    if isinstance(value, dict):
        return {re.sub(r"_([a-z])", lambda match: match.group(1).upper(), key):
                camel_case_names(item) for key, item in value.items()}
    if isinstance(value, list):
        return [camel_case_names(item) for item in value]
    return value


def verdict(decision):
    parts = [decision["action"], decision.get("scope", "")]
    if "retryAfter" in decision:
        parts.append("after " + decision["retryAfter"])
    if "queue" in decision:
        parts.append(decision["queue"])
    for change in decision.get("resources", ()):
        parts.append(f"with {change['resource']} x{change['factor']:g}")
    if decision.get("requiresRecreate"):
        parts.append("(delete and create again)")
    return " ".join(part for part in parts if part)


def price(accounting):
    name = accounting.get("chargedTo")
    if not name:
        return "nothing"
    for budget in accounting.get("budgets", ()):
        if budget["name"] == name:
            return (f"{accounting.get('units', '0')} of budget {name}, "
                    f"{budget.get('remaining', '0')} of "
                    f"{budget.get('limit', '0')} left")
    return f"budget {name}"


def rule(explanation):
    matched = explanation.get("matchedRule", {})
    if not matched.get("rule"):
        return explanation.get("decidedBy", "")
    place = matched.get("file", "")
    if matched.get("line"):
        place += f":{matched['line']}"
    return f"rule {matched['rule']} ({place})"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        answer = camel_case_names(json.load(sys.stdin))
        diagnosis, decision = answer["diagnosis"], answer["decision"]
    except (ValueError, KeyError) as error:
        sys.exit(f"  no answer: {error!r}")
    print(f"  cause    {diagnosis['cause']}, "
          f"{diagnosis.get('confidence', 'no')} confidence, "
          f"{diagnosis.get('faultDomain', '')}")
    print(f"  verdict  {verdict(decision)}")
    print(f"  price    {price(answer.get('accounting', {}))}")
    print(f"  problem  {diagnosis.get('problem') or decision.get('sentence')}")
    step = diagnosis.get("firstStep", {}).get("text")
    if step:
        print(f"  first    {step}")
    print(f"  by       {rule(answer.get('explanation', {}))}")
    if diagnosis["cause"] != sys.argv[1]:
        sys.exit(f"  expected cause {sys.argv[1]}")


if __name__ == "__main__":
    main()
