"""Each system's reaction to its own retry settings, written from its documents and not from
client/cli/import/systems.yaml: settings and failures are random, and `retries` says whether the
system tries again.

A failure is a dict of exit (absent: none), state, reason, log, and used: how often each kind of
retry was made before, by the name of the imported budget."""

import builtins
import re

CODES = [1, 2, 3, 13, 42, 99, 126, 127, 130, 137, 139, 143, 255]
REASONS = ["Host EC2 (instance i-0a) terminated.", "Task failed to start", "Timeout of the job",
           "OutOfMemoryError: Container killed due to memory usage", "connection refused",
           "Essential container in task exited", "AGENT"]
LOGS = ["", "ValueError: bad input", "Traceback\n  requests.exceptions.ConnectionError: reset",
        "airflow.exceptions.AirflowFailException: never", "TimeoutError: slow", "read: i/o timeout"]


def failure(draw, states=("",), used=(), reasons=REASONS, logs=("",)):
    one = {"state": draw.choice(states), "reason": draw.choice(reasons), "log": draw.choice(logs),
           "used": {budget: draw.randrange(0, 5) for budget in used}}
    if draw.random() < 0.85 or not one["state"]:
        one["exit"] = draw.choice(CODES)
    return one


class System:
    """`name` is the value of --from. `settings` draws a document, `failure` a failure of it."""
    name = ""
    states = ("",)
    used = ("retries",)
    logs = ("",)
    reasons = REASONS

    def settings(self, draw):
        raise NotImplementedError

    def retries(self, settings, one):
        raise NotImplementedError

    def failure(self, draw):
        return failure(draw, self.states, self.used, self.reasons, self.logs)


class Argo(System):
    name = "argo"
    states = ("Failed", "Error")
    # The message is not the log.
    logs = ("", "Timeout of a request\nHost EC2 lost, the AGENT goes on\nValueError: x")

    def settings(self, draw):
        code = draw.choice(CODES)
        expressions = [
            None, "true", "false", f"asInt(lastRetry.exitCode) > {code}",
            f"lastRetry.exitCode != '{code}'", 'lastRetry.exitCode != "0"',
            f'lastRetry.exitCode matches "^({code}|137)$"',
            'lastRetry.message matches "^Host.EC\\\\d"', f'lastRetry.exitCode == "{code}"',
            f"asInt(lastRetry.exitCode) in [{code}, 137]", 'lastRetry.status == "Error"',
            f'lastRetry.status != "Error" && asInt(lastRetry.exitCode) <= {code}',
            f'lastRetry.status == "Error" || asInt(lastRetry.exitCode) == {code}',
            f"!(asInt(lastRetry.exitCode) == {code} || asInt(lastRetry.exitCode) < 3)",
            'lastRetry.message matches "Host.*"', '!(lastRetry.message contains "Timeout")',
            f"not (lastRetry.message contains 'AGENT') and asInt(lastRetry.exitCode) >= {code}"]
        strategy = {"limit": str(draw.randrange(0, 5))}
        policy = draw.choice([None, "Always", "OnFailure", "OnError", "OnTransientError"])
        if policy:
            strategy["retryPolicy"] = policy
        expression = None if policy == "OnTransientError" else draw.choice(expressions)
        if expression:
            strategy["expression"] = expression
        return {"kind": "Workflow", "spec": {"templates": [{"name": "a",
                                                            "retryStrategy": strategy}]}}

    def evaluate(self, expression, one):
        code = one.get("exit", -1)
        expression = re.sub(r"lastRetry\.exitCode matches (\S+)", r"bool(search(\1, str(code)))",
                            expression)
        text = re.sub(r"(asInt\()?lastRetry\.exitCode\)? (\S+) ['\"]?(\d+)['\"]?",
                      r"code \2 \3", expression)
        text = re.sub(r"asInt\(lastRetry\.exitCode\)", "code", text)
        text = text.replace("lastRetry.status", "state").replace("&&", " and ")
        text = text.replace("||", " or ").replace("!(", " not (")
        text = re.sub(r"lastRetry\.message matches (\S+?)(?=$|\))", r"bool(search(\1, message))",
                      text)
        text = re.sub(r"lastRetry\.message contains ('[^']*'|\"[^\"]*\")", r"(\1 in message)", text)
        text = text.replace("true", "True").replace("false", "False")
        return eval(text, {"code": code, "state": one["state"], "message": one["reason"],
                           "search": re.search})

    def retries(self, settings, one):
        strategy = settings["spec"]["templates"][0]["retryStrategy"]
        if one["used"]["retries"] >= int(strategy["limit"]):
            return False
        expression = strategy.get("expression")
        policy = strategy.get("retryPolicy", "Always" if expression else "OnFailure")
        if policy == "OnFailure" and one["state"] == "Error":
            return False
        if policy == "OnError" and one["state"] == "Failed":
            return False
        if policy == "OnTransientError" and not re.search(
                "connection refused|i/o timeout|TLS handshake", one["reason"]):
            return False
        return expression is None or self.evaluate(expression, one)


