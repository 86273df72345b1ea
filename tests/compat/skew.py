#!/usr/bin/env python3
"""Two releases of the programs with each other, both ways.

    skew.py BIN OTHER_BIN

Each folder has mulligan and mulligan-server. The other's command line asks each server
about every sample of tests/testdata/quickstart, then its own does with the ledger that the
other wrote; each replays and reports on the other's decision log. A failure reported to
both must be charged once.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / "tests/testdata/quickstart").glob("*.json"))
OBSERVED = "--observed-at=2026-11-03T14:00:00Z"


def run(*arguments):
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, timeout=60)
    if done.returncode:
        sys.exit(f"FAILED: {' '.join(map(str, arguments))}: {done.returncode}\n{done.stderr}")
    return done.stdout


class Served:
    """A server of BIN that logs its decisions to a file."""

    def __init__(self, binaries, folder):
        folder.mkdir()
        self.log = folder / "decisions.jsonl"
        ports = folder / "ports.json"
        self.process = subprocess.Popen(
            [binaries / "mulligan-server", "--listen-address=127.0.0.1:0", "--admin-address=127.0.0.1:0",
             "--drain-delay=0s", f"--port-file={ports}", f"--decision-log={self.log}"], stderr=subprocess.DEVNULL)
        while not ports.exists() or not ports.read_text().endswith("}\n"):
            assert self.process.poll() is None, "the server exited"
            time.sleep(0.02)
        self.address = f"127.0.0.1:{json.loads(ports.read_text())['grpcPort']}"

    def stop(self):
        self.process.terminate()
        assert self.process.wait(30) == 0


def charged(answer):
    return answer.get("accounting", {}).get("units", 0)


def play(client, server_bin, folder):
    """`client` asks a server of another release; then the server's own client continues."""
    server = Served(server_bin, folder / "server")
    own = Served(client, folder / "own")
    total = 0
    for sample in SAMPLES:
        ledger = folder / "ledger.json"
        first = json.loads(run(client / "mulligan", "decide", f"--server={server.address}", "-f", sample, OBSERVED,
                               f"--ledger-out={ledger}", "-o", "json"))
        total += charged(first)
        for binaries, address in ((server_bin, server.address), (client, own.address), (server_bin, own.address)):
            again = json.loads(run(binaries / "mulligan", "decide", f"--server={address}", "-f", sample, OBSERVED,
                                   f"--ledger={ledger}", "-o", "json"))
            if charged(again) or again["decision"]["action"] != first["decision"]["action"]:
                sys.exit(f"FAILED: {sample.name}: {first['decision']}\nand with its ledger {again['decision']}")
    server.stop()
    own.stop()
    replayed = json.loads(run(client / "mulligan", "replay", server.log, "-o", "json"))
    lines = len(server.log.read_text().splitlines())
    if (replayed["lines"], replayed["badLines"], replayed["all"]["decisions"]) != (lines, 0, lines):
        sys.exit(f"FAILED: the log of {server_bin} is not replayed by {client}: {replayed}")
    run(client / "mulligan", "report", server.log)
    print(f"ok: {run(client / 'mulligan', 'version').strip()} asks {run(server_bin / 'mulligan', 'version').strip()}: "
          f"{len(SAMPLES)} samples, {total} charged, {lines} lines of its log replayed, {replayed['all']['changed']} differ")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    one, other = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "there").mkdir()
        (Path(folder) / "back").mkdir()
        play(one, other, Path(folder) / "there")
        play(other, one, Path(folder) / "back")


if __name__ == "__main__":
    main()
