#!/usr/bin/env python3
"""Records a release's requests and answers, which later releases must accept and repeat.

    record.py BIN FOLDER

BIN has the release's mulligan-server, FOLDER becomes tests/compat/VERSION. Run once per
release, from its tag, with its Python client (scripts/test-python leaves it in
build/python/venv) and PyYAML. It writes
  calls.jsonl      name, request and response, as bytes in base64; each request is
                   sent twice, the second time with the ledger of the first answer
  decisions.jsonl  the decision log of these calls
  policies/        the default policy and one with every key, as users may have them
  descriptors.binpb  the schemas
The chart, VERSION/mulligan-VERSION.tgz, is that of build/release-VERSION.
"""

import base64
import copy
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mulligan_client
import yaml
from google.protobuf import json_format
from mulligan.v1.retry_decision_service_pb2 import DecideRequest

ROOT = Path(__file__).resolve().parents[2]
OBSERVED = "2026-11-03T14:00:00Z"


def objects(path):
    return [each for each in yaml.safe_load_all(path.read_text()) if each]


def reports():
    """(name, DecideRequest) of every sample in the documentation."""
    data = ROOT / "tests/testdata"
    for path in sorted(data.glob("quickstart/*.jsonl")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            yield f"{path.stem}-{number}", json_format.Parse(line, DecideRequest())
    for path in sorted([*data.glob("quickstart/*.json"), *data.glob("native/*.yaml")]):
        yield path.stem, of(json.loads(json.dumps(objects(path), default=stamp)))


def stamp(value):
    return value.strftime("%Y-%m-%dT%H:%M:%SZ")


def of(objects_):
    request = DecideRequest()
    json_format.ParseDict(mulligan_client._report(objects_, {"observedAt": OBSERVED}), request.report,
                          ignore_unknown_fields=True)
    return request


def series(count):
    """One workload that fails until its budget is spent: (name, request without a ledger)."""
    pod = json.loads((ROOT / "tests/testdata/quickstart/out-of-memory.json").read_text())
    for number in range(1, count + 1):
        text = json.dumps(pod).replace("2026-11-03T09", f"2026-11-03T{9 + number:02}")
        each = copy.deepcopy(json.loads(text))
        each["metadata"]["name"] += f"-{number}"
        each["metadata"]["uid"] = f"attempt-{number}"
        request = of([each])
        request.report.observed_at.FromJsonString(f"2026-11-03T{9 + number:02}:30:00Z")
        yield f"series-{number}", request


class Recorder:
    def __init__(self, service, file):
        self.service, self.file = service, file

    def ask(self, name, request):
        answer = self.service.Decide(request, timeout=10)
        self.file.write(json.dumps({
            "name": name, "request": base64.b64encode(request.SerializeToString(deterministic=True)).decode(),
            "response": base64.b64encode(answer.SerializeToString(deterministic=True)).decode()}) + "\n")
        return answer

    def all(self):
        for name, request in reports():
            answer = self.ask(name, request)
            request.ledger.CopyFrom(answer.ledger)
            request.report.observed_at.seconds += 60
            self.ask(f"{name}-again", request)
        ledger = None
        for name, request in series(5):
            if ledger is not None:
                request.ledger.CopyFrom(ledger)
            ledger = self.ask(name, request).ledger


def serve(binary, folder):
    ports = Path(folder) / "ports.json"
    server = subprocess.Popen([
        binary, "--listen-address=127.0.0.1:0", "--admin-address=127.0.0.1:0", "--drain-delay=0s",
        f"--port-file={ports}", f"--decision-log={folder}/decisions.jsonl"], stderr=subprocess.DEVNULL)
    while not ports.exists() or not ports.read_text().endswith("}\n"):
        assert server.poll() is None, "the server exited"
        time.sleep(0.02)
    return server, f"127.0.0.1:{json.loads(ports.read_text())['grpcPort']}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    binary, target = Path(sys.argv[1]) / "mulligan-server", Path(sys.argv[2])
    (target / "policies").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server, address = serve(binary, folder)
        with open(target / "calls.jsonl", "w") as file:
            Recorder(mulligan_client.connect(address), file).all()
        server.terminate()
        server.wait(30)
        lines = (Path(folder) / "decisions.jsonl").read_text().splitlines()
    # The machine's name is not part of the release.
    with open(target / "decisions.jsonl", "w") as file:
        for line in lines:
            file.write(json.dumps(json.loads(line) | {"replica": "replica"}, separators=(",", ":")) + "\n")
    shutil.copyfile(ROOT / "policy/default_policy.yaml", target / "policies/default.yaml")
    shutil.copyfile(ROOT / "tests/policies/good/everything.yaml", target / "policies/everything.yaml")
    proto = ROOT / "proto"
    subprocess.run(["protoc", f"--proto_path={proto}", f"--descriptor_set_out={target}/descriptors.binpb",
                    *sorted(map(str, (proto / "mulligan").rglob("*.proto")))], check=True)


if __name__ == "__main__":
    main()