class Volcano(System):
    name = "volcano"
    reasons = ("",)
    states = ("PodFailed", "PodEvicted", "TaskFailed", "Unknown")

    def settings(self, draw):
        policies = []
        for _ in range(draw.randrange(1, 4)):
            policy = {"action": draw.choice(["RestartJob", "RestartTask", "RestartPod",
                                             draw.choice(["AbortJob", "TerminateJob",
                                                          "CompleteJob"])])}
            kind = draw.random()
            if kind < 0.4:
                policy["event"] = draw.choice(self.states + ("*",))
            elif kind < 0.6:
                policy["events"] = draw.sample(self.states, 2)
            else:
                policy["exitCode"] = draw.choice(CODES)
            policies.append(policy)
        return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job",
                "spec": {"maxRetry": draw.randrange(0, 6), "policies": policies, "tasks": []}}

    def failure(self, draw):
        one = super().failure(draw)
        # An eviction has no exit code of the program.
        if one["state"] != "PodFailed":
            one.pop("exit", None)
        else:
            one["exit"] = draw.choice([code for code in CODES if code not in (137, 143)])
        return one

    def retries(self, settings, one):
        spec = settings["spec"]
        for policy in spec["policies"]:
            events = policy.get("events", [policy.get("event")])
            if one["state"] in events or "*" in events or policy.get("exitCode") == one.get(
                    "exit", "none"):
                # The restart is counted before the limit is checked.
                return policy["action"].startswith("Restart") and (
                    one["used"]["retries"] + 1 < (spec["maxRetry"] or 3))
        return False


class Armada(System):
    name = "armada"
    states = ("oom", "gpu", "user-error", "transient")
    reasons = ("AGENT", "AGENT-2", "connection refused", "no connection refused", "")

    def settings(self, draw):
        rules = []
        for _ in range(draw.randrange(0, 4)):
            rule = {"action": draw.choice(["Retry", "Fail"]),
                    "onCategory": draw.choice(self.states)}
            if draw.random() < 0.4:
                rule["onSubcategory"] = draw.choice(["AGENT", "connection refused"])
            if rule["action"] == "Retry" and draw.random() < 0.3:
                rule["mutate"] = draw.choice([{"affinity": {"avoidSameNode": True}},
                                              {"resources": {"memory": {"factor": 1.5}}}])
            rules.append(rule)
        return {"apiVersion": "armadaproject.io/v1beta1", "kind": "RetryPolicy", "name": "p",
                "retryLimit": draw.randrange(0, 5), "rules": rules,
                "defaultAction": draw.choice(["Retry", "Fail"])}

    def retries(self, settings, one):
        action = settings["defaultAction"]
        for rule in settings["rules"]:
            if rule["onCategory"] == one["state"] and rule.get(
                    "onSubcategory", one["reason"]) == one["reason"]:
                action = rule["action"]
                break
        return action == "Retry" and one["used"]["retries"] < settings["retryLimit"]


