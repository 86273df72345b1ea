"""How the answers about real failures are scored."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import corpus  # noqa: E402


def answer(action, cause="APP_ERROR", **more):
    return {"decision": {"action": action, **more}, "ledger": {},
            "diagnosis": {"cause": cause, "faultDomain": "APPLICATION",
                          "confidence": "HIGH", "culprit": {"pod": "b"}}}


class Scripted:
    """Gives prepared answers and remembers what it was asked."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def decide(self, request):
        self.requests.append(request)
        return self.answers.pop(0)


POD = {"metadata": {"name": "a"}, "status": {
    "phase": "Failed", "containerStatuses": [{"state": {"terminated": {
        "exitCode": 1, "finishedAt": "2026-01-01T10:00:00Z"}}}]}}


def sample(retry, pods=(POD,)):
    return {"id": "x", "input": {"pods": list(pods)}, "truth": {
        "cause": "app_error", "acceptable": [], "culprit": "b",
        "faultDomain": "APPLICATION", "retrySensible": retry}}


class CorpusTest(unittest.TestCase):
    def test_asks_after_late_evidence_and_counts_retries(self):
        engine = Scripted(answer("RETRY"), answer("RETRY"), answer("FAIL"))
        _, retries = corpus.judge(engine, {"pods": [POD]})
        self.assertEqual(retries, 2)
        self.assertEqual([r["report"]["observedAt"] for r in engine.requests],
                         ["2026-01-01T10:01:30Z", "2026-01-01T10:02:30Z",
                          "2026-01-01T10:03:30Z"])
        self.assertEqual(engine.requests[2]["report"]["attempt"], 3)

    def test_a_retry_with_other_resources_is_not_the_same_again(self):
        _, retries = corpus.judge(
            Scripted(answer("RETRY", resources=[{"factor": 2}])),
            {"pods": [POD]})
        self.assertEqual(retries, 0)

    def test_counts_what_is_certain_by_kind_of_evidence(self):
        said = [answer("FAIL"), answer("FAIL", "HANG")]
        for one, row in zip(said, ("text/a", "text/b")):
            one["diagnosis"]["signature"] = row
        result = corpus.measure(Scripted(*said), [sample(False)] * 2)
        self.assertEqual(result["rows"]["Mulligan"].certain,
                         {"text": (1, 2)})

    def test_counts_hours_where_the_run_is_known(self):
        stake = {"accounting": {"stake": {"hours": 3}}}
        result = corpus.measure(
            Scripted({**answer("RETRY"), **stake}, answer("FAIL"),
                     {**answer("FAIL"), **stake}),
            [sample(False), sample(True)])
        ours = result["rows"]["Mulligan"]
        self.assertEqual((ours.wasted_hours, ours.given_up_hours), (3, 3))
        limit = result["rows"]["backoffLimit alone"]
        self.assertEqual((limit.wasted_hours, limit.given_up_hours),
                         (3 * corpus.PEER_RETRIES, 0))
        self.assertEqual(result["timed"], 2)

    def test_without_times_asks_at_some_time(self):
        self.assertEqual(corpus.observed_at({"pods": [{}]}), corpus.SOME_TIME)

    def test_rows(self):
        other = {**POD, "metadata": {"name": "b"}}
        result = corpus.measure(
            Scripted(answer("RETRY"), answer("FAIL"), answer("FAIL")),
            [sample(False), sample(True, [POD, other])])
        ours = result["rows"]["Mulligan"]
        self.assertEqual((ours.in_vain, ours.wasted, ours.gave_up), (1, 1, 1))
        limit = result["rows"]["backoffLimit alone"]
        self.assertEqual((limit.in_vain, limit.wasted, limit.gave_up),
                         (1, corpus.PEER_RETRIES, 0))
        self.assertEqual(result["confidence"], {"HIGH": (2, 2)})
        self.assertEqual((ours.named, ours.domains, ours.confidently_wrong),
                         (2, 2, 0))
        self.assertEqual([wrong for _, wrong, _ in ours.misses],
                         [["in vain"], ["gave up"]])
        culprits = result["culprits"]
        self.assertEqual((culprits.gangs, culprits.ours, culprits.timed,
                          culprits.theirs), (1, 1, 1, 0))


if __name__ == "__main__":
    unittest.main()
