"""A day of a fleet, as DecideRequests: what fails, in which hours, how often.

The dashboard's queries are run on the metrics of a server while this day is played to it, and
the picture in the documents shows it. Everything follows from the tables below; nothing is
random.
"""

import collections
import copy

# Kind of event: (first hour, last hour, number per hour).
DAY = {
    "alive": [(0, 23, 6)],
    # The program's own: a release at nine with a bug, stopped at eleven.
    "bug": [(9, 10, 14), (0, 23, 1)],
    "out_of_memory": [(13, 17, 4)],
    "image_typo": [(10, 10, 2), (15, 15, 3)],
    # Disruptions: spot capacity is reclaimed at night, a node pool is upgraded.
    "spot_reclaim": [(1, 4, 9), (20, 22, 4)],
    "drain": [(6, 7, 12)],
    "preemption": [(8, 18, 2)],
    # The platform's.
    "lemon_node": [(11, 14, 3)],
    "object_store": [(16, 17, 16)],
    "node_pressure": [(19, 19, 5)],
    # Killed without a recorded reason.
    "unexplained": [(0, 23, 1), (21, 21, 6)],
    # Callers' mistakes.
    "malformed": [(12, 12, 4)],
    "unknown_policy": [(12, 12, 3)],
}
DATE = "2026-11-03"
IMAGE = "registry.example.com/ml/trainer:4.2.0"
# Failures of one kind that a job has before it gets another kind.
TRIES = 5


def clock(hour, minute, second=0):
    return f"{DATE}T{hour:02d}:{minute:02d}:{second:02d}Z"


def ended(exit_code, reason="Error", message="", **status):
    """A failed pod's status; times are added later."""
    terminated = {"exitCode": exit_code, "reason": reason}
    if message:
        terminated["message"] = message
    return {"phase": "Failed", "terminated": terminated, **status}


def disrupted(because, of_condition, **status):
    return ended(143, conditions=[{
        "type": "DisruptionTarget", "status": "True", "reason": because,
        "message": of_condition}], **status)


# The pod's status and node: (status, node; None: the job's own).
SHOWS = {
    "alive": ({"phase": "Running", "running": True}, None),
    "bug": (ended(1, message="Traceback (most recent call last):\n"
                  '  File "/app/train.py", line 88, in <module>\n'
                  "KeyError: 'learning_rate'"), None),
    "out_of_memory": (ended(137, "OOMKilled"), None),
    "image_typo": ({"phase": "Pending", "waiting": {
        "reason": "ErrImagePull",
        "message": "failed to resolve reference \"registry.example.com/ml/"
                   "trainer:4.2.O\": not found"}}, None),
    "spot_reclaim": (disrupted(
        "TerminationByKubelet",
        "Pod was terminated in response to imminent node shutdown.",
        reason="Terminated"), "spot"),
    "drain": (disrupted("EvictionByEvictionAPI", "Eviction API: evicting"), None),
    "preemption": (disrupted(
        "PreemptionByScheduler",
        "default-scheduler: preempting to accommodate a higher priority pod"), None),
    "lemon_node": (ended(1, message="RuntimeError: CUDA error: uncorrectable "
                         "ECC error encountered"), "gpu-07"),
    "object_store": (ended(1, message="botocore.exceptions.EndpointConnectionError: "
                           "Could not connect to the endpoint URL: "
                           '"https://store.example/bucket"'), None),
    "node_pressure": (disrupted(
        "TerminationByKubelet", "The node was low on resource: memory.",
        reason="Evicted", message="The node was low on resource: memory. "), None),
    "unexplained": (ended(137), None),
}
# Reports of these kinds include failures elsewhere: cause and the node it names.
ELSEWHERE = {"lemon_node": ("GPU_FAULT", "gpu-07"),
             "object_store": ("DEPENDENCY_UNAVAILABLE", "")}


def pod_of(kind, job, attempt, hour, minute):
    shown, node = SHOWS[kind]
    status = {key: copy.deepcopy(value) for key, value in shown.items()
              if key not in ("terminated", "running", "waiting")}
    begin, end = clock(hour, minute), clock(hour, minute, 30)
    if "terminated" in shown:
        state = {"terminated": {**shown["terminated"], "startedAt": begin, "finishedAt": end}}
    elif "waiting" in shown:
        state = {"waiting": shown["waiting"]}
    else:
        state = {"running": {"startedAt": begin}}
    for condition in status.get("conditions", ()):
        condition["lastTransitionTime"] = end
    return {
        "metadata": {"name": f"{job}-{attempt}", "namespace": "ml", "uid": f"{job}-{attempt}",
                     "creationTimestamp": begin,
                     "finalizers": ["batch.kubernetes.io/job-tracking"],
                     "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": job,
                                          "uid": job, "controller": True}]},
        "spec": {"nodeName": node or f"node-{attempt % 3}", "restartPolicy": "Never",
                 "containers": [{"name": "main", "image": IMAGE}]},
        "status": {**status, "startTime": begin, "containerStatuses": [
            {"name": "main", "restartCount": 0, "image": IMAGE, "state": state}]},
    }


def job_of(name, attempt):
    """With a limit of two, so that the Job controller gives up before we do."""
    return {"metadata": {"name": name, "namespace": "ml", "uid": name},
            "spec": {"backoffLimit": 2, "completions": 1, "parallelism": 1,
                     "template": {"spec": {"restartPolicy": "Never", "containers": [
                         {"name": "main", "image": IMAGE}]}}},
            "status": {"startTime": clock(0, 0), "failed": attempt, "active": 1}}


def elsewhere(kind, so_far):
    cause, node = ELSEWHERE[kind]
    workloads = so_far + 12
    return [{"window": "600s", "failed": workloads, "running": 400, "nodes": 64,
             "groups": [{"cause": cause, "node": node, "workloads": workloads}]}]


class Day:
    """Makes the requests of each hour, and keeps each job's ledger like a controller."""

    def __init__(self):
        self.ledgers = {}
        self.seen = collections.Counter()

    @staticmethod
    def events(hour):
        """(kind, minute) of the hour, in the order of the table."""
        found = []
        for kind, rows in DAY.items():
            count = max((n for first, last, n in rows if first <= hour <= last), default=0)
            found += [(kind, 2 + 48 * i // count) for i in range(count)]
        return found

    def request(self, kind, hour, minute):
        """Returns (job, DecideRequest). Its answer goes to answered() before the next one."""
        if kind == "malformed":
            return None, {"report": {"pods": [{"metadata": {}}], "attempt": -1}}
        shown = "bug" if kind == "unknown_policy" else kind
        attempt = self.seen[kind] % TRIES
        job = f"{kind.replace('_', '-')}-{self.seen[kind] // TRIES}"
        self.seen[kind] += 1
        request = {
            "report": {"observedAt": clock(hour, minute + 2),
                       "jobs": [job_of(job, 0 if kind == "alive" else attempt)],
                       "pods": [pod_of(shown, job, attempt, hour, minute)]},
            "compareNative": True}
        if job in self.ledgers:
            request["ledger"] = self.ledgers[job]
        if kind in ELSEWHERE:
            request["recent"] = elsewhere(kind, self.seen[kind])
        if kind == "unknown_policy":
            request["policy"] = "no-such-policy"
        return job, request

    def answered(self, job, answer):
        if "ledger" in answer:
            self.ledgers[job] = answer["ledger"]