class AwsBatch(System):
    name = "aws-batch"
    reasons = REASONS + ["Job attempt duration exceeded timeout"]
    logs = ("", "Task failed to start\nTimeout: AGENT")

    def settings(self, draw):
        rules = []
        for _ in range(draw.randrange(0, 6)):
            rule = {"action": draw.choice(["RETRY", "EXIT", "retry", "exit"])}
            if draw.random() < 0.5:
                rule["onExitCode"] = draw.choice(["1*", "13", "137", "4*", "*", "25*"])
            if "onExitCode" not in rule or draw.random() < 0.3:
                rule[draw.choice(["onReason", "onStatusReason"])] = draw.choice(
                    ["Host EC2*", "*", "Task failed to start", "AGENT", "Timeout*"])
            rules.append(rule)
        strategy = {"attempts": draw.randrange(1, 11)}
        if rules:
            strategy["evaluateOnExit"] = rules
        return {"jobDefinitionName": "a", "retryStrategy": strategy}

    @staticmethod
    def fits(glob, text):
        return text.startswith(glob[:-1]) if glob.endswith("*") else text == glob

    def retries(self, settings, one):
        strategy = settings["retryStrategy"]
        if one["used"]["retries"] + 1 >= strategy["attempts"]:
            return False
        if one["reason"].startswith("Job attempt duration"):
            return False
        for rule in strategy.get("evaluateOnExit", []):
            values = {"onExitCode": str(one.get("exit", "")), "onReason": one["reason"],
                      "onStatusReason": one["reason"]}
            if all(self.fits(rule[key], value) for key, value in values.items() if key in rule):
                return rule["action"].upper() == "RETRY"
        return True


class GoogleBatch(System):
    name = "google-batch"

    def settings(self, draw):
        task = {"maxRetryCount": draw.randrange(0, 11), "runnables": [{"script": {"text": "x"}}]}
        if draw.random() < 0.7:
            task["lifecyclePolicies"] = [{
                "action": draw.choice(["RETRY_TASK", "FAIL_TASK"]),
                "actionCondition": {"exitCodes": draw.sample(CODES + [50001, 50002], 3)}}]
        return {"taskGroups": [{"taskSpec": task, "taskCount": 2}]}

    def failure(self, draw):
        one = failure(draw, used=self.used)
        one["exit"] = draw.choice(CODES + [50001, 50002, 50005])
        return one

    def retries(self, settings, one):
        task = settings["taskGroups"][0]["taskSpec"]
        if one["used"]["retries"] >= task["maxRetryCount"]:
            return False
        for policy in task.get("lifecyclePolicies", []):
            named = one["exit"] in policy["actionCondition"]["exitCodes"]
            return named == (policy["action"] == "RETRY_TASK")
        return True


class AzureBatch(System):
    name = "azure-batch"
    states = ("", "preProcessingError", "preempted")
    reasons = REASONS + ["FileUploadMiscError: An error occurred"]
    used = ("retries", "recoveries")

    def settings(self, draw):
        return {"id": "t", "commandLine": "x",
                "constraints": {"maxTaskRetryCount": draw.choice([-1, 0, 1, 3, 5])}}

    def retries(self, settings, one):
        limit = settings["constraints"]["maxTaskRetryCount"]
        if one["state"] == "preempted":
            return True
        return one["state"] != "preProcessingError" and (
            not one["reason"].startswith("FileUpload")) and (
            limit == -1 or one["used"]["retries"] < limit)


