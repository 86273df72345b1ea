"""The same recurring failures as in repeats.py, counted in accelerator hours.

Two things cost: hours of retries in vain, because the job would never have
succeeded, and hours of good work given up, because it would have. The first try of
a job is not a retry and does not count. The peers are `backoffLimit`, the exit code
table of training-operator and Armada's rules; all but the shorter `backoffLimit`
may retry as often as that of 6.
"""

import random
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "evaluation"))

import peers  # noqa: E402
import repeats  # noqa: E402

# Kinds of jobs whose failure never passes; the others pass within the tries.
HOPELESS = ("bug", "wandering_bug")


@dataclass
class Cost:
    """What one rule cost, in accelerator hours except for the counts."""
    in_vain: float = 0
    given_up: float = 0
    false_stops: int = 0
    hopeless: int = 0
    could: int = 0
    retries: int = 0

    def add(self, job, tries, succeeded):
        could = repeats.fixed_count(job, repeats.TRIES)[1]
        self.retries += tries - 1
        self.could += could
        self.hopeless += not could
        if not could:
            self.in_vain += (repeats.hours_of(job, tries)
                             - repeats.hours_of(job, 1))
        elif not succeeded:
            self.false_stops += 1
            self.given_up += repeats.hours_of(job, tries)


def by_table(rule, most, job, name):
    """(tries made, succeeded) under a peer's rule that sees each end."""
    for number, attempt in enumerate(job.tries[:most], 1):
        if attempt.succeeds:
            return number, True
        report = {"pods": [repeats.failed_pod(job, attempt, name, number, 0,
                                              attempt.text)]}
        if rule(report).action == peers.STOP:
            return number, False
    return most, False


def generate(rng, passes):
    """A job that fails; `passes`: the share of those that pass within the tries. None:
    the frequency of each kind."""
    if passes is None:
        return repeats.generate(rng)
    hopeless = rng.random() >= passes
    kinds = [(weight, kind) for weight, kind in repeats.KINDS
             if (kind.__name__ in HOPELESS) == hopeless]
    kind = rng.choices(kinds, weights=[weight for weight, _ in kinds])[0][1]
    return repeats.Job(kind.__name__.replace("_", " "),
                       rng.choice([1, 8, 8, 64]), kind(rng))


RULES = {
    "backoffLimit 6": lambda job, name: repeats.fixed_count(job, 7),
    "backoffLimit 3": lambda job, name: repeats.fixed_count(job, 4),
    "exit codes": lambda job, name: by_table(peers.training_operator, 7, job,
                                             name),
    "Armada": lambda job, name: by_table(peers.armada,
                                         1 + peers.ARMADA_RETRIES, job, name),
}


def measure(engines, seed, count, passes=None):
    """Cost by rule; `engines`: name of a row to the engine that is asked."""
    rng = random.Random(seed)
    jobs = [generate(rng, passes) for _ in range(count)]
    rules = dict(RULES)
    for name, engine in engines.items():
        own = random.Random(seed + 1)
        rules[name] = (lambda job, job_name, engine=engine, own=own:
                       repeats.by_mulligan(engine, own, job, job_name)[:2])
    costs = {}
    for rule, ends in rules.items():
        cost = costs[rule] = Cost()
        for number, job in enumerate(jobs):
            tries, succeeded = ends(job, f"job-{number}")
            cost.add(job, tries, succeeded)
    return costs
