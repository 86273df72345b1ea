"""Lemon nodes among poison jobs: is the node or the job at fault for a crash?

A few nodes of a fleet are broken in a way that no health check sees: they end some
of the work that runs there, repeatedly and in different ways (a device that falls
off the bus, a crash, a lost node, a kill without a reason). In addition there are
jobs that crash wherever they run, sweeps of one broken program packed onto few
nodes, and good jobs that meet a bad day: a network blip, a neighbour that uses up
the node's memory, a preemption.

A controller asks after each failure, with the job's ledger and a digest of the
last week, and follows the answer. The peers' rule is that of Armada and Argo:
never run a job again on a node where it failed.
"""

import collections
import random
from dataclasses import dataclass, field

from engine import pod, time

NODES = 200
LEMONS = 6
DAY = 86400
# The period of the digest.
WINDOW = 7 * DAY
# Mean hours between failures of work on a lemon, and on a healthy node.
LEMON_HOURS = 3
HEALTHY_HOURS = 1500

# (weight, exit code, reason, last lines) of a failure by a broken node.
LEMON_DEATHS = [
    (20, 1, "Error", "RuntimeError: CUDA error: uncorrectable ECC error encountered"),
    (14, 1, "Error", "NVRM: Xid (PCI:0000:4b:00): 79, pid={n}, GPU has fallen off the bus."),
    (16, 139, "Error", ""),
    (10, 134, "Error", "free(): invalid pointer"),
    (14, 137, "Error", ""),
    (6, None, "NodeLost", ""),
    (6, 137, "ContainerStatusUnknown", "The container could not be located when the pod was terminated"),
    (14, 1, "Error", "RuntimeError: CUDA error: unspecified launch failure"),
]
# A lemon's share of these: half of them never show a sign of their device.
SILENT_DEATHS = [row for row in LEMON_DEATHS if "CUDA" not in row[3]
                 and "Xid" not in row[3]]
# A healthy node's bad days.
HEALTHY_DEATHS = [
    (30, 1, "Error", "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='store', port=443): Max retries exceeded"),
    (20, None, "Evicted", "The node was low on resource: memory. Threshold quantity: 100Mi, available: 9{n}Ki. "),
    (20, None, "Drain", ""),
    (15, 137, "Error", ""),
    (15, None, "NodeLost", ""),
]
# Failures of poison jobs, the same every time for each job.
POISON_DEATHS = [
    (40, 139, "Error", ""),
    (20, 134, "Error", "double free or corruption (out)"),
    (20, 1, "Error", "RuntimeError: CUDA error: an illegal memory access was encountered"),
    (20, 1, "Error", "Traceback (most recent call last):\n  File \"/app/run.py\", line 88, in <module>\nAssertionError: shapes differ"),
]
MAX_TRIES = 12


@dataclass
class Job:
    name: str
    image: str
    hours: float            # of work
    poison: tuple = None    # how it dies, wherever it is
    ledger: dict = None
    avoided: set = field(default_factory=set)    # required
    preferred: set = field(default_factory=set)  # only preferred
    tries: int = 0


def pick(rng, table):
    return rng.choices(table, weights=[row[0] for row in table])[0]


def dead_pod(rng, job, node, started, ended, death):
    _, code, reason, text = death
    name = f"{job.name}-{job.tries}"
    text = text.format(n=rng.randint(1000, 9999))
    if code is not None:
        return pod(name, node, started, ended, code, reason, text)
    gone = pod(name, node, started, ended, 137 if reason != "Drain" else 143)
    status = gone["status"]
    if reason == "Evicted":
        status.update(reason="Evicted", message=text)
    else:
        why = ("DeletionByTaintManager" if reason == "NodeLost"
               else "EvictionByEvictionAPI")
        status["conditions"] = [{"type": "DisruptionTarget", "status": "True",
                                 "reason": why,
                                 "lastTransitionTime": time(ended - 1)}]
    if reason == "NodeLost":
        status["reason"] = "NodeLost"
        del status["containerStatuses"]
    return gone


class Memory:
    """The controller's memory: the latest failure of each workload."""

    def __init__(self):
        self.latest = {}

    def digest(self, now, running):
        groups = collections.Counter()
        failed = 0
        for at, cause, node, image in self.latest.values():
            if now - at <= WINDOW:
                failed += 1
                groups[cause, node, image] += 1
        return [{"window": f"{WINDOW}s", "failed": failed, "running": running,
                 "nodes": NODES, "groups": [
                     {"cause": cause, "node": node, "image": image,
                      "workloads": count}
                     for (cause, node, image), count
                     in groups.most_common(1000)]}]

    def saw(self, job, at, diagnosis, node, given_up):
        if given_up:
            self.latest.pop(job.name, None)
            return
        self.latest[job.name] = (at, diagnosis["cause"],
                                 diagnosis.get("culprit", {}).get("node", node),
                                 job.image)


def jobs_of(rng, count):
    jobs = []
    while len(jobs) < count:
        kind = rng.random()
        number = len(jobs)
        if kind < 0.03:
            # A sweep of one broken program.
            death = pick(rng, POISON_DEATHS)
            jobs += [Job(f"sweep-{number}-{i}", f"sweep:{number}", 1, death)
                     for i in range(6)]
        elif kind < 0.13:
            jobs.append(Job(f"poison-{number}", f"poison:{number}", 4,
                            pick(rng, POISON_DEATHS)))
        else:
            jobs.append(Job(f"job-{number}", f"job:{rng.randint(1, 60)}",
                            rng.choice([1, 2, 4, 8, 16])))
    return jobs[:count]