class Airflow(System):
    name = "airflow"
    # An exception may be in either text.
    reasons = ("",)
    logs = LOGS + [
        "Traceback (most recent call last):\nKeyError: 1",
        "Traceback (most recent call last):\nKeyError: 'a'\n\nThe above exception was the direct "
        "cause of the following exception:\n\nTraceback (most recent call last):\n"
        "FileNotFoundError: [Errno 2] b\n"]

    def settings(self, draw):
        task = {"retries": draw.randrange(0, 5), "retry_delay": draw.choice([10, "5m"])}
        if draw.random() < 0.5:
            task["retry_exponential_backoff"] = draw.choice([True, False, 3.0])
        names = ["ValueError", "TimeoutError", "builtins.KeyError", "builtins.LookupError",
                 "OSError", "requests.exceptions.ConnectionError", "builtins.Exception"]
        rules = [{"exception": draw.choice([draw.choice(names), draw.sample(names[:-1], 2)]),
                  "action": draw.choice(["RETRY", "FAIL", "DEFAULT"])}
                 for _ in range(draw.randrange(0, 3))]
        for rule in rules:
            if draw.random() < 0.3:
                rule["match_subclasses"] = draw.random() < 0.5
        if rules:
            task["retry_policy"] = {"rules": rules}
            if draw.random() < 0.5:
                task["retry_policy"]["default"] = draw.choice(["FAIL", "RETRY"])
        return {"default_args": task}

    def retries(self, settings, one):
        task = settings["default_args"]
        if "AirflowFailException" in one["log"] or one["used"]["retries"] >= task["retries"]:
            return False
        raised = re.findall(r"(?m)^\s*([\w.]+(?:Error|Exception)):", one["log"])[-1:]
        if not raised:
            return True
        policy = task.get("retry_policy", {})
        for rule in policy.get("rules", []):
            names = rule["exception"]
            names = names if isinstance(names, list) else [names]
            if any(self.is_a(raised[0], name, rule.get("match_subclasses", True))
                   for name in names):
                return rule["action"] != "FAIL"
        return policy.get("default") != "FAIL"

    @staticmethod
    def is_a(raised, name, subclasses):
        name = name.removeprefix("builtins.")
        # The exceptions of requests are IOErrors.
        of = OSError if raised.startswith("requests.") else getattr(builtins, raised, Exception)
        return name == raised or subclasses and hasattr(builtins, name) and issubclass(
            of, getattr(builtins, name))


class Nomad(System):
    name = "nomad"
    states = ("failed", "lost")
    used = ("restarts", "reschedules")

    def settings(self, draw):
        group = {"Name": "g", "RestartPolicy": {
            "Attempts": draw.randrange(0, 4), "Interval": 86400 * 10**9, "Delay": 15 * 10**9,
            "Mode": "fail"}}
        if draw.random() < 0.6:
            group["ReschedulePolicy"] = {"Attempts": draw.randrange(0, 3),
                                         "Unlimited": draw.random() < 0.3}
        return {"Job": {"ID": "j", "TaskGroups": [group]}}

    def retries(self, settings, one):
        group = settings["Job"]["TaskGroups"][0]
        restarts = group["RestartPolicy"]["Attempts"]
        if one["state"] == "lost" or one["used"]["restarts"] < restarts:
            return True
        again = group.get("ReschedulePolicy", {"Attempts": 1, "Unlimited": False})
        # Each new allocation has its restarts again.
        return again["Unlimited"] or (
            one["used"]["reschedules"] < again["Attempts"] * (1 + restarts))


class Slurm(System):
    name = "slurm"
    states = ("FAILED", "NODE_FAIL", "PREEMPTED")
    used = ("requeues",)

    def settings(self, draw):
        lines = ["ClusterName=c # a cluster"]
        if draw.random() < 0.7:
            lines.append(f"JobRequeue={draw.randrange(0, 2)}")
        if draw.random() < 0.7:
            lines.append("RequeueExit=" + draw.choice(["1", "1-3,42", "137,139"]))
        if draw.random() < 0.5:
            lines.append("RequeueExitHold = " + draw.choice(["2", "99,255", "126-130"]))
        lines.append(f"MaxBatchRequeue={draw.randrange(0, 5)}")
        return "\n".join(lines) + "\n"

    def failure(self, draw):
        one = failure(draw, self.states, self.used)
        if one["state"] == "FAILED":
            one.setdefault("exit", 1)
        else:
            one.pop("exit", None)
        return one

    @staticmethod
    def codes(text):
        found = set()
        for part in text.split(","):
            ends = part.split("-")
            found.update(range(int(ends[0]), int(ends[-1]) + 1))
        return found

    def retries(self, settings, one):
        conf = dict(re.findall(r"^(\w+)\s*=\s*(\S+)", settings, re.M))
        if one["used"]["requeues"] >= int(conf["MaxBatchRequeue"]):
            return False
        if one["state"] != "FAILED":
            return conf.get("JobRequeue", "1") == "1"
        if one["exit"] in self.codes(conf.get("RequeueExitHold", "0")):
            return False
        return one["exit"] in self.codes(conf.get("RequeueExit", "0"))


