"""Other systems' own rules applied to a report.

Each rule takes a report (proto JSON) and returns a Verdict: which side is at fault, and whether
to retry. Like their operators, the rules see only pods. Without pods in the report they have no
opinion.
"""

import re
from dataclasses import dataclass

RETRY, STOP, WAIT, NONE = "retry", "stop", "wait", "none"
USER, PLATFORM = "user", "platform"

# training-operator, RestartPolicy ExitCode: named codes, and the ranges of its later releases.
PERMANENT = {1, 2, 126, 127, 128, 139}
RETRYABLE = {130, 137, 138, 143}
# Flyte: pod reasons that count as the system's failure.
FLYTE_SYSTEM_REASONS = {"Shutdown", "Terminated", "NodeShutdown",
                        "NodeAffinity"}
# subprocess.returncode -9 as the launcher's exit code, and the plain code.
FLYTE_KILLED = {137, 247}
# Armada: an operator's categories for its categorizer, by exit code or a text in the
# termination message, and their policy; everything else is retried elsewhere up to the global
# cap.
ARMADA_RETRIES = 5
ARMADA_FAIL_CODES = {2, 126, 127, 128}
ARMADA_FAIL_TEXT = re.compile(
    r"ModuleNotFoundError|ImportError|SyntaxError|unrecognized arguments|"
    r"No such file or directory|CUDA out of memory")
# Kubernetes documentation: with this code the program says that it is hopeless.
FAIL_JOB_CODE = 42


@dataclass
class Verdict:
    side: str = None
    action: str = NONE


def statuses(pod):
    status = pod.get("status", {})
    return (status.get("initContainerStatuses", [])
            + status.get("containerStatuses", []))


def ends(pod, last_too=True):
    """Terminated states, in the order of the containers."""
    for status in statuses(pod):
        ended = (status.get("state") or {}).get("terminated")
        if ended is None and last_too:
            ended = (status.get("lastState") or {}).get("terminated")
        if ended is not None:
            yield ended


def exit_code(pod):
    """Exit code of the first container that failed; None if none did."""
    return next((end["exitCode"] for end in ends(pod)
                 if end.get("exitCode")), None)


def failed(pod):
    return (pod.get("status", {}).get("phase") == "Failed"
            or exit_code(pod) is not None)


def disrupted(pod):
    return any(c.get("type") == "DisruptionTarget"
               and c.get("status", "True") == "True"
               for c in pod.get("status", {}).get("conditions", []))


def first_failed(report):
    pods = report.get("pods", [])
    return next((pod for pod in pods if failed(pod)), pods[0] if pods else None)


def code_of(report):
    """Exit code of a pod or of the bare `exit` of a report."""
    pod = first_failed(report)
    if pod is not None:
        return exit_code(pod)
    return report.get("exit", {}).get("exitCode")


def training_operator(report):
    pod = first_failed(report)
    code = code_of(report)
    if code is None:
        if pod is None:
            return Verdict()
        # A missing code is an unknown code: the pod failed for good.
        over = pod.get("status", {}).get("phase") == "Failed"
        return Verdict(USER, STOP) if over else Verdict(None, WAIT)
    retryable = code in RETRYABLE or (code not in PERMANENT and code > 128)
    return Verdict(PLATFORM, RETRY) if retryable else Verdict(USER, STOP)


def pod_failure_policy(report):
    """Ignore DisruptionTarget, FailJob on the program's own code, else count:
    the recommendation of the Kubernetes documentation."""
    pod = first_failed(report)
    code = code_of(report)
    if pod is not None and disrupted(pod):
        return Verdict(PLATFORM, RETRY)
    if code == FAIL_JOB_CODE:
        return Verdict(USER, STOP)
    if code is not None or (pod is not None and failed(pod)):
        return Verdict(None, RETRY)
    return Verdict(None, WAIT if pod is not None else NONE)


def backoff_limit(report):
    """Retries whatever it was."""
    pod = first_failed(report)
    if code_of(report) is not None or (pod is not None and failed(pod)):
        return Verdict(None, RETRY)
    return Verdict(None, WAIT if pod is not None else NONE)


def armada(report):
    """Fail rules for user errors; the default action Retry for the rest."""
    pod = first_failed(report)
    code = code_of(report)
    if pod is None and code is None:
        return Verdict()
    text = " ".join([end.get("message", "") for end in
                     (ends(pod) if pod is not None else [])]
                    + [report.get("exit", {}).get("message", "")])
    if code in ARMADA_FAIL_CODES or ARMADA_FAIL_TEXT.search(text):
        return Verdict(USER, STOP)
    if code is not None or failed(pod):
        return Verdict(None, RETRY)
    return Verdict(None, WAIT)


def flyte(report):
    pod = first_failed(report)
    if pod is None:
        return Verdict()
    if pod.get("status", {}).get("phase") == "Failed":
        return flyte_failed(pod)
    if exit_code(pod) is not None and pod["status"].get("phase") != "Pending":
        # A running pod with a failed primary container is the user's failure.
        return Verdict(USER, RETRY)
    return flyte_pending(pod)


def flyte_failed(pod):
    """DemystifyFailure, release 1.15.1 and later; the first container is the
    primary one."""
    reason = pod["status"].get("reason") or "UnknownError"
    system = reason in FLYTE_SYSTEM_REASONS
    primary = next(iter(pod["status"].get("containerStatuses", [])), None)
    for status in statuses(pod):
        end = ((status.get("lastState") or {}).get("terminated")
               or (status.get("state") or {}).get("terminated"))
        if end is None:
            continue
        if "OOMKilled" in end.get("reason", ""):
            reason = "OOMKilled"
        elif end.get("exitCode") in FLYTE_KILLED:
            reason = "Interrupted"
            system = system or status is primary
    system = system or reason == "UnknownError"
    return Verdict(PLATFORM if system else USER, RETRY)


def flyte_pending(pod):
    """DemystifyPending with the shipped grace periods, long after the start."""
    waiting = next(((status.get("state") or {})["waiting"].get("reason", "")
                    for status in pod.get("status", {})
                    .get("containerStatuses", [])
                    if "waiting" in (status.get("state") or {})), None)
    if waiting in (None, "ErrImagePull", "ContainerCreating",
                   "PodInitializing"):
        return Verdict(None, WAIT)
    if waiting in ("CreateContainerError", "CreateContainerConfigError",
                   "InvalidImageName"):
        return Verdict(USER, STOP)
    if waiting == "ImagePullBackOff":
        return Verdict(USER, RETRY)
    return Verdict(PLATFORM, RETRY)


def smallest_timestamp(report):
    """JobSet and TorchElastic: name of the pod that ended first; None if no two ends can be
    compared."""
    ended = [(end["finishedAt"], pod.get("metadata", {}).get("name", ""))
             for pod in report.get("pods", [])
             for end in ends(pod)
             if end.get("exitCode") and end.get("finishedAt")]
    return min(ended)[1] if len(ended) > 1 else None


RULES = {
    "training-operator, exit codes": training_operator,
    "Flyte, demystify": flyte,
    "Armada, user errors fail": armada,
    "podFailurePolicy, recommended": pod_failure_policy,
    "backoffLimit alone": backoff_limit,
}
