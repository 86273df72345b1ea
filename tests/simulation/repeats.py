"""Failures that recur: with progress, by bad luck, or forever.

Each job fails until it succeeds or is given up. The result of its next try is drawn
beforehand, so every rule meets the same fate and a *false stop* is a fact: the job
would have succeeded within the tries that the fixed count allows. The fixed count
is backoffLimit 6, a Job's default; for a fair comparison the default policy is
asked with an application budget of 6, so that the only difference is whether the
history is read.
"""

import random
from dataclasses import dataclass

from engine import pod, time

TRIES = 7  # backoffLimit 6
NODES = 50
# The shortest pause between tries, seconds.
PAUSE = 60

BUGS = [
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 214, in <module>\n    run(cfg)\n  File \"/app/model.py\", line 91, in forward\n    x = self.proj(x.view(b, -1))\nRuntimeError: shape '[{n}, -1]' is invalid for input of size {m}",
    "Traceback (most recent call last):\n  File \"/app/etl.py\", line 77, in parse\n    row = json.loads(line)\njson.decoder.JSONDecodeError: Expecting value: line {n} column 1 (char {m})",
    "thread 'main' panicked at src/shard.rs:118:9:\nassertion failed: offset < self.len",
    "panic: runtime error: slice bounds out of range [:{n}] with capacity {m}\n\ngoroutine {n} [running]:",
    "Exception in thread \"main\" java.lang.ArrayIndexOutOfBoundsException: Index {n} out of bounds for length {m}",
    "",
]
TROUBLE = [
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='store-{n}', port=443): Max retries exceeded with url: /shard/{m}",
    "OSError: [Errno 5] Input/output error: '/mnt/data/shard-{n}.tar'",
    "RuntimeError: DataLoader worker (pid {n}) exited unexpectedly with exit code 1",
    "Traceback (most recent call last):\n  File \"/app/serve.py\", line 12, in <module>\nRuntimeError: port {n} is in use",
    "grpc._channel._InactiveRpcError: StatusCode.UNAVAILABLE: failed to connect to all addresses; ipv4:10.0.{n}.7:{m}",
    "",
]
# Failures that long work meets repeatedly and outruns: leaks, wear, weak hardware.
WEAR = [
    "OSError: [Errno 24] Too many open files: '/data/shard-{n}.tar'",
    "RuntimeError: CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported at some other API call",
    "thread 'tokio-runtime-worker' panicked at src/pool.rs:{n}:9:\nconnection pool timed out",
]


@dataclass
class Try:
    """The result of one try: GPU-hours spent, and its end."""
    hours: float
    succeeds: bool
    exit_code: int = 1
    text: str = ""
    progress: float = None


@dataclass
class Job:
    kind: str
    gpus: int
    tries: list


def bug(rng):
    """Fails at the same place, always."""
    text, code = rng.choice(BUGS), rng.choice([1, 1, 1, 1, 2, 101, 139])
    hours = rng.choice([0.02, 0.05, 0.1, 0.5, 1, 3])
    at = rng.randint(0, 5000) if rng.random() < 0.6 else None
    return [Try(hours * rng.uniform(0.9, 1.1), False, code, text, at)
            for _ in range(TRIES)]


def wandering_bug(rng):
    """One bug with different texts: which worker meets it first is chance."""
    code = rng.choice([1, 139, 134])
    hours = rng.choice([0.05, 0.3, 1])
    return [Try(hours * rng.uniform(0.2, 2), False, code, rng.choice(BUGS))
            for _ in range(TRIES)]


def climb(rng):
    """The same failure each time, later each time, until it succeeds."""
    text, code = rng.choice(WEAR + TROUBLE), rng.choice([1, 1, 139])
    reported = rng.random() < 0.85
    needed = rng.randint(2, 6)
    hours = rng.choice([2, 6, 12])
    step = rng.randint(500, 4000)
    return [Try(hours * rng.uniform(0.5, 1.5), i == needed, code, text,
                step * (i + 1) if reported else None)
            for i in range(TRIES)]


