"""The retry policy in Airflow, with scheduler, workers and API server and one DAG per cause.

scripts/test-engines installs Airflow and the client and sets MULLIGAN_BIN.
"""

import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = Path(os.environ["MULLIGAN_BIN"])
# Seconds. A loaded machine needs minutes for the imports alone.
PATIENCE_SECONDS = 900


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class AirflowTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = Path(folder.name)
        ports = cls.home / "ports.json"
        cls.start(BIN / "mulligan-server", "--listen-address=127.0.0.1:0",
                  "--admin-address=127.0.0.1:0", f"--port-file={ports}")
        cls.until(lambda: ports.exists() and ports.read_text().endswith("}\n"))
        port = free_port()
        os.environ.update({
            "MULLIGAN_SERVER": f"127.0.0.1:{json.loads(ports.read_text())['grpcPort']}",
            "AIRFLOW_HOME": str(cls.home),
            "AIRFLOW__CORE__DAGS_FOLDER": str(HERE / "dags"),
            "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "false",
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
            "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
            "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
            "AIRFLOW__CORE__PARALLELISM": "2",
            "AIRFLOW__API__HOST": "127.0.0.1",
            "AIRFLOW__API__PORT": str(port),
            "AIRFLOW__API__WORKERS": "1",
            "AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT": "0",
            "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": "120",
        })
        subprocess.run([cls.airflow(), "db", "migrate"], check=True, capture_output=True)
        cls.start(cls.airflow(), "api-server")
        cls.until(lambda: listens(port))
        for part in ("scheduler", "dag-processor"):
            cls.start(cls.airflow(), part)

    @staticmethod
    def airflow():
        return Path(sys.executable).parent / "airflow"

    @classmethod
    def start(cls, *command):
        with open(cls.home / f"{Path(command[0]).name}{len(list(cls.home.glob('*.log')))}.log", "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

        def stop():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        cls.addClassCleanup(stop)

    @classmethod
    def until(cls, condition):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (value := condition()):
            assert time.monotonic() < deadline, f"not within {PATIENCE_SECONDS} s"
            time.sleep(0.5)
        return value

    def rows(self, query, task):
        with contextlib.closing(sqlite3.connect(f"file:{self.home}/airflow.db?mode=ro", uri=True)) as base:
            return base.execute(query, (task,)).fetchall()

    def first(self, task):
        """Returns (delay, reason) after a task's first try; Nones without a verdict."""
        return self.until(lambda: self.rows(
            "select retry_delay_override, retry_reason from task_instance_history where try_number = 1 "
            "and task_id = ?1 union all select retry_delay_override, retry_reason from task_instance "
            "where try_number = 1 and task_id = ?1 and state in ('failed', 'up_for_retry')", task))[0]

    def last(self, task):
        """Returns a task's final state and its number of tries."""
        return self.until(lambda: self.rows(
            "select state, try_number from task_instance where state in ('failed', 'success') "
            "and task_id = ?", task))[0]

    def test_a_missing_module_fails_at_once(self):
        self.assertEqual(self.last("missing_module"), ("failed", 1))

    def test_a_connection_error_is_retried_after_mulligans_delay(self):
        delay, reason = self.first("connection_error")
        self.assertTrue(0 < delay < 600, delay)
        self.assertIn("a service is unavailable: retry", reason)

    def test_an_exit_code_is_reported_and_its_budget_ends_the_retries(self):
        self.assertIn("exit code 75", self.first("exit_code")[1])
        self.assertEqual(self.last("exit_code"), ("failed", 4))
        ledger, = self.rows("select value from task_state_store where task_id = ? "
                            "and key = 'mulligan-ledger-1'", "exit_code")
        self.assertEqual(json.loads(json.loads(ledger[0]))["attemptsSeen"], 4)

    def test_the_platforms_failure_is_not_charged_to_the_program(self):
        self.assertIn("charged to infrastructure", self.first("platform")[1])

    def test_the_next_try_may_succeed(self):
        self.assertEqual(self.last("passes"), ("success", 2))

    def test_without_a_service_airflows_own_retries_decide(self):
        self.assertEqual(self.first("no_service"), (None, None))
        self.assertEqual(self.rows("select state from task_instance where task_id = ?", "no_service"),
                         [("up_for_retry",)])


if __name__ == "__main__":
    unittest.main()
