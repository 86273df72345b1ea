"""Simulates the metrics of a mulligan-controller, which would need a cluster.

The series are those of its own test; the numbers grow with time.
"""

import http.server
import re
import threading
import time

from prometheus import ROOT

SERIES = ROOT / "client/go/internal/controller/testdata/metrics.txt"
# Of controller-runtime.
OTHERS = """leader_election_master_status{name="mulligan-controller"} 1
controller_runtime_reconcile_errors_total{controller="mulligan-Job.batch"} 0
rest_client_requests_total{code="200",method="GET"} 0
workqueue_depth{name="mulligan-Job.batch"} 3
"""
GAUGES = {"mulligan_controller_retry_policies": "4",
          "mulligan_controller_notifications_waiting": "2",
          "mulligan_controller_bad_nodes_marked": "1"}
BUCKET = re.compile(r'le="([^"]*)"')


def exposition(seconds):
    """Everything counted once a second, each delay half a minute."""
    lines = []
    for line in (SERIES.read_text() + OTHERS).splitlines():
        series, value = line.rsplit(" ", 1)
        name = series.split("{")[0]
        bound = BUCKET.search(series)
        if name in GAUGES:
            value = GAUGES[name]
        elif bound and float(bound[1]) < 30:
            value = "0"
        elif value == "0":
            value = f"{seconds:.3f}"
        lines.append(f"{series} {value}\n")
    return "".join(lines)


class PlayedController:
    """Serves /metrics on loopback."""

    def __enter__(self):
        begin = time.time()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = exposition(time.time() - begin).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = "127.0.0.1:%d" % self.server.server_address[1]
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
