"""Asks a Mulligan service from Python, with objects as kubectl prints them.

    service = mulligan_client.connect("dns:///mulligan.mulligan:8980")
    answer = mulligan_client.ask(service, [pod, job], ledger=stored)
    store(mulligan_client.ledger_json(answer.ledger))  # then act
    print(answer.decision.sentence)

The messages are in the package `mulligan`, which is installed with this one:
mulligan.v1.decision_pb2.Decision.RETRY.
"""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

import grpc
from google.protobuf import json_format
from google.protobuf.message import Message
from mulligan.v1 import (ledger_pb2, retry_decision_service_pb2,
                         retry_decision_service_pb2_grpc)

# The annotation with a ledger, also read by the command line.
LEDGER_ANNOTATION = "mulligan.dev/ledger"

# Field of a report and API group per kind; a list if there may be several.
FIELDS = {
    "Pod": ("pods", ""), "Job": ("jobs", "batch"), "Node": ("nodes", ""),
    "Event": ("events", ""), "JobSet": ("jobSet", "jobset.x-k8s.io"),
    "RayJob": ("rayJob", "ray.io"), "RayCluster": ("rayCluster", "ray.io"),
    "TrainJob": ("trainJob", "trainer.kubeflow.org"),
    "Workload": ("kueueWorkload", "kueue.x-k8s.io"),
    "SparkApplication": ("sparkApplication", "sparkoperator.k8s.io"),
    **{kind: ("kubeflowJob", "kubeflow.org")
       for kind in ("PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "PaddleJob",
                    "JAXJob")},
}
_LISTS = ("pods", "jobs", "nodes", "events")

