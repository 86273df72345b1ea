"""Real failures with known causes, judged by this build and by peers' rules.

The files are those of $MULLIGAN_SHARED_DIR/corpus: one JSON object per line with `input` (a
report) and `truth`.
"""

import datetime
import json
import re

import peers

# Fault domains by who has to act: every rule can be compared on these.
PLATFORM_DOMAINS = {"INFRASTRUCTURE", "DISRUPTION", "QUEUE", "CONTROL_PLANE"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
# For a sample without any time.
SOME_TIME = "2026-11-01T00:00:00Z"
# Asks again when late evidence would have arrived.
LATE = datetime.timedelta(seconds=90)
# The most retries of a peer: a Job's default backoffLimit.
PEER_RETRIES = 6
PEER_LIMITS = {"Armada, user errors fail": peers.ARMADA_RETRIES}
MAX_RETRIES = 20
TRUTH_ACTION = {True: peers.RETRY, False: peers.STOP, "wait": peers.WAIT}
ACTIONS = {"RETRY": peers.RETRY, "FAIL": peers.STOP,
           "WAIT_FOR_SPEC_UPDATE": peers.STOP, "WAIT": peers.WAIT,
           "IGNORE": peers.WAIT}


def without_nulls(members):
    """A JSON object; Kubernetes writes an empty list as null."""
    return {key: value for key, value in members if value is not None}


def read(files):
    """The samples of all files, in order."""
    samples = []
    for file in files:
        with open(file, encoding="utf-8") as lines:
            samples += [json.loads(line, object_pairs_hook=without_nulls)
                        for line in lines if line.strip()]
    return samples


def side_of(domain):
    return peers.PLATFORM if domain in PLATFORM_DOMAINS else peers.USER


def sides(truth):
    """Sides that an expert would accept."""
    return {side_of(domain) for domain in
            [truth["faultDomain"], *truth.get("acceptableFaultDomains", [])]}


def observed_at(report):
    times = [datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
             for text in TIME.findall(json.dumps(report))]
    if not times:
        return SOME_TIME
    return (max(times) + LATE).strftime("%Y-%m-%dT%H:%M:%SZ")


def judge(engine, report):
    """Returns (the first answer, retries granted while the same failure recurs).

    Each further attempt fails a minute later in the same way. A retry with other resources is a
    different attempt, and ends the count."""
    request = {"report": {"observedAt": observed_at(report), **report}}
    answer = first = engine.decide(request)
    retries = 0
    for attempt in range(2, MAX_RETRIES + 2):
        decision = answer["decision"]
        if decision["action"] != "RETRY" or decision.get("resources"):
            break
        retries += 1
        later = (datetime.datetime.strptime(request["report"]["observedAt"],
                                            "%Y-%m-%dT%H:%M:%SZ")
                 + datetime.timedelta(minutes=1))
        request = {"report": {**report, "attempt": attempt,
                              "failureId": f"again-{attempt}",
                              "observedAt": later.strftime(
                                  "%Y-%m-%dT%H:%M:%SZ")},
                   "ledger": answer["ledger"]}
        answer = engine.decide(request)
    return first, retries


def hours_of(answer):
    """Accelerator hours of the failed attempt; 0 if the sample does not say how long it ran."""
    return answer.get("accounting", {}).get("stake", {}).get("hours", 0)


class Row:
    """One rule's results on the samples."""

    def __init__(self, name):
        self.name = name
        self.asked = self.sides = self.sided = self.actions = 0
        self.in_vain = self.gave_up = self.wasted = self.silent = 0
        self.hopeless = self.worth = 0
        # In accelerator hours, if the sample says how long the attempt ran.
        self.wasted_hours = self.given_up_hours = 0

    def add(self, truth, side, action, retries, hours=0):
        self.asked += 1
        self.sided += side is not None
        self.sides += side in sides(truth)
        self.silent += action == peers.NONE
        if "retrySensible" not in truth:
            return  # Unknown: no action is right or wrong.
        wanted = TRUTH_ACTION[truth["retrySensible"]]
        self.actions += action == wanted
        self.hopeless += wanted == peers.STOP
        self.worth += wanted != peers.STOP
        if wanted == peers.STOP and action == peers.RETRY and retries > 0:
            self.in_vain += 1
            self.wasted += retries
            self.wasted_hours += retries * hours
        if wanted != peers.STOP and action == peers.STOP:
            self.gave_up += 1
            self.given_up_hours += hours


class Mulligan(Row):
    """This build's results, and its mistakes."""

    def __init__(self, name="Mulligan"):
        super().__init__(name)
        self.answered = self.named = self.domains = self.confidently_wrong = 0
        # Number of samples that each signature decided.
        self.decided = {}
        # By kind of evidence (its table), answers with high confidence: (right, of).
        self.certain = {}
        # Samples with a mistake: (id, what, the answer).
        self.misses = []

    def judge(self, sample, answer, retries, hours):
        """Whether the cause was named correctly or acceptably."""
        truth, diagnosis = sample["truth"], answer["diagnosis"]
        before = self.in_vain, self.gave_up
        self.add(truth, side_of(diagnosis["faultDomain"]),
                 ACTIONS[answer["decision"]["action"]], retries, hours)
        named = diagnosis["cause"].lower() in [truth["cause"],
                                               *truth["acceptable"]]
        domain = diagnosis["faultDomain"] in [
            truth["faultDomain"], *truth.get("acceptableFaultDomains", [])]
        sure = diagnosis["confidence"] == "HIGH"
        self.answered += 1
        self.named += named
        self.domains += domain
        self.confidently_wrong += sure and not named
        signature = diagnosis.get("signature", "")
        self.decided[signature] = self.decided.get(signature, 0) + 1
        if sure:
            kind = signature.split("/")[0]
            right, of = self.certain.get(kind, (0, 0))
            self.certain[kind] = (right + named, of + 1)
        wrong = [what for what, found in (
            ("cause", not named), ("confidently", sure and not named),
            ("domain", not domain), ("in vain", self.in_vain > before[0]),
            ("gave up", self.gave_up > before[1])) if found]
        if wrong:
            self.misses.append((sample["id"], wrong, answer))
        return named


class Culprits:
    """Gangs whose root is known by name, compared with the smallest timestamp."""

    def __init__(self):
        self.gangs = self.ours = 0
        self.timed = self.ours_timed = self.theirs = 0

    def add(self, sample, answer):
        names = [pod.get("metadata", {}).get("name")
                 for pod in sample["input"].get("pods", [])]
        root = sample["truth"].get("culprit")
        if len(names) < 2 or root not in names:
            return
        right = answer["diagnosis"].get("culprit", {}).get("pod") == root
        self.gangs += 1
        self.ours += right
        theirs = peers.smallest_timestamp(sample["input"])
        if theirs is not None:
            self.timed += 1
            self.ours_timed += right
            self.theirs += theirs == root


def ask(engine, samples):
    """The answers about each sample: (sample, answer, retries), or (sample, reason of the
    refusal, None)."""
    asked = []
    for sample in samples:
        try:
            asked.append((sample, *judge(engine, report_of(sample))))
        except ValueError as error:
            asked.append((sample, str(error)[:200], None))
    return asked


def report_of(sample):
    report = dict(sample["input"])
    if "job" in report:
        report["jobs"] = [report.pop("job")]
    return report


def score(asked):
    """Counts what is right and wrong in the answers of ask()."""
    ours = Mulligan()
    rows = {ours.name: ours, **{name: Row(name) for name in peers.RULES}}
    confidence = {}
    culprits = Culprits()
    refused = []
    timed = 0
    for sample, answer, retries in asked:
        hours = 0 if retries is None else hours_of(answer)
        timed += hours > 0
        for name, rule in peers.RULES.items():
            verdict = rule(report_of(sample))
            rows[name].add(sample["truth"], verdict.side, verdict.action,
                           PEER_LIMITS.get(name, PEER_RETRIES), hours)
        if retries is None:
            refused.append((sample["id"], answer))
            continue
        good = ours.judge(sample, answer, retries, hours)
        level = answer["diagnosis"]["confidence"]
        right, all_of = confidence.get(level, (0, 0))
        confidence[level] = (right + good, all_of + 1)
        culprits.add(sample, answer)
    return {"samples": len(asked), "rows": rows, "confidence": confidence,
            "culprits": culprits, "refused": refused, "timed": timed}


def measure(engine, samples):
    return score(ask(engine, samples))
