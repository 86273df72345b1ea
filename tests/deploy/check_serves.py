#!/usr/bin/env python3
"""Starts the server with the rendered flags and calls it.

Usage: check_serves.py RENDERED BINARIES

Replaces mounted paths by folders made here, and ports by free ones. Calls with the
certificate of an allowed caller, with another one, without any, and in plaintext;
only the first may be answered.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import rendered
import yaml

SETS = ("helm-default", "helm-everything", "helm-retry-policies", "kustomize-base",
        "kustomize-controlled")
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "n", "uid": "u"},
       "spec": {"containers": [{"name": "main", "image": "i"}]},
       "status": {"phase": "Failed", "containerStatuses": [
           {"name": "main", "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}]}}


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, timeout=60)


def make_certificates(folder, callers, authority=None):
    """Makes ca, tls (the server) and one certificate per caller (name: SAN).

    `authority`: a folder whose ca.key and ca.crt are reused, if it exists.
    """
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    if authority and authority.exists():
        for name in ("ca.key", "ca.crt"):
            shutil.copy(authority / name, folder / name)
    else:
        openssl(folder, "req", "-x509", *curve, "-days", "2", "-subj", "/CN=ca",
                "-keyout", "ca.key", "-out", "ca.crt")
    for name, alternative in {"tls": "IP:127.0.0.1", **callers}.items():
        openssl(folder, "req", *curve, "-subj", f"/CN={name}", "-keyout", f"{name}.key",
                "-out", f"{name}.csr")
        (folder / "extensions").write_text(f"subjectAltName={alternative}\n")
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
                "-CAcreateserial", "-days", "2", "-extfile", "extensions", "-out", f"{name}.crt")


def alternative_of(pattern):
    """Returns a subject alternative name that matches the pattern of a caller."""
    name = pattern.replace("*", "x")
    return f"URI:{name}" if "://" in name else f"DNS:{name}"


def put_policies(items, pod, folder):
    """Writes the contents of mounted ConfigMaps: policies, candidate."""
    maps = {item["metadata"]["name"]: item["data"] for item in rendered.of_kind(items, "ConfigMap")}
    for volume in pod["volumes"]:
        mounted = folder / volume["name"]
        mounted.mkdir(exist_ok=True)
        sources = volume.get("projected", {}).get("sources", [volume])
        for source in sources:
            for file, text in maps.get(source.get("configMap", {}).get("name"), {}).items():
                (mounted / file).write_text(text)


def command_line(container, binaries, folder):
    words = [word.replace("/etc/mulligan", str(folder)) for word in container["args"]]
    words = [re.sub(r"^(--(listen|admin)-address)=.*", r"\1=127.0.0.1:0", word) for word in words]
    words = [re.sub(r"^--drain-delay=.*", "--drain-delay=0s", word) for word in words]
    return [binaries / "mulligan-server", *words, f"--port-file={folder / 'port'}"]


def wait_for_port(process, file):
    for _ in range(500):
        if file.exists() and file.read_text().endswith("\n"):
            return json.loads(file.read_text())["grpcPort"]
        if process.poll() is not None:
            raise RuntimeError(f"the server ended: {process.stderr.read()[-500:]}")
        time.sleep(0.02)
    raise RuntimeError("the server does not listen")


def ask(binaries, folder, port, *words):
    run = subprocess.run(
        [binaries / "mulligan", "decide", f"--server=127.0.0.1:{port}", "--deadline=3s",
         "--observed-at=2026-11-03T09:00:00Z", "-o", "json", "-f", "pod.json", *words],
        cwd=folder, capture_output=True, text=True, timeout=30)
    return run.returncode, run.stdout + run.stderr


def calls(binaries, folder, port):
    def with_certificate(name):
        return ("--tls-ca=tls/ca.crt", f"--tls-cert=tls/{name}.crt", f"--tls-key=tls/{name}.key")
    rows = (("an allowed caller", with_certificate("caller"), True, '"decision"'),
            ("another caller", with_certificate("stranger"), False, "none of which may call"),
            ("no certificate", ("--tls-ca=tls/ca.crt",), False, ""),
            ("plaintext", (), False, ""))
    for name, words, answered, text in rows:
        code, said = ask(binaries, folder, port, *words)
        if (code == 0) != answered or text not in said:
            yield f"{name}: exit code {code}, {said[-300:]}"


def check(items, binaries):
    _, pod, _, container = next(rendered.servers(items))
    given = rendered.variables(items, container)
    allowed = (rendered.check_deploy.argument(container, "--allow-callers")
               or given["MULLIGAN_ALLOW_CALLERS"]).split(",")[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tls").mkdir()
        make_certificates(folder / "tls", {"caller": alternative_of(allowed),
                                           "stranger": "DNS:stranger.example.org"})
        put_policies(items, pod, folder)
        (folder / "pod.json").write_text(json.dumps(POD))
        process = subprocess.Popen(
            command_line(container, binaries, folder), text=True, stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL, env={**os.environ, **given})
        try:
            port = wait_for_port(process, folder / "port")
            yield from calls(binaries, folder, port)
        except RuntimeError as error:
            yield str(error)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, binaries = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    found = []
    for name in SETS:
        items = [item for item in yaml.safe_load_all((folder / f"{name}.yaml").read_text()) if item]
        found += [f"{name}: {problem}" for problem in check(items, binaries)]
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
