#!/usr/bin/env python3
"""Runs the commands of docs/trial.md with Helm: install, act in one namespace, and back.

Usage: check_trial.py ROOT HELM

Helm merges values with those it has stored, so `helm template` would not do. A minimal API
server keeps what Helm stores; rendered objects do not reach it.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import yaml

RESOURCES = [{"name": "secrets", "namespaced": True, "kind": "Secret", "verbs": ["get", "list", "create", "update", "delete"]}]


PROTOBUF = "application/vnd.kubernetes.protobuf"
MAGIC = b"k8s\x00"


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """Yields number and bytes of each field of a message without numeric fields."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        size, at = varint(data, at)
        yield tag >> 3, data[at:at + size]
        at += size


def field(number, data):
    size, rest = b"", len(data)
    while rest > 127:
        size, rest = size + bytes([rest & 127 | 128]), rest >> 7
    return bytes([number << 3 | 2]) + size + bytes([rest]) + data


class ApiServer(BaseHTTPRequestHandler):
    """Stores Secrets as received, in protobuf (runtime.Unknown)."""
    stored = {}

    def answer(self, body, code=200):
        kind = PROTOBUF if isinstance(body, bytes) else "application/json"
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        path = urlsplit(self.path).path
        known = {
            "/version": {"major": "1", "minor": "34", "gitVersion": "v1.34.0"},
            "/api": {"kind": "APIVersions", "versions": ["v1"]},
            "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
            "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": RESOURCES},
            **self.stored,
        }
        if path.endswith("/secrets"):
            # There is one release, so selectors are ignored.
            items = b"".join(field(2, dict(fields(each[len(MAGIC):]))[2]) for each in self.stored.values())
            kind = field(1, b"v1") + field(2, b"SecretList")
            return self.answer(MAGIC + field(1, kind) + field(2, items))
        if path not in known:
            return self.answer({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}, 404)
        return self.answer(known[path])

    def store(self):
        thing = self.rfile.read(int(self.headers["Content-Length"]))
        metadata = dict(fields(dict(fields(dict(fields(thing[len(MAGIC):]))[2]))[1]))
        self.stored["/api/v1/namespaces/mulligan/secrets/" + metadata[1].decode()] = thing
        self.answer(thing, 201 if self.command == "POST" else 200)

    do_POST = do_PUT = store

    def log_message(self, *_):
        pass


def documented(text):
    """Returns the helm commands of the document in order, with $chart replaced."""
    blocks = "\n".join(re.findall(r"(?ms)^```sh\n(.*?)^```", text)).replace("\\\n", "")
    chart = re.search(r"(?m)^chart=(\S+)", blocks)[1]
    blocks = blocks.replace("$chart", chart)
    return [shlex.split(line, comments=True) for line in blocks.splitlines() if line.startswith("helm ")]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, helm = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    commands = documented((root / "docs/trial.md").read_text())
    expected = ["install: none", "upgrade: ml", "upgrade: none"]
    server = ThreadingHTTPServer(("127.0.0.1", 0), ApiServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        rendered, keep = Path(folder, "rendered.yaml"), Path(folder, "keep")
        keep.write_text(f"#!/bin/sh\ncat >{shlex.quote(str(rendered))}\necho '# kept'\n")
        keep.chmod(0o755)
        for command in commands:
            # Creating a namespace would need schemas, which this server lacks.
            arguments = [arg for arg in command[1:] if arg != "--create-namespace"]
            done = subprocess.run(
                [helm, *arguments, "--kube-apiserver", f"http://127.0.0.1:{server.server_port}", "--post-renderer", keep,
                 "--disable-openapi-validation"],
                cwd=root, check=False, timeout=120, capture_output=True, text=True,
                env={**os.environ, "HOME": folder, "KUBECONFIG": f"{folder}/none"})
            if done.returncode:
                sys.exit(f"FAILED: {shlex.join(command)}: {done.stderr.splitlines()[-1]}")
            objects = [each for each in yaml.safe_load_all(rendered.read_text()) if each]
            flags = [arg for each in objects if each["kind"] == "Deployment"
                     for container in each["spec"]["template"]["spec"]["containers"] for arg in container.get("args", ())]
            acts = [arg.partition("=")[2] for arg in flags if arg.startswith("--act-namespaces=")]
            bound = [each["metadata"]["namespace"] for each in objects
                     if each["kind"] == "RoleBinding" and each["metadata"]["name"] == "mulligan-controller-act"]
            if acts != bound:
                sys.exit(f"FAILED: {shlex.join(command)}: it acts in {acts} and may in {bound}")
            found.append(f"{command[1]}: {','.join(acts) or 'none'}")
    server.shutdown()
    if found != expected:
        sys.exit(f"FAILED: the commands of docs/trial.md lead to {found}, expected {expected}")
    print(f"{len(found)} commands of docs/trial.md: acts in one namespace, and goes back")


if __name__ == "__main__":
    main()
