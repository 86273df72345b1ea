"""The peers' rules against what their documentation and code say."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import peers  # noqa: E402


def pod(code=None, reason="", phase="Failed", conditions=(), waiting=None,
        pod_reason=""):
    state = {}
    if waiting is not None:
        state = {"waiting": {"reason": waiting}}
    elif code is not None:
        state = {"terminated": {"exitCode": code, "reason": reason}}
    status = {"phase": phase, "conditions": list(conditions)}
    if state:
        status["containerStatuses"] = [{"name": "main", "state": state}]
    if pod_reason:
        status["reason"] = pod_reason
    return {"metadata": {"name": "p"}, "status": status}


def verdict(rule, *pods):
    answer = rule({"pods": list(pods)})
    return answer.side, answer.action


DISRUPTED = {"type": "DisruptionTarget", "status": "True"}
USER, PLATFORM = peers.USER, peers.PLATFORM


class PeersTest(unittest.TestCase):
    def check(self, rule, rows):
        for shown, expected in rows:
            with self.subTest(shown):
                self.assertEqual(verdict(rule, shown), expected)

    def test_training_operator(self):
        self.check(peers.training_operator, [
            *((pod(code), (USER, "stop"))
              for code in (1, 2, 42, 126, 127, 128, 139)),
            *((pod(code), (PLATFORM, "retry"))
              for code in (130, 134, 137, 138, 143, 255)),
            (pod(pod_reason="Evicted"), (USER, "stop")),
            (pod(phase="Pending"), (None, "wait"))])

    def test_armada(self):
        told = pod(1)
        told["status"]["containerStatuses"][0]["state"]["terminated"][
            "message"] = "ModuleNotFoundError: No module named 'x'"
        self.check(peers.armada, [
            (pod(1), (None, "retry")), (pod(2), (USER, "stop")),
            (pod(127), (USER, "stop")), (told, (USER, "stop")),
            (pod(phase="Pending"), (None, "wait"))])

    def test_pod_failure_policy(self):
        self.check(peers.pod_failure_policy, [
            (pod(143, conditions=[DISRUPTED]), (PLATFORM, "retry")),
            (pod(42), (USER, "stop")),
            (pod(1), (None, "retry")),
            (pod(phase="Pending", waiting="ImagePullBackOff"),
             (None, "wait"))])

    def test_backoff_limit(self):
        self.check(peers.backoff_limit, [
            (pod(42), (None, "retry")),
            (pod(phase="Pending"), (None, "wait"))])

    def test_flyte(self):
        self.check(peers.flyte, [
            (pod(1, "Error"), (PLATFORM, "retry")),
            (pod(137, "OOMKilled"), (USER, "retry")),
            (pod(137, "Error"), (PLATFORM, "retry")),
            (pod(pod_reason="Evicted"), (USER, "retry")),
            (pod(143, "Error", pod_reason="DeadlineExceeded"),
             (USER, "retry")),
            (pod(143, "Error", pod_reason="NodeShutdown"),
             (PLATFORM, "retry")),
            (pod(phase="Pending", waiting="CreateContainerConfigError"),
             (USER, "stop")),
            (pod(phase="Pending", waiting="CrashLoopBackOff"),
             (PLATFORM, "retry")),
            (pod(phase="Pending", waiting="ContainerCreating"),
             (None, "wait"))])

    def test_no_pods_no_opinion(self):
        for rule in peers.RULES.values():
            self.assertEqual(rule({"rayJob": {}}).action, "none")

    def test_smallest_timestamp(self):
        def member(name, at):
            shown = pod(1)
            shown["metadata"]["name"] = name
            end = shown["status"]["containerStatuses"][0]["state"]["terminated"]
            if at:
                end["finishedAt"] = f"2026-01-01T00:00:{at:02d}Z"
            return shown
        gang = {"pods": [member("a", 7), member("b", 5), member("c", 0)]}
        self.assertEqual(peers.smallest_timestamp(gang), "b")
        self.assertIsNone(peers.smallest_timestamp({"pods": [member("a", 7)]}))


if __name__ == "__main__":
    unittest.main()
