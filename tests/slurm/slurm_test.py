#!/usr/bin/env python3
"""Usage: slurm_test.py MULLIGAN

`mulligan slurm` as the EpilogSlurmctld of a real slurmctld. Exits with 77 if Debian's Slurm is
missing."""

import json
import sys
import unittest

sys.dont_write_bytecode = True
import cluster as loop  # noqa: E402

EPILOG = """#!/bin/bash
export SLURM_CONF={{run}}/slurm.conf
exec >>{{run}}/epilog.log 2>&1
exec {mulligan} slurm --policy {{run}}/policy.yaml
"""

# Reactions of the default policy, without its waits.
POLICY = """apiVersion: mulligan.dev/v1
kind: RetryPolicy
metadata: {name: loop}
spec:
  budgets: {application: {limit: 2}, disruption: {limit: 50}, memory: {limit: 2},
            infrastructure: {limit: 5}}
  rules:
    - name: preempted
      when: {causes: [PREEMPTED_SCHEDULER]}
      then: {action: RETRY, budget: disruption, backoff: {initial: 100ms}}
    - name: more
      when: {causes: [CONTAINER_OOM]}
      then: {action: RETRY, budget: memory, resources: {memoryFactor: 2}, backoff: {initial: 100ms}}
    - name: node
      when: {causes: [GPU_FAULT, NODE_LOST]}
      then: {action: RETRY, budget: infrastructure, backoff: {initial: 100ms},
             placement: {avoidFailedNode: {hard: true, expiresAfter: 1h}}}
    - name: spec
      when: {exitCodes: {operator: In, values: [127]}}
      then: {action: WAIT_FOR_SPEC_UPDATE}
    - name: mistake
      when: {causes: [CONFIG_USER_ERROR]}
      then: {action: FAIL}
  default: {action: RETRY, budget: application, backoff: {initial: 100ms}}
  derivation: {sameFingerprint: 0, crashLoopFailures: 0, badNodeFailures: 0}
"""

slurm = None


def logged(number, text):
    return any(f"job {number}: " in line and text in line for line in slurm.log().splitlines())


class SlurmTest(unittest.TestCase):
    def state_is(self, number, state):
        slurm.wait(f"{state} of job {number}", lambda: slurm.job(number)["JobState"] == state or
                   slurm.hurry(number))

    def test_one_bug_stops_at_once(self):
        number = slurm.submit("python3 -c 'import no_such_module_anywhere'", "--mem=100")
        slurm.wait("the verdict", lambda: logged(number, "fail the workload"))
        self.state_is(number, "FAILED")
        self.assertEqual("0", slurm.job(number)["Restarts"])
        slurm.wait("the reason in accounting", lambda: "module is missing" in
                   json.dumps(slurm.records(number)[-1]["comment"]))

    def test_a_failure_that_may_pass_is_requeued(self):
        number = slurm.submit(f"echo x >> {slurm.run}/passes; "
                              f"[ $(wc -l < {slurm.run}/passes) -ge 3 ]", "--mem=100")
        self.state_is(number, "COMPLETED")
        job = slurm.job(number)
        self.assertEqual("2", job["Restarts"])
        ledger = json.loads(job["AdminComment"])
        self.assertEqual(2, ledger["budgets"]["application"]["used"])
        self.assertTrue(job["Comment"].startswith("mulligan: "), job["Comment"])

    def test_five_preemptions_are_free(self):
        number = slurm.submit("sleep 600", "--mem=100", "-w", "n2", "-c2")
        for preemption in range(1, 6):
            self.state_is(number, "RUNNING")
            slurm.submit("true", "--mem=100", "-w", "n2", "-c2", "-p", "high")
            slurm.wait("the preemption", lambda n=preemption: slurm.log().count(
                f"job {number}: ") >= n)
        ledger = json.loads(slurm.job(number)["AdminComment"])
        self.assertEqual({"disruption": {"used": 5}}, without_windows(ledger["budgets"]))
        self.assertEqual("SCHEDULER", ledger["history"][0]["retriedBy"])
        slurm.call("scancel", number)

    def test_a_bad_node_is_avoided(self):
        number = slurm.submit(
            "[ $SLURMD_NODENAME = n2 ] && exit 0; "
            "echo 'CUDA error: uncorrectable ECC error encountered' >&2; exit 1",
            "--mem=100", "-w", "n1")
        slurm.wait("the exclusion", lambda: slurm.job(number)["ExcNodeList"] == "n1")
        # A job that names its node gets no other; the user removes the name.
        slurm.call("scontrol", "update", f"JobId={number}", "ReqNodeList=")
        self.state_is(number, "COMPLETED")
        self.assertEqual("n2", slurm.job(number)["BatchHost"])

    def test_memory_grows(self):
        if not slurm.memory:
            self.skipTest("no memory control groups")
        number = slurm.submit("python3 -c 'x = bytearray(150 << 20); print(len(x))'", "--mem=100")
        self.state_is(number, "COMPLETED")
        job = slurm.job(number)
        self.assertEqual(("1", "200M"), (job["Restarts"], job["MinMemoryNode"]))
        self.assertTrue(logged(number, "at its memory limit"), slurm.log())

    def test_a_job_that_needs_a_change_is_held_with_the_reason(self):
        number = slurm.submit("exec /no/such/program", "--mem=100")
        slurm.wait("the hold", lambda: logged(number, "wait for a changed spec"))
        slurm.wait("the comment", lambda: "mulligan: " in slurm.job(number).get("Comment", ""))
        job = slurm.job(number)
        self.assertIn(job["Reason"], ("JobHeldAdmin", "JobHeldUser", "job_requeued_in_held_state"))
        slurm.call("scancel", number)

    def test_a_cancelled_job_is_not_requeued(self):
        number = slurm.submit("sleep 600", "--mem=100")
        self.state_is(number, "RUNNING")
        slurm.call("scancel", number)
        self.state_is(number, "CANCELLED")
        self.assertEqual("0", slurm.job(number)["Restarts"])

    def test_explain_reads_what_slurm_prints(self):
        number = slurm.submit("exit 3", "--mem=100", "--no-requeue", "-J", "explained")
        self.state_is(number, "FAILED")
        # The database gets the name some time after the end.
        slurm.wait("the name in accounting", lambda: "explained" in
                   slurm.call("sacct", "-D", "--json", "-j", number))
        for words, code in ((("sacct", "-D", "--json", "-j", number), None),
                            (("scontrol", "show", "job", number), 3)):
            path = slurm.run / "printed"
            path.write_text(slurm.call(*words))
            answer = json.loads(slurm.call(MULLIGAN, "explain", "-o", "json", str(path)))
            if code is not None:
                self.assertEqual(code, answer["diagnosis"]["exitCode"])
            self.assertEqual("explained", answer["diagnosis"]["culprit"]["name"])


def without_windows(budgets):
    return {name: {"used": use["used"]} for name, use in budgets.items()}


if __name__ == "__main__":
    MULLIGAN = sys.argv.pop(1)
    reason = loop.why_not()
    if reason:
        print(f"skipped: Slurm: {reason}")
        sys.exit(77)
    with loop.Cluster(EPILOG.format(mulligan=MULLIGAN)) as slurm:
        (slurm.run / "policy.yaml").write_text(POLICY)
        program = unittest.main(exit=False, verbosity=2)
        if not program.result.wasSuccessful():
            print(slurm.log())
    sys.exit(0 if program.result.wasSuccessful() else 1)