# Calls all replicas behind a headless Service in turn, and repeats a call once after
# UNAVAILABLE, because a failure is charged exactly once, however often it is reported.
_SERVICE_CONFIG = json.dumps({
    "loadBalancingConfig": [{"round_robin": {}}],
    "methodConfig": [{"name": [{}], "retryPolicy": {
        "maxAttempts": 2, "initialBackoff": "0.2s", "maxBackoff": "1s",
        "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}],
})


class Service(Protocol):
    """The calls of mulligan.v1.RetryDecisionService, as returned by `connect`."""

    def Decide(self, request: retry_decision_service_pb2.DecideRequest, *,
               timeout: float | None = None,
               ) -> retry_decision_service_pb2.DecideResponse: ...


def connect(target: str,
            credentials: grpc.ChannelCredentials | None = None,
            server_name: str = "") -> Service:
    """Returns a stub of the service at target, "host:port" or any gRPC target.

    credentials: from tls_credentials() or grpc.ssl_channel_credentials(); None:
        plaintext.
    server_name: the name in the server's certificate, if it is not the host.
    """
    options = [("grpc.service_config", _SERVICE_CONFIG)]
    if server_name:
        options.append(("grpc.ssl_target_name_override", server_name))
    channel = (grpc.secure_channel(target, credentials, options) if credentials
               else grpc.insecure_channel(target, options))
    return retry_decision_service_pb2_grpc.RetryDecisionServiceStub(channel)


def tls_credentials(ca: str, certificate: str = "",
                    key: str = "") -> grpc.ChannelCredentials:
    """Returns credentials for `connect` from PEM files.

    ca: the certificates that sign the server's. certificate, key: the client's own.

    Raises ValueError if a file is missing or is not PEM of the expected type.
    """
    if bool(certificate) != bool(key):
        raise ValueError("key: expected a key together with a certificate, or neither")
    return grpc.ssl_channel_credentials(
        _pem("ca", ca, "CERTIFICATE"),
        _pem("key", key, "PRIVATE KEY") if key else None,
        _pem("certificate", certificate, "CERTIFICATE") if certificate else None)


def _pem(name: str, path: str, label: str) -> bytes:
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as error:
        raise ValueError(f"{name}: {path!r} cannot be read: {error.strerror}") from error
    if not re.search(rb"-----BEGIN [A-Z ]*" + label.encode() + b"-----", text):
        raise ValueError(f"{name}: {path!r} is not PEM with a {label}, expected a "
                         f'line such as "-----BEGIN {label}-----"')
    return text


def ask(service: Service,
        objects: Iterable[Mapping[str, Any]] | Mapping[str, Any] = (),
        ledger: str | None = None, timeout: float = 5, policy: str = "",
        limits: Mapping[str, int] | None = None, **report: Any) -> retry_decision_service_pb2.DecideResponse:
    """Returns the DecideResponse about Kubernetes objects.

    objects: dicts with `kind`, as from json.loads(`kubectl get -o json`), or one of
        them; a List is replaced by its items.
    ledger: the JSON text of the last answer's ledger; None: nothing failed yet.
    limits: this workload's own limits, by budget, in failures tolerated
        (DecideRequest.limits); None: the policy's and those of annotations.
    report: other fields of FailureReport by their JSON names, such as failureId,
        workload or exit.

    Raises ValueError for an object of an unsupported kind or group, or an unknown
    field of the report or the ledger, and ParseError for a field with a wrong value.
    Raises grpc.RpcError if there is no answer. Then nothing was charged; do what you
    would do without the service.
    """
    request = retry_decision_service_pb2.DecideRequest(policy=policy or None, limits=limits)
    json_format.ParseDict(_report(objects, report), request.report,
                          ignore_unknown_fields=True)
    if not request.report.HasField("observed_at"):
        request.report.observed_at.GetCurrentTime()
    if ledger:
        request.ledger.CopyFrom(parse_ledger(ledger))
    return service.Decide(request, timeout=timeout)


def parse_ledger(text: str) -> ledger_pb2.BudgetLedger:
    """Returns the BudgetLedger in the output of ledger_json, or in a whole answer.

    Ignores fields of newer services. Raises ParseError for a field with a wrong value,
    and ValueError for a text that is not a ledger or has no field of one, because
    budgets would start again.
    """
    ledger = ledger_pb2.BudgetLedger()
    try:
        members = json.loads(text)
    except (TypeError, ValueError) as error:
        raise _not_a_ledger(text) from error
    if isinstance(members, dict):
        members = members.get("ledger", members)
    if not isinstance(members, dict):
        raise _not_a_ledger(text)
    if members and not _names(ledger) & members.keys():
        raise ValueError(f"{', '.join(members)}: no field of a ledger is "
                         f"among them, expected some of "
                         + ", ".join(sorted(_names(ledger))))
    return json_format.Parse(json.dumps(members), ledger,
                             ignore_unknown_fields=True)


def _not_a_ledger(text: Any) -> ValueError:
    return ValueError(f"ledger: {reprlib.repr(text)} is not a ledger, expected the JSON "
                      'text of ledger_json(), such as {"attemptsSeen": 1}')


def ledger_json(ledger: ledger_pb2.BudgetLedger) -> str:
    """Returns a ledger as compact JSON, for an annotation or a variable."""
    return json.dumps(json_format.MessageToDict(ledger), separators=(",", ":"))


def _names(message: Message) -> set[str]:
    """Returns the names of a message's fields, in JSON and in the proto."""
    return {name for field in message.DESCRIPTOR.fields
            for name in (field.json_name, field.name)}


def _report(objects: Iterable[Mapping[str, Any]] | Mapping[str, Any],
            report: Mapping[str, Any]) -> dict[str, Any]:
    known = _names(retry_decision_service_pb2.DecideRequest().report)
    for name in report.keys() - known:
        raise ValueError(f"{name}: is not a field of a report, expected one of "
                         + ", ".join(sorted(known)))
    report = dict(report)
    for each in _flat(objects):
        kind = each.get("kind", "")
        if kind not in FIELDS:
            raise ValueError(f"kind {kind!r} is not supported, expected one of "
                             + ", ".join(FIELDS) + "; for other workloads pass the pods")
        field, group = FIELDS[kind]
        version = each.get("apiVersion", "")
        if version and version.rpartition("/")[0] not in (
                group, "events.k8s.io" if kind == "Event" else group):
            raise ValueError(f"apiVersion {version!r}: expected a {kind} of "
                             f"group {group or 'v1'!r}")
        if field in _LISTS:
            report.setdefault(field, []).append(each)
        elif field in report:
            raise ValueError(f"a report takes only one {kind}")
        else:
            report[field] = each
    return report


def _flat(objects: Iterable[Mapping[str, Any]] | Mapping[str, Any],
          ) -> Iterator[Mapping[str, Any]]:
    for each in [objects] if isinstance(objects, Mapping) else objects:
        if not isinstance(each, Mapping):
            raise ValueError(f"{each!r:.80} is not a Kubernetes object, expected a dict "
                             "as of `kubectl get -o json`")
        if each.get("kind", "") == "List":
            yield from _flat(each.get("items", ()))
        else:
            yield each
