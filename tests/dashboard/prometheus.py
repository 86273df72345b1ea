"""A separate Prometheus on loopback, and the server it scrapes."""

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/deploy"))
from check_serves import make_certificates  # noqa: E402

JOB = "mulligan"
CALLER = "URI:spiffe://cluster.local/ns/mulligan/sa/mulligan-controller"


def wait_until(what, seconds=30):
    """Calls `what` until it returns true; raises an error if it never does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return
        time.sleep(0.05)
    sys.exit(f"{what.__name__}: not within {seconds} s")


class Process:
    """A process that is ended by its process id in any case."""

    def __init__(self, command, log):
        self.log = log
        with log.open("w") as file:
            self.process = subprocess.Popen([str(word) for word in command], stdout=file, stderr=file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def check_alive(self):
        if self.process.poll() is not None:
            sys.exit(f"{self.process.args[0]} ended:\n{self.log.read_text()[-2000:]}")


class Server(Process):
    """Mulligan behind mutual TLS with the policies of a folder."""

    def __init__(self, binaries, folder, *flags):
        self.folder = folder
        tls = folder / "tls"
        tls.mkdir()
        make_certificates(tls, {"caller": CALLER, "stranger": "DNS:stranger.example.org"})
        port_file = folder / "ports"
        super().__init__([
            binaries / "mulligan-server", "--listen-address=127.0.0.1:0",
            "--admin-address=127.0.0.1:0", "--drain-delay=0s", f"--port-file={port_file}",
            f"--tls-cert={tls}/tls.crt", f"--tls-key={tls}/tls.key",
            f"--tls-client-ca={tls}/ca.crt", f"--allow-callers={CALLER.removeprefix('URI:')}",
            *flags], folder / "server.log")
        wait_until(lambda: self.check_alive() or port_file.exists() and port_file.read_text())
        ports = json.loads(port_file.read_text())
        self.admin = f"127.0.0.1:{ports['adminPort']}"
        self.ask = [str(binaries / "mulligan"), "decide", f"--server=127.0.0.1:{ports['grpcPort']}",
                    f"--tls-ca={tls}/ca.crt"]

    def command(self, caller="caller"):
        return [*self.ask, f"--tls-cert={self.folder}/tls/{caller}.crt",
                f"--tls-key={self.folder}/tls/{caller}.key"]

    def reload(self):
        self.process.send_signal(signal.SIGHUP)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Prometheus(Process):
    """Scrapes every second, evaluates the project's rules every second."""

    def __init__(self, binary, folder, targets):
        """targets: {job: address}; JOB is among them."""
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        config = folder / "prometheus.yaml"
        config.write_text(json.dumps({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(ROOT / "deploy/prometheus/mulligan.rules.yaml")],
            "scrape_configs": [{"job_name": job, "static_configs": [{"targets": [target]}]}
                               for job, target in targets.items()]}))
        super().__init__([
            binary, f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"], folder / "prometheus.log")
        wait_until(self.scrapes)

    def scrapes(self):
        self.check_alive()
        try:
            return self.query("mulligan_build_info")
        except (urllib.error.URLError, ValueError):
            return False  # Not listening yet, or not ready.

    def _get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{query}", timeout=20) as answer:
                return json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            raise ValueError(error.read().decode()[:500]) from None

    def query(self, expression):
        return self._get("query", query=expression)

    def query_range(self, expression, start, end):
        return self._get("query_range", query=expression, start=start, end=end, step="1")
