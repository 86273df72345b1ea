"""The goals of docs/evaluation.md, on smaller samples with fixed seeds.

Usage: goals_test.py MULLIGAN REPOSITORY
"""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import evaluate  # noqa: E402
import gangs  # noqa: E402
import incidents  # noqa: E402
import nodes  # noqa: E402
import repeats  # noqa: E402
import retried  # noqa: E402
import worth  # noqa: E402
from engine import Engine  # noqa: E402

SEED = 7
BINARY = REPOSITORY = None


class Goals(unittest.TestCase):
    def test_gangs(self):
        with Engine(BINARY) as engine:
            result = gangs.measure(engine, SEED, 600)
        number, ours, theirs = result["table"]["with logs"]
        self.assertGreaterEqual(ours / number, 0.95)
        self.assertLess(theirs / number, 0.75)
        number, ours, _ = result["table"]["without logs"]
        # No reader does better than one who knows the odds.
        self.assertGreaterEqual(ours, 0.9 * result["at_most"])
        self.assertLess(result["at_most"], 0.8 * number)
        self.assertEqual(result["charged_twice"], 0)
        for number, ours, theirs in result["table"].values():
            self.assertGreaterEqual(ours, theirs)

    def test_nodes(self):
        with Engine(BINARY) as engine:
            result = nodes.measure(engine, SEED, 4000, fleets=2)
        ours, theirs = result["mulligan"], result["peers"]
        self.assertGreaterEqual(ours["precision"], 0.90)
        self.assertGreaterEqual(ours["recall"], 0.90)
        self.assertLessEqual(ours["nodes"], theirs["nodes"] / 4)
        self.assertGreaterEqual(ours["succeeded"], theirs["succeeded"])

    def test_repeats(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
            policy.write(evaluate.more_tries_policy(REPOSITORY))
            policy.flush()
            with Engine(BINARY, policy.name) as engine:
                result = repeats.measure(engine, SEED, 4000)
        ours, theirs = result["mulligan"], result["fixed count 6"]
        self.assertLessEqual(ours["wasted"], 0.6 * theirs["wasted"])
        self.assertLessEqual(ours["false_stops"], 0.01 * theirs["succeeded"])

    def test_retried(self):
        with Engine(BINARY) as engine:
            result = retried.measure(engine, SEED, 3000)
        self.assertLessEqual(result["wasted"], 0.4 * result["hours"])
        self.assertGreaterEqual(result["early"], 0.94 * result["alike"])
        mistakes, _, early = result["kinds"]["mistake"]
        self.assertGreaterEqual(early, 0.95 * mistakes)
        self.assertLessEqual(result["false_stops"], 0.0075 * result["could"])

    def test_hours(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
            policy.write(evaluate.more_tries_policy(REPOSITORY))
            policy.flush()
            with Engine(BINARY, policy.name) as engine:
                costs = worth.measure({"ours": engine}, SEED, 4000)
        ours, theirs = costs["ours"], costs["backoffLimit 6"]
        self.assertLessEqual(ours.in_vain, 0.25 * theirs.in_vain)
        self.assertLessEqual(ours.false_stops, 0.01 * ours.could)
        self.assertEqual(theirs.false_stops, 0)
        self.assertGreater(costs["exit codes"].false_stops, ours.false_stops)

    def test_incidents(self):
        with Engine(BINARY) as engine:
            result = incidents.measure(engine, SEED, 6)
        ours, theirs = result["mulligan"], result["peers"]
        self.assertLessEqual(ours["charged"], 0.25 * ours["victims"])
        self.assertLessEqual(ours["lost"], theirs["lost"])
        self.assertLess(ours["retries_in"], 0.5 * theirs["retries_in"])
        self.assertLessEqual(ours["merged"], 0.02 * ours["ordinary"])


if __name__ == "__main__":
    BINARY, REPOSITORY = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