def place(rng, job, everywhere):
    """A node that nothing advises against; there always is one. Sweeps are packed."""
    allowed = [n for n in everywhere
               if n not in job.avoided and n not in job.preferred]
    if job.name.startswith("sweep"):
        return allowed[hash_of(job.image) % len(allowed)]
    return rng.choice(allowed)


def hash_of(text):
    return sum(ord(c) * 31 ** i for i, c in enumerate(text)) % 1000003


def run_once(rng, job, node, lemons):
    """(hours until the end, failure or None when it succeeds)."""
    mean = LEMON_HOURS if node in lemons else HEALTHY_HOURS
    broken = rng.expovariate(1 / mean)
    own = rng.uniform(0.02, 0.5) if job.poison else job.hours
    if broken < own:
        table = HEALTHY_DEATHS
        if node in lemons:
            table = SILENT_DEATHS if lemons[node] else LEMON_DEATHS
        return broken, pick(rng, table)
    return own, job.poison


def avoided_nodes(decision, hard):
    return {avoid["node"]
            for avoid in decision.get("placement", {}).get("avoidNodes", [])
            if avoid.get("hard", False) == hard}


def simulate(rng, jobs, lemons, engine):
    """Simulates the fleet in the order of time; `engine` None: the peers' rule.

    Returns (pairs of job and node excluded, where that is required, tries of each job
    that succeeded, how many succeeded, failures on lemons)."""
    everywhere = [f"node-{i}" for i in range(NODES)]
    memory = Memory()
    excluded = set()
    succeeded = []
    on_lemons = 0
    clock = [(1000 + rng.uniform(0, 3 * DAY), i) for i in range(len(jobs))]
    clock.sort()
    while clock:
        started, index = clock.pop(0)
        job = jobs[index]
        node = place(rng, job, everywhere)
        job.tries += 1
        hours, death = run_once(rng, job, node, lemons)
        ended = started + 3600 * hours
        if death is None:
            succeeded.append(job.tries)
            continue
        on_lemons += node in lemons
        again = 30
        if engine is None:
            excluded.add((job.name, node))
            job.avoided.add(node)
            retry = job.tries < 4
        else:
            retry, again = ask(rng, engine, job, node, started, ended, death,
                               memory, excluded)
        if retry and job.tries < MAX_TRIES:
            clock.append((ended + again, index))
            clock.sort()
    return excluded, succeeded, on_lemons


def ask(rng, engine, job, node, started, ended, death, memory, excluded):
    report = {"observedAt": time(ended + 5),
              "workload": {"kind": "Pod", "name": job.name, "namespace": "sim",
                           "uid": job.name},
              "pods": [dead_pod(rng, job, node, started, ended, death)]}
    for wait in range(20):
        report["observedAt"] = time(ended + 5 + 120 * wait)
        digest = memory.digest(ended, 150)
        digest[0]["image"] = job.image
        request = {"report": report, "recent": digest}
        if job.ledger:
            request["ledger"] = job.ledger
        answer = engine.decide(request)
        decision = answer["decision"]
        if decision["action"] != "WAIT":
            break
    job.ledger = answer["ledger"]
    memory.saw(job, ended, answer["diagnosis"], node,
               decision["action"] == "FAIL")
    avoid = avoided_nodes(decision, True)
    excluded |= {(job.name, name) for name in avoid}
    job.avoided |= avoid
    job.preferred |= avoided_nodes(decision, False)
    # A new pod takes a moment to be created.
    delay = 10 + float(decision.get("retryAfter", "0s").rstrip("s"))
    return decision["action"] == "RETRY", delay


def guilt(excluded, lemons):
    """Which nodes were called bad, and how many of them are."""
    named = {node for _, node in excluded}
    return {"nodes": len(named), "pairs": len(excluded),
            "right": len(named & set(lemons)), "lemons": len(lemons)}


def measure(engine, seed, count, fleets=1):
    """Mulligan's and the peers' verdicts on nodes, over several fleets."""
    sums = {"mulligan": collections.Counter(), "peers": collections.Counter()}
    for fleet in range(fleets):
        for name, row in one_fleet(engine, f"{seed}/{fleet}", count).items():
            sums[name].update(row)
    for row in sums.values():
        row["precision"] = row["right"] / max(1, row["nodes"])
        row["recall"] = row["right"] / row["lemons"]
        row["tries"] = row["tries"] / max(1, row["succeeded"])
    return sums


def one_fleet(engine, seed, count):
    """The same fleet under both rules."""
    rng = random.Random(seed)
    # Every other one is silent.
    lemons = {f"node-{node}": number % 2 == 0 for number, node
              in enumerate(rng.sample(range(NODES), LEMONS))}
    result = {}
    for name, asked in (("mulligan", engine), ("peers", None)):
        own = random.Random(seed + "/life")
        excluded, succeeded, on_lemons = simulate(
            own, jobs_of(random.Random(seed + "/jobs"), count), lemons, asked)
        result[name] = {**guilt(excluded, lemons), "succeeded": len(succeeded),
                        "tries": sum(succeeded), "on_lemons": on_lemons}
    return result
