#!/usr/bin/env python3
"""Runs Envoy with deploy/envoy/sidecar.yaml in front of a server on loopback.

Usage: check_envoy.py CONFIG ENVOY BINARIES

Only addresses and file paths are replaced. Decide must pass, and nothing else: no health
check, no plaintext, and no endless header list in CONTINUATION frames, of which the server
alone would read 64 MiB.
"""

import json
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml
from check_serves import POD, make_certificates, wait_for_port

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def put_in(config, folder, port, upstream):
    """Writes the configuration with our addresses and certificates; returns its path."""
    text = config.read_text().replace("/etc/tls/", f"{folder}/")
    document = yaml.safe_load(text)
    listener = document["static_resources"]["listeners"][0]
    listener["address"]["socket_address"].update(address="127.0.0.1", port_value=port)
    endpoints = document["static_resources"]["clusters"][0]["load_assignment"]["endpoints"]
    endpoints[0]["lb_endpoints"][0]["endpoint"]["address"]["socket_address"]["port_value"] = upstream
    path = folder / "envoy.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=30)
    return done.returncode, done.stdout + done.stderr


def connect(folder, port):
    context = ssl.create_default_context(cafile=folder / "ca.crt")
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=5),
                               server_hostname="127.0.0.1")


def is_cut_off(connection, frames):
    """Returns whether the peer ends the connection before it has read all frames."""
    try:
        connection.sendall(PREFACE)
        for frame in frames:
            connection.sendall(frame)
        return False
    except OSError:
        return True
    finally:
        connection.close()


def endless_continuation():
    """HEADERS without END_HEADERS, then 64 MiB of CONTINUATION frames."""
    yield b"\x00\x00\x01\x01\x00\x00\x00\x00\x01\x82"
    for _ in range(4096):
        yield b"\x00\x40\x00\x09\x00\x00\x00\x00\x01" + b"\x00\x01a\x01b" * 3276 + b"\x00\x01a\x00"


def problems(binaries, folder, port):
    decide = (binaries / "mulligan", "decide", f"--server=127.0.0.1:{port}", "--deadline=5s",
              "--observed-at=2026-11-03T09:00:00Z", "-o", "json", "-f", folder / "pod.json")
    tls = f"--tls-ca={folder}/ca.crt"
    code, said = run(*decide, tls)
    if code != 0 or '"decision"' not in said:
        yield f"Decide through Envoy: exit code {code}, {said[-300:]}"
    if run(*decide)[0] == 0:
        yield "plaintext is answered"
    if run(binaries / "mulligan", "healthcheck", f"--server=127.0.0.1:{port}", tls)[0] == 0:
        yield "health is answered, although it is not routed"
    if not is_cut_off(connect(folder, port), endless_continuation()):
        yield "endless CONTINUATION frames are read"


def wait_until_listening(process, port):
    for _ in range(200):
        if process.poll() is not None:
            raise RuntimeError(f"Envoy ended with code {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("Envoy does not listen")


def check(config, envoy, binaries, folder):
    make_certificates(folder, {})
    (folder / "pod.json").write_text(json.dumps(POD))
    server = subprocess.Popen(
        [binaries / "mulligan-server", "--listen-address=127.0.0.1:0", "--admin-address=off",
         "--drain-delay=0s", f"--port-file={folder / 'ports'}"], text=True, stderr=subprocess.PIPE)
    proxy = None
    try:
        port = free_port()
        path = put_in(config, folder, port, wait_for_port(server, folder / "ports"))
        code, said = run(envoy, "--mode", "validate", "-c", path)
        if code != 0:
            yield f"Envoy refuses it: {said[-500:]}"
            return
        with (folder / "envoy.log").open("w") as log:
            proxy = subprocess.Popen([envoy, "-c", path, "--concurrency", "1", "--disable-hot-restart"],
                                     stdout=log, stderr=log)
        wait_until_listening(proxy, port)
        yield from problems(binaries, folder, port)
    except RuntimeError as error:
        yield str(error)
    finally:
        for process in filter(None, (proxy, server)):
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    config, envoy, binaries = (Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        found = list(check(config, envoy, binaries, Path(name)))
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
