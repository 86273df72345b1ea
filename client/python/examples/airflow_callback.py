"""Airflow: a task whose pod cannot succeed is not retried.

    KubernetesPodOperator(..., retries=20, callbacks=MulliganCallback)

`retries` only has to be large enough: Mulligan's budgets decide, and a task that
is given up fails at once. Without an answer Airflow's own retries continue.
For apache-airflow-providers-cncf-kubernetes 10.25, also in deferrable mode.
"""

import grpc
import mulligan_client
from airflow.exceptions import AirflowFailException
from airflow.models import Variable
from airflow.providers.cncf.kubernetes.callbacks import \
    KubernetesPodOperatorCallback

SERVICE = mulligan_client.connect("dns:///mulligan.mulligan:8980")


class MulliganCallback(KubernetesPodOperatorCallback):
    @staticmethod
    def on_pod_completion(*, pod, client, context, **kwargs):
        task = context["ti"]
        name = f"{task.dag_id}.{task.task_id}.{task.run_id}"
        key = f"mulligan.dev/ledger/{name}"
        json_pod = client.api_client.sanitize_for_serialization(pod)
        try:
            answer = mulligan_client.ask(
                SERVICE, [{"kind": "Pod", **json_pod}],
                ledger=Variable.get(key, default_var=None),
                workload={"kind": "AirflowTask", "name": name,
                          "namespace": pod.metadata.namespace})
        except grpc.RpcError as error:
            task.log.warning("Mulligan had no answer: %s", error)
            return
        Variable.set(key, mulligan_client.ledger_json(answer.ledger))
        task.log.info("Mulligan: %s", answer.decision.sentence)
        if answer.decision.action in (answer.decision.FAIL,
                                      answer.decision.WAIT_FOR_SPEC_UPDATE):
            raise AirflowFailException(answer.decision.sentence)
