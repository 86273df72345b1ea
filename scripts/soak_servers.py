"""The servers of scripts/soak and their certificates."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/deploy"))
from check_serves import make_certificates  # noqa: E402


class Server:
    """A server process; ended by its process id."""

    def __init__(self, args, folder, name):
        self.args, self.folder, self.name = args, folder, name
        self.ports = folder / f"{name}.ports"
        self.start()

    def start(self):
        # A SIGHUP before the server has its handler would end it.
        self.serving = False
        self.ports.unlink(missing_ok=True)
        log = (self.folder / f"{self.name}.log").open("a")
        self.process = subprocess.Popen(
            [self.args.bin / "mulligan-server", "--listen-address=127.0.0.1:0", "--admin-address=127.0.0.1:0",
             "--drain-delay=0s", "--shutdown-grace=5s", f"--policy-dir={self.folder}/policies/current",
             f"--port-file={self.ports}", *self.args.tls_flags, *self.args.server_flag],
            stdout=subprocess.DEVNULL, stderr=log)
        for _ in range(1000):
            if self.ports.exists() and self.ports.read_text().endswith("\n"):
                ports = json.loads(self.ports.read_text())
                self.grpc, self.admin = ports["grpcPort"], ports["adminPort"]
                self.serving = True
                return
            if not self.alive():
                break
            time.sleep(0.02)
        log = (self.folder / f"{self.name}.log").read_text()
        raise RuntimeError(f"{self.name} does not serve: exit code {self.process.poll()}: {log[-500:]}")

    def alive(self):
        return self.process.poll() is None

    def usage(self):
        proc = pathlib.Path(f"/proc/{self.process.pid}")
        fields = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines() if ":" in line)
        return {"resident MiB": int(fields["VmRSS"].split()[0]) / 1024,
                "descriptors": len(list((proc / "fd").iterdir())), "threads": int(fields["Threads"])}

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}{path}", timeout=5) as answer:
            return answer.read().decode()

    def counters(self):
        found = {}
        for line in self.get("/metrics").splitlines():
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                found[name] = float(value)
        return found


def renew(folder):
    """Replaces all certificates at once by swapping a link, like a Secret's mount."""
    tls = folder / "tls"
    new = pathlib.Path(tempfile.mkdtemp(prefix="tls-", dir=folder))
    make_certificates(new, {"caller": "DNS:caller.soak"}, authority=tls)
    old = tls.resolve() if tls.exists() else None
    link = folder / "tls.link"
    link.symlink_to(new.name)
    os.replace(link, tls)
    if old:
        # Later, because a server may be reading the old ones.
        threading.Timer(5, shutil.rmtree, [old], {"ignore_errors": True}).start()


def tls_flags(args, folder):
    if not args.tls:
        return [], []
    renew(folder)
    tls = folder / "tls"
    return ([f"--tls-cert={tls}/tls.crt", f"--tls-key={tls}/tls.key", f"--tls-client-ca={tls}/ca.crt",
             "--allow-callers=caller.soak"],
            [f"--tls-ca={tls}/ca.crt", f"--tls-cert={tls}/caller.crt", f"--tls-key={tls}/caller.key"])
