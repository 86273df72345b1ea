"""Incidents: something shared breaks, and many jobs fail at once.

A fleet of jobs in three zones. In addition to the ordinary failures of programs,
nodes and networks, each day has an incident: a switch cuts off a zone, or a file
server or a registry is unavailable, for five minutes to an hour. Each job that runs
meanwhile and needs it fails, and fails again if it is retried too early.

A controller asks after each failure with a digest of the last ten minutes. The
peers' rule is a retry count (backoffLimit 6) with the Job controller's delays:
10 s, doubled, at most 10 minutes, every failure charged.
"""

import collections
import random

from engine import pod, time

ZONES = ["a", "b", "c"]
JOBS = 240
WINDOW = 600
# Victims fail within seconds: a job that runs for longer is past the incident.
COMES_THROUGH = 120
PEER_TRIES = 7
# Seconds: how long work ran before, how long a new pod takes, how soon it meets the
# incident.
RAN = 3000
POD = 10
MEETS_AFTER = 20
# Ordinary failures of the whole fleet per hour.
ORDINARY_PER_HOUR = 8

# name: (weight, in one zone only, share of jobs that need it, texts)
INCIDENTS = {
    "switch": (3, True, 0.9, [
        "OSError: [Errno 113] No route to host: ('10.0.1.{n}', 2049)",
        "RuntimeError: CUDA error: NVLink or fabric error: ibv_poll_cq failed, transport retry counter exceeded (12)",
        "requests.exceptions.ConnectTimeout: HTTPSConnectionPool(host='store', port=443): Max retries exceeded (Caused by ConnectTimeoutError)"]),
    "object store": (3, False, 0.6, [
        "botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: \"https://store.example/bucket\"",
        "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: https://store.example/bucket"]),
    "database": (2, False, 0.4, [
        "psycopg2.OperationalError: connection to server at \"pg\" (10.0.0.{n}), port 5432 failed: Connection refused",
        "dial tcp 10.0.0.{n}:5432: connect: connection refused"]),
}
ORDINARY = [
    (40, "Traceback (most recent call last):\n  File \"/app/run.py\", line {n}, in <module>\nValueError: bad row {n}"),
    (15, "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='x{n}', port=443): Max retries exceeded"),
    (20, ""),
    (15, "RuntimeError: DataLoader worker (pid {n}) exited unexpectedly"),
    (10, "RuntimeError: CUDA error: uncorrectable ECC error encountered"),
]


class Incident:
    def __init__(self, rng):
        self.name = rng.choices(list(INCIDENTS), weights=[
            row[0] for row in INCIDENTS.values()])[0]
        _, zonal, self.share, self.texts = INCIDENTS[self.name]
        self.zone = rng.choice(ZONES) if zonal else None
        self.begin = 20000 + rng.uniform(0, 10000)
        self.length = 60 * rng.choice([5, 10, 20, 40, 60])
        self.needs = {job for job in range(JOBS)
                      if (self.zone is None or zone_of(job) == self.zone)
                      and rng.random() < self.share}

    def hits(self, job, at):
        return (job in self.needs
                and self.begin <= at < self.begin + self.length)


def zone_of(job):
    return ZONES[job % len(ZONES)]


class Controller:
    """Remembers what it saw, as described in docs/fleet.md, and asks Mulligan."""

    def __init__(self, engine):
        self.engine = engine
        self.latest = {}       # job: (time, cause, zone)
        self.waiting = set()   # jobs that an incident holds back
        self.ledgers = {}
        self.canaries = {}     # job: when it was let through
        self.last_victim = 0   # when an incident was last answered

    def digest(self, now, job):
        groups = collections.Counter(
            (cause, zone) for name, (at, cause, zone) in self.latest.items()
            if now - at <= WINDOW or name in self.waiting)
        # A canary that fails is removed when it does.
        through = [start for start in self.canaries.values()
                   if now - start > COMES_THROUGH]
        return [{"window": f"{WINDOW}s", "failed": sum(groups.values()),
                 "running": JOBS, "zone": zone_of(job),
                 "canaries": len(self.canaries) - len(through),
                 "recovered": sum(start > self.last_victim
                                  for start in through),
                 "groups": [{"cause": cause, "zone": zone, "workloads": count}
                            for (cause, zone), count in groups.items()]}]

    def ask(self, job, now, report, first):
        report["observedAt"] = time(now)
        request = {"report": report, "recent": self.digest(now, job)}
        if job in self.ledgers:
            request["ledger"] = self.ledgers[job]
        answer = self.engine.decide(request)
        incident = answer["diagnosis"].get("derivedCause") == "INCIDENT"
        waits = answer["decision"]["action"] == "WAIT"
        if first:
            self.canaries.pop(job, None)
            self.latest[job] = (now, answer["diagnosis"]["cause"],
                                zone_of(job))
            if incident:
                self.last_victim = now
        if waits and incident:
            self.waiting.add(job)
        else:
            self.waiting.discard(job)
        if answer["decision"]["action"] == "FAIL":
            self.latest.pop(job, None)
        if not waits:
            self.ledgers[job] = answer["ledger"]
        if answer["decision"].get("canary"):
            self.canaries[job] = now
        return answer


