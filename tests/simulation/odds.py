"""The best that codes and times can show about which member of a gang failed first.

Names the member that a reader would name who knew the generator's own odds: how
often a root and a peer end with each code, and how late. No one has these numbers
of a real fleet; they show how far a reader without logs can get.
"""

import math
import random
from collections import defaultdict

from engine import seconds

STEP = 0.5          # seconds in one bin of a table
SAMPLES = 10000     # for each row of the generator
UNSEEN = 1e-7       # density where no sample fell


class Odds:
    """Densities of (how it ended, seconds after the incident)."""

    def __init__(self, roots, echoes, clock):
        rng = random.Random(1)
        self._roots = table(rng, roots, clock)
        self._echoes = table(rng, echoes, clock)

    def best(self, pods):
        """Name of the member that most likely is the root."""
        ends = [(pod["metadata"]["name"], sign(pod), end(pod))
                for pod in pods]
        return max(ends, key=lambda root: self._likelihood(root, ends))[0]

    def _likelihood(self, root, ends):
        total = 0.0
        for place, density in self._roots[root[1]].items():
            began = root[2] - (place + 0.5) * STEP
            log = math.log(density)
            for other in ends:
                if other is not root:
                    log += math.log(self._echo(other[1], other[2] - began))
            total += math.exp(max(log, -700))
        return total

    def _echo(self, how, after):
        return self._echoes[how].get(math.floor(after / STEP), UNSEEN)


def table(rng, rows, clock):
    """rows: (weight, sign, draw), where `draw` gives seconds by the node's right clock,
    or a pair of (seconds, False) by the control plane's."""
    whole = sum(weight for weight, _, _ in rows)
    densities = defaultdict(lambda: defaultdict(float))
    for weight, how, draw in rows:
        share = weight / whole / SAMPLES / STEP
        for _ in range(SAMPLES):
            after, by_node = draw(rng)
            if by_node:
                after += clock(rng)
            # Stamps are whole seconds, truncated.
            densities[how][math.floor((after - rng.random()) / STEP)] += share
    return densities


def sign(pod):
    """How a pod ended, without its texts."""
    status = pod["status"]
    for condition in status.get("conditions", []):
        return condition["reason"]
    ended = status["containerStatuses"][0]["state"]["terminated"]
    return ended["exitCode"], ended["reason"]


def end(pod):
    """When a pod ended, by its stamp."""
    status = pod["status"]
    if "containerStatuses" not in status:
        return seconds(status["conditions"][0]["lastTransitionTime"])
    ended = status["containerStatuses"][0]["state"]["terminated"]
    return seconds(ended["finishedAt"])
