"""Tests of the Python client and its examples, against the C++ server.

scripts/test-python installs the client and sets MULLIGAN_BIN.
"""

import contextlib
import dataclasses
import datetime
import importlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import types
import unittest
from pathlib import Path
from unittest import mock

import grpc
from google.protobuf import json_format

import mulligan_client

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/testdata/quickstart"
BIN = Path(os.environ["MULLIGAN_BIN"])
EXAMPLES = Path(__file__).resolve().parent / "examples"


def start_server(folder, *flags):
    """Returns the process and its address."""
    ports = Path(folder) / "ports.json"
    server = subprocess.Popen(
        [BIN / "mulligan-server", "--listen-address=127.0.0.1:0",
         "--admin-address=127.0.0.1:0", "--drain-delay=0s",
         f"--port-file={ports}", *flags],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not ports.exists() or not ports.read_text().endswith("}\n"):
        assert server.poll() is None, "the server ended"
        time.sleep(0.02)
    return server, f"127.0.0.1:{json.loads(ports.read_text())['grpcPort']}"


def setUpModule():
    global SERVER, FOLDER, ADDRESS
    FOLDER = tempfile.TemporaryDirectory()
    SERVER, ADDRESS = start_server(FOLDER.name)


def tearDownModule():
    SERVER.terminate()
    SERVER.wait(30)
    FOLDER.cleanup()


def pod(name):
    return json.loads((DATA / f"{name}.json").read_text())


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.service = mulligan_client.connect(ADDRESS)

    def test_decides_a_pod_of_kubectl(self):
        answer = mulligan_client.ask(self.service, [pod("out-of-memory")])
        self.assertEqual(answer.decision.action, answer.decision.RETRY)
        self.assertEqual(answer.accounting.charged_to, "memory")

    def test_accepts_a_single_object(self):
        self.assertEqual(mulligan_client.ask(self.service, pod("out-of-memory")).accounting.charged_to, "memory")

    def test_applies_limits_of_the_workload(self):
        answer = mulligan_client.ask(self.service, [pod("out-of-memory")], limits={"disruption": 200, "start": 1})
        limits = {b.name: (b.limit, b.limit_source) for b in answer.accounting.budgets}
        self.assertEqual(limits["disruption"], (200, answer.accounting.budgets[0].REQUEST))
        self.assertEqual(limits["start"][0], 5)
        self.assertIn("limits[start]", answer.warnings[0])

    def test_charges_once_with_a_stored_ledger(self):
        first = mulligan_client.ask(self.service, [pod("out-of-memory")])
        stored = mulligan_client.ledger_json(first.ledger)
        again = mulligan_client.ask(self.service, [pod("out-of-memory")],
                                    ledger=stored)
        self.assertTrue(again.accounting.duplicate)
        self.assertEqual(mulligan_client.parse_ledger(stored), first.ledger)

    def test_the_command_line_reads_the_ledger(self):
        first = mulligan_client.ask(self.service, [pod("out-of-memory")])
        annotated = pod("out-of-memory")
        annotated["metadata"]["annotations"] = {
            mulligan_client.LEDGER_ANNOTATION:
                mulligan_client.ledger_json(first.ledger)}
        run = subprocess.run([BIN / "mulligan", "explain", "-", "-o", "json"],
                             input=json.dumps(annotated), text=True,
                             capture_output=True, check=True)
        self.assertTrue(json.loads(run.stdout)["accounting"]["duplicate"])

    def test_rejects_unusable_objects(self):
        with self.assertRaisesRegex(ValueError, "'Deployment' is not supported"):
            mulligan_client.ask(self.service, [{"kind": "Deployment"}])
        with self.assertRaisesRegex(ValueError, "takes only one RayJob"):
            mulligan_client.ask(self.service, [{"kind": "RayJob"}] * 2)
        with self.assertRaisesRegex(json_format.ParseError, "phase"):
            mulligan_client.ask(self.service,
                                [{"kind": "Pod", "status": {"phase": 7}}])

    def test_rejects_what_would_be_dropped(self):
        with self.assertRaisesRegex(ValueError, "batch.volcano.sh/v1alpha1.*'batch'"):
            mulligan_client.ask(self.service, [
                {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job"}])
        with self.assertRaisesRegex(ValueError, "worklaod: is not a field"):
            mulligan_client.ask(self.service, [pod("out-of-memory")],
                                worklaod={"name": "x"})
        with self.assertRaisesRegex(ValueError, "budgetz: no field of a ledger"):
            mulligan_client.parse_ledger('{"budgetz": {}}')
        for garbage in ("oops", "[1]", '"text"', "7", "{", {"attemptsSeen": 1}):
            with self.assertRaisesRegex(ValueError, "ledger: .* is not a ledger, "
                                        "expected the JSON text"):
                mulligan_client.ask(self.service, [pod("out-of-memory")],
                                    ledger=garbage)
        answer = mulligan_client.ask(self.service, [pod("out-of-memory")])
        whole = json_format.MessageToJson(answer)
        self.assertEqual(mulligan_client.parse_ledger(whole), answer.ledger)

    def test_no_answer_is_an_rpc_error(self):
        unreachable = mulligan_client.connect("127.0.0.1:1")
        with self.assertRaises(grpc.RpcError) as raised:
            mulligan_client.ask(unreachable, [pod("out-of-memory")])
        self.assertEqual(raised.exception.code(), grpc.StatusCode.UNAVAILABLE)
        with self.assertRaises(grpc.RpcError) as raised:
            mulligan_client.ask(self.service)
        self.assertEqual(raised.exception.code(),
                         grpc.StatusCode.INVALID_ARGUMENT)


def explain_pod(address, text, *flags):
    return subprocess.run(
        [sys.executable, EXAMPLES / "explain_pod.py", address, *flags],
        input=text, text=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


class MistakesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=own",
                        "-addext", "subjectAltName=DNS:mulligan.internal", "-keyout", "own.key", "-out", "own.pem"],
                       cwd=self.folder, check=True, capture_output=True)
        (self.folder / "none.pem").write_text("nothing")
        server, self.address = start_server(
            self.folder, f"--tls-cert={self.folder}/own.pem", f"--tls-key={self.folder}/own.key",
            f"--tls-client-ca={self.folder}/own.pem", "--allow-callers=*")
        self.addCleanup(server.wait, 30)
        self.addCleanup(server.terminate)

    def test_reports_tls_mistakes(self):
        ca, none = (f"--tls-ca={self.folder}/{name}.pem" for name in ("own", "none"))
        own = (f"--tls-cert={self.folder}/own.pem", f"--tls-key={self.folder}/own.key")
        name = "--tls-server-name=mulligan.internal"
        text = json.dumps(pod("out-of-memory"))
        right = explain_pod(self.address, text, ca, *own, name)
        self.assertEqual((right.returncode, right.stderr), (0, ""))
        for title, address, flags, expected in (
                ("plaintext", self.address, (), "no answer (UNAVAILABLE), nothing was charged"),
                ("no PEM", self.address, (none,), "is not PEM with a CERTIFICATE"),
                ("no key", self.address, (ca, own[0]), "expected a key together with a certificate")):
            with self.subTest(title):
                run = explain_pod(address, text, *flags)
                self.assertEqual(run.returncode, 2)
                self.assertIn(expected, run.stderr)
                self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_reports_invalid_pods_in_one_line(self):
        for text, expected in (("", "nothing was asked"), ("[1]", "1 is not a Kubernetes object"),
                               ('{"kind": "Deployment"}', "for other workloads pass the pods"),
                               ('{"kind": "Pod", "status": {"phase": 7}}', "phase")):
            with self.subTest(text):
                run = explain_pod(ADDRESS, text)
                self.assertEqual(run.returncode, 2)
                self.assertIn(expected, run.stderr)
                self.assertNotIn("Traceback", run.stderr)


class ExplainPodTest(unittest.TestCase):
    def run_it(self, address, name):
        return explain_pod(address, json.dumps(pod(name)))

    def test_exit_codes(self):
        for address, name, code in [(ADDRESS, "out-of-memory", 0),
                                    (ADDRESS, "image-typo", 1),
                                    ("127.0.0.1:1", "out-of-memory", 2)]:
            with self.subTest(name):
                run = self.run_it(address, name)
                self.assertEqual(run.returncode, code, run.stderr)
                self.assertIn("Pod " if code < 2 else "nothing was charged",
                              run.stdout + run.stderr)
                if code < 2:
                    self.assertIn("\nDo first: ", run.stdout)


def load(name, **fakes):
    """Imports an example with fakes of Ray."""
    modules = {}
    for path, members in fakes.items():
        module = types.ModuleType(path)
        vars(module).update(members)
        modules[path] = module
    example = types.ModuleType(name)
    with mock.patch.dict(sys.modules, modules):
        exec(compile((EXAMPLES / f"{name}.py").read_text(), name, "exec"),
             vars(example))
    example.SERVICE = mulligan_client.connect(ADDRESS)
    return example


@dataclasses.dataclass
class RetryDecision:
    """Fakes Airflow's class."""

    action: str
    delay: object = None
    reason: str = ""

    @classmethod
    def default(cls):
        return cls("default")

    @classmethod
    def retry(cls, delay, reason):
        return cls("retry", delay, reason)

    @classmethod
    def fail(cls, reason):
        return cls("fail", None, reason)


class Store(dict):
    """Fakes Airflow's task_state_store."""

    set = dict.__setitem__


class FakePods:
    """Fakes the client of a KubernetesPodOperator."""

    def __init__(self, pod, events=()):
        self.pod, self.events = pod, list(events)
        self.api_client = types.SimpleNamespace(
            # The official client drops kind and apiVersion of list items.
            sanitize_for_serialization=lambda each: getattr(each, "plain", each))

    def list_namespaced_event(self, namespace, field_selector):
        assert field_selector == f"involvedObject.uid={self.pod['metadata']['uid']}"
        return types.SimpleNamespace(items=self.events)

    def read_namespaced_pod(self, name, namespace):
        if self.pod.get("gone"):
            raise RuntimeError("404: not found")
        return typed(self.pod)


def typed(json_pod):
    return types.SimpleNamespace(
        metadata=types.SimpleNamespace(**{key: json_pod["metadata"].get(key)
                                          for key in ("name", "namespace", "uid")}),
        plain={key: json_pod[key] for key in ("metadata", "spec", "status")})


class AirflowPolicyTest(unittest.TestCase):
    """Tests without Airflow; tests/engines/airflow_test.py uses the real one."""

    def setUp(self):
        module = types.ModuleType("airflow.sdk")
        module.RetryPolicy, module.RetryDecision = object, RetryDecision
        with mock.patch.dict(sys.modules, {"airflow.sdk": module, "airflow": types.ModuleType("airflow")}):
            self.module = importlib.import_module("mulligan_client.airflow")
        self.store = Store()

    def call(self, error, operator=None, try_number=1, max_tries=4, address=None, **flags):
        operator = operator or types.SimpleNamespace()
        operator.retries = 4
        task = types.SimpleNamespace(
            dag_id="d", task_id="t", run_id="r", map_index=-1, id=f"ti-{try_number}",
            start_date=datetime.datetime.now(datetime.timezone.utc), task=operator)
        policy = self.module.MulliganRetryPolicy(address or ADDRESS, **flags)
        return policy.evaluate(error, try_number, max_tries, {"ti": task, "task_state_store": self.store})

    def of_pod(self, json_pod, **members):
        return types.SimpleNamespace(remote_pod=typed(json_pod), client=FakePods(json_pod, **members))

    def test_retries_a_transient_failure_after_the_delay(self):
        decision = self.call(ConnectionError("https://storage.example: 503 Service Unavailable"))
        self.assertEqual(decision.action, "retry")
        self.assertGreater(decision.delay, datetime.timedelta())
        self.assertIn("a service is unavailable", decision.reason)
        self.assertIn("attemptsSeen", self.store["mulligan-ledger-1"])

    def test_fails_a_permanent_failure(self):
        decision = self.call(ModuleNotFoundError("No module named 'flash_attn'"))
        self.assertEqual(decision.action, "fail")
        self.assertIn("a Python module is missing", decision.reason)

    def test_budgets_end_retries_and_clearing_resets_them(self):
        error = RuntimeError("Bash command failed. The command returned a non-zero exit code 9.")
        actions = [self.call(error, try_number=number, max_tries=50, address=ADDRESS).action
                   for number in range(47, 52)]
        self.assertEqual(actions[0], "retry")
        self.assertEqual(actions[-1], "fail")
        self.assertEqual(self.call(error, try_number=52, max_tries=55).action, "retry")
        self.assertEqual(len(self.store), 2)

    def test_reports_pods_as_objects(self):
        failed = pod("out-of-memory")
        decision = self.call(RuntimeError("Pod returned a failure"), self.of_pod(failed))
        self.assertEqual(decision.action, "retry")
        self.assertIn("memory", decision.reason)
        again = self.call(RuntimeError("Pod returned a failure"), self.of_pod({**failed, "gone": True}))
        self.assertEqual(again.action, "retry")
        self.assertEqual(mulligan_client.parse_ledger(self.store["mulligan-ledger-1"]).attempts_seen, 1)

    def test_fails_a_pod_without_an_image(self):
        waiting, *events = sorted(pod("image-typo")["items"], key=lambda each: each["kind"] != "Pod")
        decision = self.call(RuntimeError("Pod took too long to start"), self.of_pod(waiting, events=events))
        self.assertEqual(decision.action, "fail")

    def test_without_an_answer_airflow_decides(self):
        with self.assertLogs("mulligan_client.airflow", "WARNING"):
            decision = self.call(ValueError("x"), address="127.0.0.1:1")
        self.assertEqual((decision.action, self.store), ("default", {}))

    def test_exit_codes_of_exceptions(self):
        for error, code in ((SystemExit(3), 3), (subprocess.CalledProcessError(75, "x"), 75),
                            (subprocess.CalledProcessError(-9, "x"), 137),
                            (RuntimeError("The command returned a non-zero exit code 75."), 75),
                            (RuntimeError("SSH operator error: exit status = 4"), 4),
                            (RuntimeError("Docker container failed: {'Error': None, 'StatusCode': 137}"), 137),
                            (ValueError("no code 7"), None)):
            with self.subTest(repr(error)):
                self.assertEqual(self.module._exit_code(error), code)

    def test_a_certificate_needs_a_ca(self):
        with self.assertRaisesRegex(ValueError, "ca: expected"):
            self.module.MulliganRetryPolicy("x:1", certificate="a", key="b")


class RayCallbackTest(unittest.TestCase):
    def setUp(self):
        example = load("ray_callback",
                       **{"ray": {}, "ray.train": {"UserCallback": object}})
        self.example, self.callback = example, example.MulliganCallback()

    def call(self, error):
        run = types.SimpleNamespace(
            run_config=types.SimpleNamespace(name="bert"))
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.callback.after_exception(run_context=run,
                                          worker_exceptions={3: error})
        return out.getvalue()

    def test_ray_restarts_after_a_transient_failure(self):
        self.assertIn("Mulligan: ", self.call(
            ConnectionError("storage: 503 Service Unavailable")))
        self.assertIn("attemptsSeen", self.callback.ledger)

    def test_a_permanent_failure_ends_the_run(self):
        with self.assertRaises(RuntimeError):
            self.call(ModuleNotFoundError("No module named 'flash_attn'"))

    def test_ray_continues_without_an_answer(self):
        self.example.SERVICE = mulligan_client.connect("127.0.0.1:1")
        self.assertIn("no answer", self.call(ValueError("x")))


if __name__ == "__main__":
    unittest.main()
