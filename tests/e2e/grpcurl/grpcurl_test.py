#!/usr/bin/env python3
"""Runs what README.md and docs/errors.md show with grpcurl, with grpcurl.

Usage: grpcurl_test.py  (scripts/test-grpcurl sets the environment)

  GRPCURL       the binary
  MULLIGAN_BIN  folder of mulligan-server
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GRPCURL = os.environ["GRPCURL"]
SERVER = Path(os.environ["MULLIGAN_BIN"]) / "mulligan-server"
DECIDE = "mulligan.v1.RetryDecisionService/Decide"
DOCUMENTED = "127.0.0.1:8980"
POD = ROOT / "tests/testdata/quickstart/own-storage-eviction.json"


@contextlib.contextmanager
def server(*flags):
    """A server on free ports; yields (process, address)."""
    with tempfile.TemporaryDirectory() as folder:
        ports = Path(folder) / "ports.json"
        process = subprocess.Popen(
            [SERVER, "--listen-address=127.0.0.1:0",
             "--admin-address=127.0.0.1:0", "--drain-delay=0s",
             f"--port-file={ports}", *flags],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not ports.exists() or not ports.read_text().endswith("}\n"):
                if process.poll() is not None:
                    raise AssertionError(f"the server ended: {flags}")
                time.sleep(0.02)
            yield process, f"127.0.0.1:{json.loads(ports.read_text())['grpcPort']}"
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait(30)


def blocks(page, heading):
    """The shell blocks under a heading of a page."""
    text = (ROOT / page).read_text()
    section = re.split(r"^##+ ", text.split(f"# {heading}\n", 1)[1],
                       maxsplit=1, flags=re.M)[0]
    found = re.findall(r"```sh\n(.*?)```", section, flags=re.S)
    assert found, f"{page}: no commands under {heading}"
    return found


def shell(script, address):
    """Runs a block as a reader would, with another port."""
    # A pod from the test data stands for the cluster.
    script = script.replace("kubectl get pod NAME -o json", f"cat {POD}")
    script = script.replace(DOCUMENTED, address)
    path = f"{Path(GRPCURL).parent}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-c", "set -o pipefail\n" + script],
                          cwd=ROOT, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PATH": path})


def rows(page):
    """First columns of the table of error codes."""
    return re.findall(r"^\| `([A-Z_]+)`([^|]*)\|", (ROOT / page).read_text(),
                      flags=re.M)


def camel(code):
    return "".join(word.capitalize() for word in code.split("_"))


class ReadmeTest(unittest.TestCase):
    def test_the_session(self):
        block = blocks("README.md", "With grpcurl")[0]
        ask = block.split("mulligan-server &\n", 1)[1]
        with server() as (_, address):
            run = shell(ask, address)
        self.assertEqual(run.returncode, 0, run.stderr)
        shown = re.search(r'```json\n"decision": (\{.*?\n\})\n```',
                          (ROOT / "README.md").read_text(), flags=re.S)
        # The delay runs since the failure, which was long ago.
        self.assertEqual(json.loads(run.stdout)["decision"],
                         json.loads(shown.group(1)))

    def test_reflection_lists_the_fields(self):
        with server() as (_, address):
            run = shell("grpcurl -plaintext 127.0.0.1:8980 describe "
                        "mulligan.v1.FailureReport", address)
        self.assertIn("observed_at", run.stdout, run.stderr)


class ErrorTableTest(unittest.TestCase):
    """Every row of the table in docs/errors.md, once."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assertCode(self, output, code):
        self.assertIn(f"Code: {camel(code)}", output)

    def test_every_row_is_shown_here(self):
        shown = {"RESOURCE_EXHAUSTED with RetryInfo",
                 "RESOURCE_EXHAUSTED without", "PERMISSION_DENIED",
                 "UNAVAILABLE", "DEADLINE_EXCEEDED", "UNIMPLEMENTED"}
        shown |= {re.match(r"# (\w+)", block).group(1)
                  for block in blocks("docs/errors.md", "Seen with grpcurl")}
        shown.discard("RESOURCE_EXHAUSTED")
        in_table = set()
        for code, rest in rows("docs/errors.md"):
            rest = rest.replace("`", "").strip()
            in_table.add(f"{code} {rest}".strip())
        # INTERNAL is a bug of the server, so it cannot be provoked.
        self.assertEqual(in_table - shown, {"INTERNAL"})

    def test_what_the_page_shows(self):
        with server() as (_, address):
            for block in blocks("docs/errors.md", "Seen with grpcurl"):
                code, fallback = re.match(r"# (\w+): (.*)\n", block).groups()
                with self.subTest(code):
                    run = shell(block, address)
                    self.assertNotEqual(run.returncode, 0)
                    self.assertCode(run.stderr, code)
                    self.assertIn(fallback, run.stderr)

    def protoset(self):
        """Descriptors in a file: a server that hangs answers no reflection."""
        file = self.folder / "mulligan.protoset"
        # Once: a grpcurl started before may be reading it.
        if not file.exists():
            subprocess.run(
                ["protoc", "-I", ROOT / "proto", "--include_imports",
                 f"--descriptor_set_out={file}",
                 "mulligan/v1/retry_decision_service.proto"], check=True)
        return file

    def waiting(self, address, *flags):
        """A grpcurl that has connected and waits for its request."""
        return subprocess.Popen(
            [GRPCURL, "-plaintext", "-protoset", self.protoset(), *flags,
             "-allow-unknown-fields", "-d", "@", address, DECIDE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def connected(self, server_process, count):
        """Waits until so many connections are established."""
        for _ in range(500):
            tcp = Path(f"/proc/{server_process.pid}/net/tcp").read_text()
            sockets = set()
            for link in Path(f"/proc/{server_process.pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    target = os.readlink(link)
                    if target.startswith("socket:"):
                        sockets.add(re.sub(r"\D", "", target))
            # A long list of a busy machine may miss a connection, not a port.
            listening = [line for line in tcp.splitlines()[1:]
                         if line.split()[3] == "0A"
                         and line.split()[9] in sockets]
            if listening and len(sockets) - len(listening) >= count:
                # The handshake of HTTP/2 follows.
                time.sleep(0.5)
                return
            time.sleep(0.02)
        raise AssertionError("grpcurl does not connect")

    def test_unavailable(self):
        with server() as (process, address):
            asking = self.waiting(address)
            self.connected(process, 1)
            process.terminate()
            process.wait(30)
            _, stderr = asking.communicate(REQUEST, timeout=30)
        self.assertCode(stderr, "UNAVAILABLE")

    def test_deadline_exceeded(self):
        with server() as (process, address):
            asking = self.waiting(address, "-max-time", "4")
            self.connected(process, 1)
            process.send_signal(signal.SIGSTOP)
            _, stderr = asking.communicate(REQUEST, timeout=30)
        self.assertCode(stderr, "DEADLINE_EXCEEDED")

    def test_resource_exhausted_with_retry_info(self):
        pod = json.loads(REQUEST)["report"]["pods"][0]
        status = pod["status"]["containerStatuses"][0]["state"]["terminated"]
        status["message"] = "x" * 60_000
        pods = []
        for i in range(15):
            pod["metadata"]["uid"] = str(i)
            pods.append(json.loads(json.dumps(pod)))
        large = json.dumps({"report": {"pods": pods}})
        # A request of 900 kB is counted with 5.4 MB.
        with server("--max-message-bytes=1000000",
                    "--max-memory=16777216") as (process, address):
            asking = [self.waiting(address) for _ in range(16)]
            self.connected(process, 16)
            process.send_signal(signal.SIGSTOP)
            for one in asking:
                one.stdin.write(large)
                one.stdin.close()
            time.sleep(0.5)
            process.send_signal(signal.SIGCONT)
            answers = [one.stderr.read() for one in asking]
            for one in asking:
                one.stdout.close()
                one.stderr.close()
                one.wait(30)
        refused = [text for text in answers if "RetryInfo" in text]
        self.assertTrue(refused, "16 calls at once were all taken")
        self.assertCode(refused[0], "RESOURCE_EXHAUSTED")

    def test_permission_denied(self):
        certificates(self.folder, "mulligan", "stranger")
        f = self.folder
        with server(f"--tls-cert={f}/mulligan.pem", f"--tls-key={f}/mulligan.key",
                    f"--tls-client-ca={f}/ca.pem",
                    "--allow-callers=controller.*") as (_, address):
            run = subprocess.run(
                [GRPCURL, "-cacert", f"{f}/ca.pem", "-cert", f"{f}/stranger.pem",
                 "-key", f"{f}/stranger.key", "-authority", "mulligan",
                 "-protoset", self.protoset(), "-d", REQUEST,
                 "-allow-unknown-fields", address, DECIDE],
                capture_output=True, text=True, timeout=30)
        self.assertCode(run.stderr, "PERMISSION_DENIED")

    def test_unimplemented(self):
        (self.folder / "later.proto").write_text(
            'syntax = "proto3";\npackage mulligan.v1;\nmessage Empty {}\n'
            "service RetryDecisionService {"
            " rpc Forget(Empty) returns (Empty); }\n")
        with server() as (_, address):
            run = subprocess.run(
                [GRPCURL, "-plaintext", "-import-path", self.folder, "-proto",
                 "later.proto", address,
                 "mulligan.v1.RetryDecisionService/Forget"],
                capture_output=True, text=True, timeout=30)
        self.assertCode(run.stderr, "UNIMPLEMENTED")


REQUEST = json.dumps({"report": {"pods": [json.loads(POD.read_text())]}})


def certificates(folder, *names):
    """An authority and, for each name, NAME.pem and NAME.key."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True,
                       capture_output=True)
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem",
            "-subj", "/CN=ca", "-days", "1")
    for name in names:
        (folder / f"{name}.cnf").write_text(f"subjectAltName=DNS:{name}\n")
        openssl("req", *curve, "-keyout", f"{name}.key", "-out", f"{name}.csr",
                "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey",
                "ca.key", "-CAcreateserial", "-days", "1", "-out",
                f"{name}.pem", "-extfile", f"{name}.cnf")


if __name__ == "__main__":
    unittest.main()
