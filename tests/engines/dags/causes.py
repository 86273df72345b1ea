"""One DAG per cause, for airflow_test.py. MULLIGAN_SERVER is the service's address."""

import os
from datetime import datetime, timedelta, timezone

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, task
from mulligan_client.airflow import MulliganRetryPolicy

START = datetime(2026, 1, 1, tzinfo=timezone.utc)
# A delay that no verdict has. If a task gets it, Airflow's own retries decided.
DEFAULTS = {"retries": 9, "retry_delay": timedelta(seconds=3601),
            "retry_policy": MulliganRetryPolicy(os.environ["MULLIGAN_SERVER"])}

with DAG("missing_module", schedule="@once", start_date=START, default_args=DEFAULTS):
    @task
    def missing_module():
        import flash_attn  # noqa: F401

    missing_module()

with DAG("connection_error", schedule="@once", start_date=START, default_args=DEFAULTS):
    @task
    def connection_error():
        raise ConnectionError("https://storage.example/shard-7: 503 Service Unavailable")

    connection_error()

with DAG("exit_code", schedule="@once", start_date=START, default_args=DEFAULTS):
    BashOperator(task_id="exit_code", bash_command="exit 75")

with DAG("passes", schedule="@once", start_date=START, default_args=DEFAULTS):
    @task
    def passes(ti=None):
        if ti.try_number == 1:
            raise ConnectionResetError("[Errno 104] Connection reset by peer")

    passes()

with DAG("no_service", schedule="@once", start_date=START, default_args={**DEFAULTS, "retry_policy": MulliganRetryPolicy("127.0.0.1:1", timeout=2)}):
    @task
    def no_service():
        raise ConnectionError("https://storage.example/shard-7: 503 Service Unavailable")

    no_service()

with DAG("platform", schedule="@once", start_date=START, default_args=DEFAULTS):
    @task
    def platform():
        raise RuntimeError("CUDA error: uncorrectable ECC error encountered")

    platform()