def report_of(rng, job, number, started, ended, text):
    name = f"job-{job}"
    return {"workload": {"kind": "Pod", "name": name, "namespace": "sim",
                         "uid": f"{name}-uid"},
            "pods": [pod(f"{name}-{number}", f"node-{rng.randrange(80)}",
                         started, ended, 1, message=text.format(
                             n=rng.randint(10, 250)))]}


def first_failures(rng, incident):
    """(time, job, text) of a shift of about eight hours."""
    events = []
    for job in sorted(incident.needs):
        # A job that needs it meets it soon; some only when they write the next time.
        at = incident.begin + min(rng.expovariate(1 / 90), 0.9 *
                                  incident.length)
        events.append((at, job, rng.choice(incident.texts)))
    hours = 10
    for _ in range(ORDINARY_PER_HOUR * hours):
        _, text = rng.choices(ORDINARY, weights=[w for w, _ in ORDINARY])[0]
        events.append((10000 + rng.uniform(0, 3600 * hours),
                       rng.randrange(JOBS), text))
    return sorted(events)


def fails_again(incident, job, start):
    """When the retry started at `start` meets the incident; None if it does not."""
    at = start + MEETS_AFTER
    return at if incident.hits(job, at) else None


def by_mulligan(rng, engine, incident, events):
    controller = Controller(engine)
    outcome = {"charged": 0, "lost": 0, "retries_in": 0, "merged": 0,
               "canaries": 0, "delay": [], "named": 0, "victims": 0,
               "ordinary": 0}
    # (now, job, text, victim, number, start of the run or None: asked again, ...)
    queue = [(at, job, text, incident.hits(job, at), 1, at - RAN, None)
             for at, job, text in events]
    down = set()
    while queue:
        queue.sort(key=lambda e: (e[0], e[1], e[4]))
        now, job, text, victim, number, started, report = queue.pop(0)
        first = started is not None
        # A job that is already down or given up does not fail again.
        if number == 1 and first and job in down:
            continue
        down.add(job)
        if first:
            report = report_of(rng, job, f"{number}-{int(now)}", started, now,
                               text)
        answer = controller.ask(job, now, report, first)
        decision = answer["decision"]
        in_incident = answer["diagnosis"].get("derivedCause") == "INCIDENT"
        if first and number == 1:
            outcome["victims" if victim else "ordinary"] += 1
            if victim:
                outcome["named"] += in_incident
            else:
                outcome["merged"] += in_incident
        if victim:
            outcome["charged"] += (
                answer["accounting"].get("chargedTo") == "application")
            outcome["canaries"] += decision.get("canary", False)
        # A new pod takes a moment to be created.
        delay = POD + float(decision.get("retryAfter", "0s").rstrip("s"))
        if decision["action"] == "WAIT":
            queue.append((now + delay, job, text, victim, number, None,
                          report))
        elif decision["action"] == "RETRY" and victim:
            again = fails_again(incident, job, now + delay)
            if again is None:
                down.discard(job)
                outcome["delay"].append(now + delay - incident.begin -
                                        incident.length)
            else:
                outcome["retries_in"] += 1
                queue.append((again, job, text, True, number + 1, now + delay,
                              None))
        elif decision["action"] == "RETRY":
            down.discard(job)
        elif victim:
            outcome["lost"] += 1
    return outcome


def by_count(incident, events):
    """The peers: every failure charged, doubled delays."""
    outcome = {"charged": 0, "lost": 0, "retries_in": 0, "delay": [],
               "victims": 0}
    for at, job, _ in events:
        if not incident.hits(job, at):
            continue
        outcome["victims"] += 1
        for tried in range(PEER_TRIES):
            outcome["charged"] += 1
            if tried == PEER_TRIES - 1:
                outcome["lost"] += 1
                break
            at += POD + min(10 * 2 ** tried, 600)
            again = fails_again(incident, job, at)
            if again is None:
                outcome["delay"].append(at - incident.begin - incident.length)
                break
            outcome["retries_in"] += 1
            at = again
    return outcome


def median(values):
    return sorted(values)[len(values) // 2] if values else 0


def measure(engine, seed, count):
    """Sums over `count` incidents."""
    rng = random.Random(seed)
    sums = {"mulligan": collections.Counter(), "peers": collections.Counter()}
    delays = {"mulligan": [], "peers": []}
    for _ in range(count):
        incident = Incident(rng)
        events = first_failures(rng, incident)
        for name, outcome in (
                ("mulligan", by_mulligan(rng, engine, incident, events)),
                ("peers", by_count(incident, events))):
            delays[name] += outcome.pop("delay")
            sums[name].update(outcome)
    return {name: {**sums[name], "delay": median(delays[name])}
            for name in sums}
