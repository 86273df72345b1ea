"""A retry policy for Airflow 3.3 and later that asks Mulligan.

    from mulligan_client.airflow import MulliganRetryPolicy

    with DAG(..., default_args={"retries": 20, "retry_policy":
             MulliganRetryPolicy("dns:///mulligan.mulligan:8980")}):

Airflow calls it in the worker when a try has failed. `retries` remains the upper
limit, which no policy can raise; below it Mulligan's budgets decide. The ledger is
stored in the task's state store, key "mulligan-ledger-FIRST_TRY", for Airflow's
[state_store] default_retention_days; clearing a task starts a new one.
"""

from __future__ import annotations

import logging
import re
import subprocess
import traceback
from collections.abc import Mapping
from typing import Any

import grpc
import mulligan_client
from airflow.sdk import RetryDecision, RetryPolicy
from mulligan.v1.decision_pb2 import Decision

log = logging.getLogger(__name__)

# The exit code of a program in an operator's exception.
_EXIT_CODE = re.compile(r"(?i)\b(?:exit[ _-]?(?:code|status)|status_?code)\W{0,4}(\d{1,5})\b")


class MulliganRetryPolicy(RetryPolicy):
    """Retries or fails a try as Mulligan decides.

    Reports a try of a KubernetesPodOperator as its pod and the events about it, any
    other as an EndedAttempt: exception, traceback, exit code and times.

    RETRY and WAIT become Airflow's RETRY after `retry_after`; FAIL and
    WAIT_FOR_SPEC_UPDATE become its FAIL. The reason is Mulligan's sentence. With any
    other verdict or no answer, Airflow's own retries decide.
    """

    def __init__(self, target: str, *, ca: str = "", certificate: str = "", key: str = "",
                 server_name: str = "", policy: str = "",
                 limits: Mapping[str, int] | None = None, timeout: float = 5) -> None:
        """Does not connect yet, because DAGs are parsed often.

        target, server_name: of mulligan_client.connect. ca, certificate, key: PEM
            files on the worker, of mulligan_client.tls_credentials; no ca: plaintext.
        policy, limits, timeout: of mulligan_client.ask.
        """
        if (certificate or key) and not ca:
            raise ValueError("ca: expected a PEM file together with certificate and key")
        self.target, self.server_name = target, server_name
        self.tls = (ca, certificate, key)
        self.question: dict[str, Any] = {"policy": policy, "limits": limits, "timeout": timeout}

    def evaluate(self, exception: BaseException, try_number: int, max_tries: int,
                 context: Any = None) -> RetryDecision:
        task = context["ti"]
        # Clearing a task raises max_tries, so its next try is the first of `retries` + 1.
        first = max(1, max_tries - task.task.retries + 1)
        store, key = context["task_state_store"], f"mulligan-ledger-{first}"
        name = f"{task.dag_id}.{task.task_id}.{task.run_id}"
        if task.map_index is not None and task.map_index >= 0:
            name += f".{task.map_index}"
        workload = {"kind": "AirflowTask", "name": name}
        objects = _pod_and_events(task.task)
        report: dict[str, Any] = {"workload": workload, "attempt": max(1, try_number - first + 1)}
        if objects:
            workload["namespace"] = objects[0]["metadata"]["namespace"]
        else:
            report["endedAttempt"] = _ended_attempt(exception, task, max_tries - first + 2)
        try:
            answer = mulligan_client.ask(self._service(), objects, ledger=store.get(key),
                                         **self.question, **report)
        except grpc.RpcError as error:
            log.warning("Mulligan had no answer (%s), Airflow's own retries decide: %s",
                        error.code().name, error.details())
            return RetryDecision.default()
        store.set(key, mulligan_client.ledger_json(answer.ledger))
        decision = answer.decision
        if decision.action in (Decision.RETRY, Decision.WAIT):
            return RetryDecision.retry(decision.retry_after.ToTimedelta(), decision.sentence)
        if decision.action in (Decision.FAIL, Decision.WAIT_FOR_SPEC_UPDATE):
            return RetryDecision.fail(decision.sentence)
        log.info("Mulligan: %s", decision.sentence)
        return RetryDecision.default()

    def _service(self) -> mulligan_client.Service:
        credentials = mulligan_client.tls_credentials(*self.tls) if self.tls[0] else None
        return mulligan_client.connect(self.target, credentials, self.server_name)


def _pod_and_events(operator: Any) -> list[dict[str, Any]]:
    """Returns a KubernetesPodOperator's pod and the events about it; empty if it has none.

    Reads the pod again, because the operator's may be older than the failure. If it is
    gone (`on_finish_action`), returns what the operator saw last.
    """
    pod = getattr(operator, "remote_pod", None) or getattr(operator, "pod", None)
    if pod is None:
        return []
    name, namespace, uid = pod.metadata.name, pod.metadata.namespace, pod.metadata.uid
    events: list[Any] = []
    try:
        events = operator.client.list_namespaced_event(
            namespace, field_selector=f"involvedObject.uid={uid}").items
        read = operator.client.read_namespaced_pod(name, namespace)
        if read.metadata.uid == uid:
            pod = read
    except Exception as error:  # urllib3's and the client's own have no common class.
        log.info("Mulligan: pod %s is reported as last seen: %s", name, error)
    plain = operator.client.api_client.sanitize_for_serialization
    return [{"kind": "Pod", **plain(pod)}, *({**plain(each), "kind": "Event"} for each in events)]


def _ended_attempt(exception: BaseException, task: Any, max_attempts: int) -> dict[str, Any]:
    text = "".join(traceback.format_exception(exception))
    attempt: dict[str, Any] = {
        "scheduler": "airflow", "id": str(task.id), "logTail": _last(text, 60_000),
        "maxAttempts": max_attempts}
    code = _exit_code(exception)
    if code:
        attempt["exitCode"] = code
    if task.start_date:
        attempt["startedAt"] = task.start_date.isoformat()
    return attempt


def _exit_code(exception: BaseException) -> int | None:
    if isinstance(exception, SystemExit) and isinstance(exception.code, int):
        return exception.code
    if isinstance(exception, subprocess.CalledProcessError):
        # Negative: a signal; shells return 128 plus the signal.
        return exception.returncode if exception.returncode >= 0 else 128 - exception.returncode
    found = _EXIT_CODE.search(str(exception))
    return int(found[1]) if found else None


def _last(text: str, size: int) -> str:
    """Returns the end of a text, at most size bytes."""
    return text.encode(errors="replace")[-size:].decode(errors="ignore")