def unlucky(rng):
    """Each try fails alike with some probability: a race, a busy port, a flaky file
    system. One in three retries succeeds (Lablup 2026), or two."""
    text = rng.choice(TROUBLE)
    chance = rng.choice([0.33, 0.5, 0.67])
    hours = rng.choice([0.05, 0.5, 2])
    tries = []
    for _ in range(TRIES):
        good = rng.random() < chance
        tries.append(Try(hours * (1 if good else rng.uniform(0.05, 0.6)), good,
                         1, text))
    return tries


def one_blip(rng):
    """Fails once or twice, then succeeds."""
    bad = rng.choice([1, 1, 1, 2])
    hours = rng.choice([0.5, 2, 8])
    return [Try(hours, i >= bad, 1, rng.choice(TROUBLE)) for i in range(TRIES)]


# Frequency of each among jobs that fail at least once.
KINDS = [(30, bug), (8, wandering_bug), (17, climb), (10, unlucky),
         (35, one_blip)]


def generate(rng):
    kind = rng.choices(KINDS, weights=[weight for weight, _ in KINDS])[0][1]
    tries = kind(rng)
    return Job(kind.__name__.replace("_", " "), rng.choice([1, 8, 8, 64]),
               tries)


def fixed_count(job, most):
    """(tries made, succeeded) under a plain retry count."""
    for number, attempt in enumerate(job.tries[:most], 1):
        if attempt.succeeds:
            return number, True
    return most, False


def failed_pod(job, attempt, name, number, began, text, node="node-0"):
    """The end of a try, as the API server shows it."""
    shown = pod(f"{name}-{number}", node, began,
                began + 3600 * attempt.hours, attempt.exit_code, message=text)
    shown["spec"]["containers"][0]["resources"] = {
        "limits": {"nvidia.com/gpu": str(job.gpus)}}
    return shown


def by_mulligan(engine, rng, job, name):
    """The same, following Mulligan's decisions, and what it decided by at the end."""
    ledger = None
    now = 1000.0
    for number, attempt in enumerate(job.tries, 1):
        ended = now + 3600 * attempt.hours
        if attempt.succeeds:
            return number, True, ""
        text = attempt.text.format(n=rng.randint(10, 900),
                                   m=rng.randint(1000, 9999))
        report = {"workload": {"kind": "Pod", "name": name, "namespace": "sim",
                               "uid": name},
                  "pods": [failed_pod(job, attempt, name, number, now, text,
                                      f"node-{rng.randrange(NODES)}")]}
        if attempt.progress is not None:
            report["progress"] = {"value": attempt.progress}
        # A wait for evidence that does not come: asks again after it.
        for late in (5, 120, 3600):
            report["observedAt"] = time(ended + late)
            request = {"report": report}
            if ledger:
                request["ledger"] = ledger
            answer = engine.decide(request)
            if answer["decision"]["action"] != "WAIT":
                break
        ledger = answer["ledger"]
        if answer["decision"]["action"] != "RETRY":
            return number, False, answer["explanation"].get("decidedBy", "")
        now = ended + PAUSE
    return TRIES, False, "TRIES"


def hours_of(job, tries):
    return job.gpus * sum(attempt.hours for attempt in job.tries[:tries])


def measure(engine, seed, count):
    """GPU-hours and false stops under each rule."""
    rng = random.Random(seed)
    jobs = [generate(rng) for _ in range(count)]
    own = random.Random(seed + 1)
    rules = {
        "fixed count 6": lambda job, name: fixed_count(job, TRIES),
        "fixed count 3": lambda job, name: fixed_count(job, 4),
        "mulligan": lambda job, name: by_mulligan(engine, own, job, name),
    }
    result = {}
    for rule, ends in rules.items():
        row = {"hours": 0, "wasted": 0, "false_stops": 0, "succeeded": 0,
               "tries": 0, "kinds": {}}
        for number, job in enumerate(jobs):
            tries, succeeded = ends(job, f"job-{number}")[:2]
            could = fixed_count(job, TRIES)[1]
            hours = hours_of(job, tries)
            false_stop = could and not succeeded
            row["hours"] += hours
            row["wasted"] += 0 if could else hours
            row["succeeded"] += succeeded
            row["false_stops"] += false_stop
            row["tries"] += tries
            n, stops, spent = row["kinds"].get(job.kind, (0, 0, 0))
            row["kinds"][job.kind] = (n + 1, stops + false_stop, spent + hours)
        result[rule] = row
    result["jobs"] = count
    return result
