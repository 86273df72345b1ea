#!/usr/bin/env python3
"""Writes SLSA provenance: what the files of a folder were built from.

    provenance.py state FOLDER VERSION COMMIT SOURCE   the statement, to standard output
    provenance.py sign STATEMENT KEY.pem               in a signed envelope (DSSE)

The statement (in-toto Statement v1, predicate slsa.dev/provenance/v1) has every file of
FOLDER with its digest, the commit, and the packages and compilers of this machine. It
has no time, so the same commit on a machine with the same packages gives the same
bytes. Keys are Ed25519, as openssl writes them.
"""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
TYPE = "application/vnd.in-toto+json"
PACKAGE = "${Package} ${Version} ${Architecture}\n"


def output(*command):
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else ""


def digest(path):
    return {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def subjects(folder):
    return [{"name": path.relative_to(folder).as_posix(), "digest": digest(path)}
            for path in sorted(folder.rglob("*")) if path.is_file()]


def tools(across):
    """Returns the build's packages with installed versions; `across`: also for arm64."""
    text = (PROJECT / "scripts/lib.sh").read_text()
    names = re.search(r"BUILD_PACKAGES=\((.*?)\)", text, re.DOTALL).group(1).split()
    installed = output("dpkg-query", "-W", "-f", PACKAGE, *names).splitlines()
    if across:
        records = str(PROJECT / "build/sysroot-arm64/var/lib/dpkg")
        installed += output("dpkg-query", "--admindir", records, "-W", "-f", PACKAGE).splitlines()
        installed += output("dpkg-query", "-W", "-f", PACKAGE, "g++-aarch64-linux-gnu").splitlines()
    for name, version, architecture in sorted(set(tuple(line.split()) for line in installed)):
        yield {"uri": f"pkg:deb/debian/{name}@{version.replace(':', '%3A').replace('+', '%2B')}"
                      f"?arch={architecture}&distro=debian-12", "name": name}
    go = output("go", "env", "GOVERSION")
    if go:
        yield {"uri": f"pkg:golang/stdlib@{go.removeprefix('go')}", "name": "go"}


def statement(folder, version, commit, source):
    across = any(Path(folder).glob("*_arm64.deb"))
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects(Path(folder)),
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://mulligan.dev/build/scripts-release/v1",
                "externalParameters": {"version": version, "source": source},
                "internalParameters": {"SOURCE_DATE_EPOCH": when},
                "resolvedDependencies": [
                    {"uri": f"git+{source}@{commit}", "digest": {"gitCommit": commit}},
                    *tools(across)]},
            "runDetails": {"builder": {"id": "https://mulligan.dev/build/scripts-release/v1/by-hand"}}}}


def authenticated(payload):
    """Returns the signed bytes of an envelope (DSSE's pre-authentication encoding)."""
    return b" ".join([b"DSSEv1", str(len(TYPE)).encode(), TYPE.encode(),
                      str(len(payload)).encode(), payload])


def envelope(path, key):
    payload = Path(path).read_bytes()
    # From a file, because Ed25519 needs its length in advance.
    with tempfile.NamedTemporaryFile() as file:
        file.write(authenticated(payload))
        file.flush()
        run = subprocess.run(["openssl", "pkeyutl", "-rawin", "-in", file.name, "-sign", "-inkey", key],
                             capture_output=True, check=False)
    if run.returncode:
        sys.exit(f"error: {key} does not sign: {run.stderr.decode().strip()}")
    return {"payloadType": TYPE, "payload": base64.b64encode(payload).decode(),
            "signatures": [{"sig": base64.b64encode(run.stdout).decode()}]}


def main():
    if len(sys.argv) < 4:
        print(__doc__)
        sys.exit(2)
    if sys.argv[1] == "state":
        print(json.dumps(statement(*sys.argv[2:]), indent=1))
    else:
        print(json.dumps(envelope(*sys.argv[2:])))


if __name__ == "__main__":
    main()
