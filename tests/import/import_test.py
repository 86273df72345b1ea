#!/usr/bin/env python3
"""Usage: import_test.py MULLIGAN [SEED [SETTINGS]]

`mulligan policy import`: policies of random settings of models.py decide as the systems do.
Seed and number of settings per system are for runs beyond the tests."""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import models  # noqa: E402

MULLIGAN = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "tests/import/published.jsonl"
SEED = 1
SETTINGS = 15
FAILURES = 40


def run(*arguments, stdin=""):
    return subprocess.run([MULLIGAN, *arguments], input=stdin, capture_output=True, text=True,
                          check=False)


def request(system, number, one):
    attempt = {"scheduler": system, "id": str(number), "state": one["state"],
               "reason": one["reason"], "logTail": one["log"]}
    if "exit" in one:
        attempt["exitCode"] = one["exit"]
    used = {budget: {"used": count} for budget, count in one["used"].items() if count}
    return {"report": {"workload": {"uid": "u", "name": "j", "namespace": "n"},
                       "endedAttempt": attempt},
            "ledger": {"workloadUid": "u", "budgets": used}, "explain": "EXPLAIN_NONE"}


def answers_of(policy, system, failures):
    """The actions of a policy (a text) on failures as in models.py."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "policy.yaml")
        path.write_text(policy, encoding="utf-8")
        lines = "".join(json.dumps(request(system, number, one)) + "\n"
                        for number, one in enumerate(failures))
        answers = run("explain", "--policy", str(path), "--requests", "-", stdin=lines)
    assert answers.returncode == 0, answers.stderr + answers.stdout
    return [json.loads(line)["decision"]["action"] for line in answers.stdout.splitlines()]


class ImportTest(unittest.TestCase):
    maxDiff = None

    def imported(self, text, *flags):
        result = run("policy", "import", *flags, "-", stdin=text)
        self.assertEqual(0, result.returncode, f"{text}\n{result.stderr}")
        return result

    def test_published_examples(self):
        """published.jsonl: cases of the systems' own tests and documents. `named`: the settings
        alone cannot express it, and a line of the policy does."""
        for line in PUBLISHED.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            text = json.dumps(case["settings"])
            with self.subTest(case["name"]):
                flags = ["--from", case["system"]]
                if case.get("refused"):
                    result = run("policy", "import", *flags, "-", stdin=text)
                    self.assertEqual(2, result.returncode, result.stdout)
                    self.assertRegex(result.stderr, r"^<stdin>:\d+:\d+: error: .*expected")
                    continue
                policy = self.imported(text, *flags).stdout
                if "named" in case:
                    self.assertIn(case["named"], policy)
                    continue
                one = {"state": "", "reason": "", "log": "", **case["failure"]}
                [action] = answers_of(policy, case["system"], [one])
                self.assertEqual(case["retries"], action == "RETRY", policy)

    def test_published_examples_are_of_ten_systems(self):
        cases = [json.loads(line) for line in PUBLISHED.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(10, len({case["system"] for case in cases}))
        named = [case for case in cases if "named" in case]
        self.assertLess(10 * len(named), len(cases))

    def test_errors_name_the_place_and_what_is_expected(self):
        for system, text, place, says in (
                ("aws-batch", '{"retryStrategy": {"attempts": 11}}', "1:32",
                 'attempts: expected a whole number from 1 to 10, not "11"'),
                ("aws-batch", '{"retryStrategy": {"evaluateOnExit": [{"onExitCode": "1*"}]}}',
                 "1:39", "action is missing, expected one of RETRY, EXIT"),
                ("gitlab", "a:\n  retry: {max: 1, exit_codes: [x]}\n", "2:31",
                 "is not an exit code, expected 1 to 65535"),
                ("volcano", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec:\n"
                 "  policies: [{event: PodLost, action: RestartJob}]\n", "4:22",
                 "is not known, expected one of"),
                ("argo", 'retryStrategy: {limit: "many"}', "1:24",
                 "limit: expected a whole number from 0 to 1000000"),
                ("argo", 'retryStrategy: {limit: 1, expression: "lastRetry.exitCode >"}', "1:39",
                 "expected a value before the end"),
                ("argo", "retryStrategy: {limit: 1, backoff: {duration: soon}}", "1:47",
                 "is not a duration, expected seconds, or as in 1m30s"),
                ("airflow", "{retries: 1, retry_policy: {rules: [{exception: A, action: LATER}]}}",
                 "1:60", "expected one of RETRY, FAIL, DEFAULT"),
                ("argo", "retryStrategy: {limit: 1, retryPolicy: onfailure}", "1:40",
                 "expected one of Always, OnFailure, OnError, OnTransientError"),
                ("gitlab", "a:\n  retry: {when: [runner_sytem_failure]}\n", "2:17",
                 '"runner_sytem_failure" is not known, expected one of always'),
                ("gitlab", "a:\n  retry: 1\n  retry: 2\n", "3:3", '"retry" is given twice'),
                ("slurm", "JobRequeue=7\n", "1:1", "expected one of 0, 1"),
                ("slurm", "PreemptMode=GANG,SOMETIMES\n", "1:1", "expected one of OFF, CANCEL"),
                ("nomad", '{"RestartPolicy": {"Attempts": 1, "Mode": "never"}}', "1:43",
                 "restart.mode: \"never\" is not known, expected one of fail, delay"),
                ("argo", "retryStrategy: {backoff: {duration: 1m, factor: two}}", "1:49",
                 'backoff.factor: "two" is not a factor'),
                ("argo", "retryStrategy: {expression: 'lastRetry.message matches \"([\"'}", "1:29",
                 "is not an RE2 expression: missing ]"),
                ("argo", "retryStrategy: {expression: 'lastRetry.message matches \"\\d\"'}", "1:29",
                 "has an unknown escape"),
                ("airflow", "{retries: 1, retry_delay: {fortnights: 1}}", "1:27",
                 '"fortnights": "1" is not a duration'),
                ("airflow", "{retries: 1, retry_exponential_backoff: maybe}", "1:41",
                 'retry_exponential_backoff: "maybe" is not a factor'),
                ("ray-task", "{max_retries: 2, retry_exceptions: {a: b}}", "1:36",
                 "expected a word"),
                ("slurm", "MaxBatchRequeue=many\n", "1:1", "maxBatchRequeue: expected a whole number")):
            with self.subTest(text):
                result = run("policy", "import", "--from", system, "-", stdin=text)
                self.assertEqual((2, ""), (result.returncode, result.stdout))
                self.assertIn(f"<stdin>:{place}: error: ", result.stderr)
                self.assertIn(says, result.stderr)

    def test_errors_of_the_policy_name_the_place_of_the_settings(self):
        job = "apiVersion: %s\nkind: %s\nspec:\n  suspend: false\n  %s\n"
        for text, place in (
                (job % ("batch/v1", "Job", "backoffLimit: -1"), "5:17"),
                (job % ("batch/v1", "CronJob",
                        "jobTemplate:\n    spec:\n      backoffLimit: -1"), "7:21"),
                ("kind: a\n---\n" + job % ("batch/v1", "Job", "backoffLimit: -1"), "7:17")):
            with self.subTest(text):
                result = run("policy", "import", "-", stdin=text)
                self.assertEqual(3, result.returncode, result.stderr)
                self.assertIn(f"<stdin>:{place}: error: ", result.stderr)

    def test_slurm_takes_the_last_of_a_repeated_key_and_words_of_any_case(self):
        lost, preempted = ({"state": state, "reason": "", "log": "", "used": {}}
                           for state in ("NODE_FAIL", "PREEMPTED"))
        for text, one, action in (
                ("JobRequeue=0\nJobRequeue=1\n", lost, "RETRY"),
                ("JobRequeue=1\njobrequeue=0\n", lost, "FAIL"),
                ("PreemptMode=requeue\n", preempted, "RETRY"),
                ("PreemptMode=Gang,Requeue\n", preempted, "RETRY"),
                ("PreemptMode=cancel\n", preempted, "FAIL"),
                ("#!/bin/bash\n#SBATCH -N 2 --requeue\n", lost, "RETRY"),
                ("#SBATCH --requeue -N 2\n#SBATCH -n 1 --no-requeue # no\n", lost, "FAIL")):
            with self.subTest(text):
                policy = self.imported(text, "--from", "slurm").stdout
                self.assertEqual([action], answers_of(policy, "slurm", [one]))

    def test_keys_about_retries_that_are_not_known_are_named(self):
        for text, path in (
                ('{"a": {"retries": 1, "max_retry_delay_sec": 9}}', "max_retry_delay_sec"),
                ('{"RestartPolicy": {"Attempts": 1, "Moed": 1}}', "RestartPolicy.Moed"),
                ('{"retries": 1, "retry_policy": {"rules": [], "chain": 1}}',
                 "retry_policy.chain")):
            with self.subTest(text):
                result = self.imported(text)
                self.assertIn(f"{path} is not carried over: this importer does not know it",
                              result.stderr)
        self.assertIn('initial: "30s"', self.imported('{"retries": 1, "retry_delay_sec": 30}').stdout)

    def test_a_file_without_settings_and_one_of_two_systems(self):
        result = run("policy", "import", "-", stdin="a: 1\n")
        self.assertEqual(2, result.returncode)
        self.assertIn("no retry settings were found of argo, volcano", result.stderr)
        one = run("policy", "import", "--from", "slurm", "-", stdin="retry: 1\n")
        self.assertIn("no retry settings were found of slurm\n", one.stderr)

    def test_settings_of_several_systems_and_files(self):
        both = '{"a": {"retryStrategy": {"attempts": 2}}, "b": {"maxRetryCount": 1}}'
        policies = self.imported(both).stdout
        self.assertEqual(["aws-batch-a", "google-batch-b"],
                         re.findall(r"(?m)^  name: (\S+)", policies))
        self.assertIn("name: google-batch\n", self.imported(both, "--from", "google-batch").stdout)
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name, text in (("a.conf", "MaxBatchRequeue=2\n"), ("b.sh", "#SBATCH --requeue\n")):
                files.append(str(pathlib.Path(folder, name)))
                pathlib.Path(files[-1]).write_text(text, encoding="utf-8")
            result = run("policy", "import", *files)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(2, result.stdout.count("onlyByName: true"))

    def test_limits_hold_for_recurring_failures(self):
        """The system knows no causes, so it does not stop at a recurring failure."""
        policy = self.imported('{"retryStrategy": {"attempts": 7}}').stdout
        ledger, retries = {"workloadUid": "u"}, 0
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "policy.yaml")
            path.write_text(policy, encoding="utf-8")
            for number in range(10):
                one = request("aws-batch", number, {"state": "", "reason": "", "used": {}, "log":
                                                    "ModuleNotFoundError: No module named 'x'",
                                                    "exit": 1})
                answer = json.loads(run("explain", "--policy", str(path), "--requests", "-",
                                        stdin=json.dumps({**one, "ledger": ledger}) + "\n").stdout)
                ledger = answer["ledger"]
                if answer["decision"]["action"] != "RETRY":
                    break
                retries += 1
        self.assertEqual(6, retries)

    def test_merge_keys_are_followed(self):
        text = (".r: &r {max: 2, when: [api_failure]}\na: {retry: {<<: *r, max: 1}}\n")
        policy = self.imported(text).stdout
        self.assertIn("limit: 1\n", policy)
        self.assertIn("- api_failure\n", policy)
        self.assertTrue(policy.rstrip().endswith("action: FAIL"), policy)

    def test_tasks_of_one_job_are_not_mixed(self):
        task = '{"name": "%s", "policies": [{"event": "PodFailed", "action": "RestartPod"}]}'
        job = ('{"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "spec": {"policies":'
               ' [{"event": "PodFailed", "action": "AbortJob"}], "tasks": [%s]}}')
        alone = self.imported(job % (task % "a")).stdout
        self.assertEqual(2, alone.count("action: RETRY"))
        two = self.imported(job % (task % "a" + ", " + task % "b")).stdout
        self.assertNotIn("action: RETRY", two)
        self.assertIn("tasks of a Job that has several", two)

    def test_what_a_policy_cannot_hold_is_a_comment_of_it(self):
        text = ('{"retryStrategy": {"attempts": 2, "evaluateOnExit": [{"action": "EXIT",'
                ' "onReason": "a*", "onStatusReason": "b*"}], "timeout": 3}}')
        result = self.imported(text)
        for path in ("evaluateOnExit[0]", "timeout"):
            self.assertIn(f"{path} is not carried over: ", result.stderr)
            self.assertRegex(result.stdout, rf"(?m)^# .*{re.escape(path)} is not carried over")
        # An entry is left out as a whole.
        self.assertNotIn("evaluateOnExit[0].action", result.stderr)

    def test_different_blocks_are_different_policies(self):
        text = ("a: {script: x, retry: 1}\nb: {script: x, retry: 2}\n"
                "c: {script: y, retry: 1}\n")
        policies = self.imported(text, "--name", "ci").stdout
        self.assertEqual(["ci-a", "ci-b"], re.findall(r"(?m)^  name: (\S+)", policies))
        self.assertEqual(2, policies.count("onlyByName: true"))

    def test_operators_of_kubernetes_are_pasted(self):
        text = ("apiVersion: batch/v1\nkind: CronJob\nspec:\n  jobTemplate:\n    spec:\n"
                "      backoffLimit: 4\n      template: {spec: {restartPolicy: Never}}\n")
        policy = self.imported(text).stdout
        self.assertIn("pasted:\n    job:\n      backoffLimit: 4\n", policy)
        self.assertNotIn("restartPolicy", policy)

    def test_compare_says_what_the_default_would_change(self):
        settings = '{"retryStrategy": {"attempts": 5}}'
        one = request("aws-batch", 1, {"state": "", "reason": "", "used": {}, "exit": 1, "log":
                                       "ModuleNotFoundError: No module named 'flash_attn'"})
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "job.json")
            path.write_text(settings, encoding="utf-8")
            result = run("policy", "import", str(path), "--compare", "-",
                         stdin=json.dumps(one) + "\n")
        self.assertEqual(1, result.returncode, result.stderr)
        self.assertIn("1 of 1 answers differ", result.stdout)
        self.assertIn("aws-batch, retries", result.stdout)

    def test_the_page_has_every_system(self):
        page = (ROOT / "docs/migrate.md").read_text(encoding="utf-8")
        self.assertIn(run("policy", "import", "--list").stdout.strip(), page)


def agrees_with(system):
    def test(self):
        draw = random.Random(f"{system.name}/{SEED}")
        cases, retried = 0, 0
        for _ in range(SETTINGS):
            settings = system.settings(draw)
            text = settings if isinstance(settings, str) else json.dumps(settings)
            imported = self.imported(text, "--from", system.name)
            self.assertNotIn("does not know", imported.stderr, text)
            recognised = run("policy", "import", "-", stdin=text)
            self.assertEqual(imported.stdout, recognised.stdout, text)
            failures = [system.failure(draw) for _ in range(FAILURES)]
            actions = answers_of(imported.stdout, system.name, failures)
            for one, action in zip(failures, actions, strict=True):
                expected = system.retries(settings, one)
                self.assertEqual(expected, action == "RETRY",
                                 f"{action}\n{text}\n{one}\n{imported.stdout}")
                cases += 1
                retried += expected
        # Neither verdict is the answer to everything.
        self.assertLess(cases * 0.05, retried)
        self.assertLess(retried, cases * 0.95)
    return test


for each in models.SYSTEMS:
    setattr(ImportTest, f"test_decides_as_{each.name}", agrees_with(each))

if __name__ == "__main__":
    MULLIGAN = sys.argv[1]
    SEED, SETTINGS = (int(value) for value in (sys.argv[2:] + [SEED, SETTINGS][len(sys.argv) - 2:]))
    unittest.main(argv=sys.argv[:1])
