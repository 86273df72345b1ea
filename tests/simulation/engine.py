"""The decision code of this build, asked through `mulligan explain`.

One process answers a stream of requests in order, so a simulation may send a
request, read its answer, and continue from there.
"""

import json
import os
import subprocess
from datetime import datetime


class Engine:
    """Answers DecideRequests (proto JSON as dicts); use as a context manager."""

    def __init__(self, binary, policy=None, environment=None):
        command = [str(binary), "explain", "--requests", "-", "-o", "json"]
        if policy is not None:
            command += ["--policy", str(policy)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True,
                                         bufsize=1,
                                         env={**os.environ,
                                              **(environment or {})})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def decide(self, request):
        """The DecideResponse; a refusal is a mistake of the simulation."""
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise ValueError(f"{answer['error']}: {json.dumps(request)[:2000]}")
        return answer


def time(second):
    """A second of simulated time in RFC 3339; whole seconds, like Kubernetes."""
    second = int(second)
    day, rest = divmod(second, 86400)
    return (f"2026-03-{1 + day:02d}T{rest // 3600:02d}:"
            f"{rest // 60 % 60:02d}:{rest % 60:02d}Z")


def seconds(text):
    """The second of simulated time that `time` formatted."""
    return int(datetime.fromisoformat(text[:-1]).timestamp()
               - datetime(2026, 3, 1).timestamp())


def pod(name, node, started, finished, exit_code, reason="Error", message="",
        **status):
    """A failed pod with one container, as the API server shows it."""
    terminated = {"exitCode": exit_code, "reason": reason,
                  "startedAt": time(started), "finishedAt": time(finished)}
    if message:
        terminated["message"] = message
    return {
        "metadata": {"name": name, "namespace": "sim", "uid": f"uid-{name}",
                     "creationTimestamp": time(started - 5)},
        "spec": {"nodeName": node, "restartPolicy": "Never",
                 "containers": [{"name": "main"}]},
        "status": {"phase": "Failed", "startTime": time(started - 4),
                   "containerStatuses": [
                       {"name": "main", "restartCount": 0,
                        "state": {"terminated": terminated}}], **status},
    }