class RayTrain(System):
    name = "ray-train"
    used = ("failures",)
    # Messages about a reclaimed machine would mean a preemption.
    reasons = ("",)

    def settings(self, draw):
        return {"failure_config": {"max_failures": draw.choice([-1, 0, 1, 3])}}

    def retries(self, settings, one):
        limit = settings["failure_config"]["max_failures"]
        return limit == -1 or one["used"]["failures"] < limit


class GitLab(System):
    name = "gitlab"
    states = ("script_failure", "runner_system_failure", "stuck_or_timeout_failure", "api_failure",
              "scheduler_failure", "job_execution_timeout", "no_matching_runner", "unknown_failure")
    used = ("retries", "scheduler")

    def settings(self, draw):
        if draw.random() < 0.3:
            retry = draw.randrange(0, 3)
        else:
            retry = {"max": draw.randrange(0, 3)}
            if draw.random() < 0.7:
                retry["when"] = draw.choice(["always", draw.choice(self.states[:6]),
                                             draw.sample(self.states[:6], 2)])
            if draw.random() < 0.5:
                retry["exit_codes"] = draw.choice([137, draw.sample(CODES, 3)])
        return {"build": {"script": "make", "retry": retry}}

    def retries(self, settings, one):
        retry = settings["build"]["retry"]
        retry = {"max": retry} if isinstance(retry, int) else retry
        if one["state"] == "no_matching_runner":
            return False
        codes = retry.get("exit_codes")
        codes = [codes] if isinstance(codes, int) else codes
        when = retry.get("when", [] if codes is not None else ["always"])
        when = [when] if isinstance(when, str) else when
        if one["state"] in when or "always" in when or one.get("exit", -1) in (codes or []):
            return one["used"]["retries"] < retry["max"]
        return one["state"] == "scheduler_failure" and one["used"]["scheduler"] < 2


class SkyPilot(System):
    name = "skypilot"
    used = ("errors",)

    def settings(self, draw):
        recovery = {"strategy": draw.choice(["FAILOVER", "EAGER_NEXT_REGION"])}
        if draw.random() < 0.7:
            recovery["max_restarts_on_errors"] = draw.randrange(0, 4)
        if draw.random() < 0.6:
            recovery["recover_on_exit_codes"] = draw.choice([33, draw.sample(CODES, 2)])
        return {"name": "t", "resources": {"cpus": 2, "job_recovery": recovery}, "run": "x"}

    def failure(self, draw):
        one = failure(draw, ("FAILED", "FAILED_PRECHECKS"), self.used, ("",),
                      ("ValueError: bad input", "NVRM: Xid (PCI:0000:3b:00): 79, GPU is lost"))
        one["exit"] = draw.choice([1, 2, 3, 13, 33, 42])
        if one["state"] != "FAILED":
            one.pop("exit")
        return one

    def retries(self, settings, one):
        recovery = settings["resources"]["job_recovery"]
        codes = recovery.get("recover_on_exit_codes", [])
        codes = [codes] if isinstance(codes, int) else codes
        return one["state"] == "FAILED" and (
            one["exit"] in codes or one["used"]["errors"] < recovery.get(
                "max_restarts_on_errors", 0))


class Dstack(System):
    name = "dstack"
    states = ("error", "interruption", "no-capacity")
    reasons = ("",)

    def settings(self, draw):
        return {"type": "task", "retry": {"on_events": draw.sample(self.states, 2),
                                          "duration": "1h"}}

    def failure(self, draw):
        one = super().failure(draw)
        one["exit"] = 1
        if one["state"] != "error":
            one.pop("exit")
        return one

    def retries(self, settings, one):
        return one["state"] in settings["retry"]["on_events"]


class Tekton(System):
    name = "tekton"

    def settings(self, draw):
        return {"apiVersion": "tekton.dev/v1", "kind": "Pipeline", "metadata": {"name": "p"},
                "spec": {"tasks": [{"name": "t", "retries": draw.randrange(0, 5),
                                    "taskRef": {"name": "x"}}]}}

    def retries(self, settings, one):
        return one["used"]["retries"] < settings["spec"]["tasks"][0]["retries"]


SYSTEMS = [system() for system in (
    Argo, Volcano, Armada, AwsBatch, GoogleBatch, AzureBatch, Airflow, Nomad, Slurm, RayTrain,
    GitLab, SkyPilot, Dstack, Tekton)]
