"""Failures that an operator retries while Mulligan watches.

Jobs as their users write them: `backoffLimit: 6`, `restartPolicy: Never` or
`OnFailure`. The Job controller and the kubelet decide whether a failed one is tried
again; Mulligan is asked after each end and while the next attempt runs, as by its
controller, and may stop the Job. No progress is reported.
"""

import random
from dataclasses import replace

import repeats
from engine import time
from repeats import PAUSE, TRIES, Try, fixed_count, hours_of

MISTAKES = [
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 3, in <module>\n    import flash_attn\nModuleNotFoundError: No module named 'flash_attn'",
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 9, in <module>\n    key = os.environ['WANDB_API_KEY']\nKeyError: 'WANDB_API_KEY'",
    "FileNotFoundError: [Errno 2] No such file or directory: '/config/train.yaml'",
    "train.py: error: unrecognized arguments: --lerning-rate",
    "yaml.scanner.ScannerError: mapping values are not allowed here\n  in \"/config/run.yaml\", line {n}, column 9",
    "AttributeError: 'Trainer' object has no attribute 'fit_all'",
    "PermissionError: [Errno 13] Permission denied: '/data/out'",
    "botocore.exceptions.ClientError: An error occurred (403) when calling the HeadObject operation: Forbidden",
]
# Seconds between questions while an attempt runs.
EVERY = 1200
LOOKS = 6


def mistake(rng):
    """A mistake that a person has to fix before any attempt can pass."""
    text, code = rng.choice(MISTAKES), rng.choice([1, 1, 1, 2])
    hours = rng.choice([0.01, 0.02, 0.1, 0.5])
    return [Try(hours * rng.uniform(0.8, 1.2), False, code, text)
            for _ in range(TRIES)]


# Frequency of each among jobs that fail at least once.
KINDS = [(25, mistake), (12, repeats.bug), (4, repeats.wandering_bug),
         (12, repeats.climb), (8, repeats.unlucky), (39, repeats.one_blip)]


def generate(rng):
    kind = rng.choices(KINDS, weights=[weight for weight, _ in KINDS])[0][1]
    tries = [replace(one, progress=None) for one in kind(rng)]
    return repeats.Job(kind.__name__.replace("_", " "),
                       rng.choice([1, 8, 8, 64]), tries)


def owner(name, failed, active):
    status = {"startTime": time(1000)}
    if failed:
        status["failed"] = failed
    if active:
        status |= {"active": 1, "ready": 1}
    return {"metadata": {"name": name, "namespace": "sim", "uid": name,
                         "creationTimestamp": time(1000)},
            "spec": {"parallelism": 1, "completions": 1, "backoffLimit": 6},
            "status": status}


def owned(pod, name):
    pod["metadata"]["ownerReferences"] = [
        {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": name,
         "controller": True}]
    return pod


class Watched:
    """One Job, asked about with its ledger carried along."""

    def __init__(self, engine, job, name, restarts_in_place):
        self.engine, self.job, self.name = engine, job, name
        self.in_place = restarts_in_place
        self.ended, self.ledger = [], None

    def end(self, attempt, number, began, text, node):
        # The kubelet restarts in one pod, the Job controller creates another.
        pod = repeats.failed_pod(self.job, attempt, self.name,
                                 1 if self.in_place else number, began, text,
                                 node)
        self.ended.append(owned(pod, self.name))

    def pods(self, running_since):
        """The pods while the next attempt waits or runs."""
        if not self.in_place:
            pods = list(self.ended)
            if running_since:
                pods.append(self.running(f"{self.name}-{len(pods) + 1}",
                                         running_since))
            return pods
        if not self.ended:
            return [self.running(f"{self.name}-1", running_since)]
        last = self.ended[-1]["status"]["containerStatuses"][0]["state"]
        pod = self.running(f"{self.name}-1", running_since or 1000)
        status = pod["status"]["containerStatuses"][0]
        status |= {"lastState": last, "restartCount": len(self.ended) -
                   (0 if running_since else 1)}
        if not running_since:
            status["state"] = {"waiting": {"reason": "CrashLoopBackOff"}}
            status["ready"] = False
        return [pod]

    def running(self, name, since):
        pod = owned(repeats.failed_pod(self.job, self.job.tries[0], name, 1,
                                       since, ""), self.name)
        pod["metadata"] |= {"name": name, "uid": f"uid-{name}"}
        pod["spec"]["restartPolicy"] = "OnFailure" if self.in_place else "Never"
        state = {"running": {"startedAt": time(since)}}
        pod["status"] = {"phase": "Running", "startTime": time(since),
                         "containerStatuses": [
                             {"name": "main", "restartCount": 0, "ready": True,
                              "state": state}]}
        return pod

    def is_stopped(self, at, running_since=None):
        failed = 0 if self.in_place else len(self.ended)
        request = {"report": {
            "jobs": [owner(self.name, failed, self.in_place or running_since)],
            "pods": self.pods(running_since), "observedAt": time(at)}}
        if self.ledger:
            request["ledger"] = self.ledger
        answer = self.engine.decide(request)
        self.ledger = answer.get("ledger")
        return answer["decision"]["action"] in ("FAIL", "WAIT_FOR_SPEC_UPDATE")


def by_operator(engine, rng, job, name):
    """(tries made, the last one in part; succeeded) with the brake."""
    watched = Watched(engine, job, name, rng.random() < 0.5)
    now, back_off = 1000.0, 10
    for number, attempt in enumerate(job.tries, 1):
        seconds = 3600 * attempt.hours
        if number > 1:
            looks = [30, *range(EVERY, int(seconds), EVERY)][:LOOKS]
            for look in looks:
                if look < seconds and watched.is_stopped(now + look, now):
                    return number - 1 + look / seconds, False
        if attempt.succeeds:
            return number, True
        text = attempt.text.format(n=rng.randint(10, 900),
                                   m=rng.randint(1000, 9999))
        watched.end(attempt, number, now, text,
                    f"node-{rng.randrange(repeats.NODES)}")
        now += seconds
        if number < TRIES and watched.is_stopped(now + 2):
            return number, False
        now += max(PAUSE, back_off)
        back_off = min(2 * back_off, 360)
    return TRIES, False


def hours_until(job, tries):
    """Accelerator hours of whole tries and a part of the next."""
    whole = int(tries)
    part = (job.tries[whole].hours * (tries - whole) if whole < TRIES else 0)
    return hours_of(job, whole) + job.gpus * part


def measure(engine, seed, count):
    """Hopeless hours, false stops and how early the stops are."""
    rng, own = random.Random(seed), random.Random(seed + 1)
    result = {"jobs": count, "could": 0, "false_stops": 0, "hopeless": 0,
              "alike": 0, "early": 0, "hours": 0.0, "wasted": 0.0, "kinds": {}}
    for number in range(count):
        job = generate(rng)
        tries, succeeded = by_operator(engine, own, job, f"job-{number}")
        could = fixed_count(job, TRIES)[1]
        false_stop = could and not succeeded
        if could:
            result["could"] += 1
            result["false_stops"] += false_stop
        else:
            result["hopeless"] += 1
            # By chance another job may fail alike each time, too.
            alike = job.kind in ("bug", "mistake")
            result["alike"] += alike
            result["early"] += alike and tries < 3
            result["hours"] += hours_of(job, TRIES)
            result["wasted"] += hours_until(job, tries)
        n, stops, early = result["kinds"].get(job.kind, (0, 0, 0))
        result["kinds"][job.kind] = (n + 1, stops + false_stop,
                                     early + (not could and tries < 3))
    return result
