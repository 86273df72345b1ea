#!/usr/bin/env python3
"""Installs a chart, creates objects, upgrades it to another and back.

    upgrade.py HELM KUBECONFIG OLD.tgz NEW.tgz

On a real API server: stored objects (RetryPolicy, RetryRecord, a Job with its ledger) stay
the same, the Deployments are updated in place, and an uninstall keeps stored objects.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAMESPACE = "mulligan"
STORED = ("retrypolicies/house", "retryrecords/train", "jobs/train")
UPDATED = ("deployments/mulligan", "deployments/mulligan-controller")
LEDGER = '{"attemptsSeen":2,"budgets":{"memory":{"used":2}}}'
OBJECTS = [
    {"apiVersion": "mulligan.dev/v1", "kind": "RetryPolicy", "metadata": {"name": "house"},
     "spec": {"budgets": {"all": {"limit": 3}}, "default": {"action": "RETRY", "budget": "all"}}},
    {"apiVersion": "mulligan.dev/v1", "kind": "RetryRecord", "metadata": {"name": "train"},
     "spec": {"apiVersion": "batch/v1", "kind": "Job", "name": "train"},
     "status": {"state": "Retrying", "attempt": 2, "attempts": [{"name": "train", "uid": "1"}, {"name": "train-2", "uid": "2"}],
                "ledger": json.loads(LEDGER)}},
    {"apiVersion": "batch/v1", "kind": "Job",
     "metadata": {"name": "train", "annotations": {"mulligan.dev/ledger": LEDGER}},
     "spec": {"suspend": True, "template": {"spec": {
         "restartPolicy": "Never", "containers": [{"name": "main", "image": "train:1"}]}}}},
]


class Cluster:
    def __init__(self, helm, kubeconfig):
        self._helm, self._kubeconfig = helm, kubeconfig

    def kubectl(self, *arguments, text=None):
        return self._run("kubectl", "--kubeconfig", self._kubeconfig, "-n", NAMESPACE, *arguments, text=text)

    def helm(self, *arguments):
        return self._run(self._helm, "--kubeconfig", self._kubeconfig, "-n", NAMESPACE, *arguments)

    @staticmethod
    def _run(*command, text=None):
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode:
            sys.exit(f"FAILED: {' '.join(command)}\n{done.stderr}")
        return done.stdout

    def get(self, name):
        return json.loads(self.kubectl("get", name, "-o", "json"))


def essence(thing):
    """Returns what must stay the same of a stored object."""
    return (thing["metadata"]["uid"], thing["metadata"].get("annotations"), thing["spec"], thing.get("status"))


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    helm, kubeconfig, old, new = sys.argv[1:]
    cluster = Cluster(helm, kubeconfig)
    values = ("--values", str(HERE / "values.yaml"))
    cluster.helm("install", "mulligan", old, "--create-namespace", *values)
    cluster.kubectl("wait", "--for=condition=Established", "--timeout=60s", "crd/retrypolicies.mulligan.dev",
                    "crd/retryrecords.mulligan.dev")
    for each in OBJECTS:
        cluster.kubectl("apply", "-f", "-", text=json.dumps(each))
    # The Job controller writes this condition.
    cluster.kubectl("wait", "--for=condition=Suspended", "--timeout=60s", "jobs/train")
    before = {name: essence(cluster.get(name)) for name in STORED}
    places = {name: cluster.get(name)["metadata"]["uid"] for name in UPDATED}
    for step in (("upgrade", "mulligan", new, *values), ("rollback", "mulligan", "1"),
                 ("upgrade", "mulligan", new, *values)):
        cluster.helm(*step)
        for name, expected in before.items():
            if essence(cluster.get(name)) != expected:
                sys.exit(f"FAILED: helm {step[0]}: {name} was {expected}, is {essence(cluster.get(name))}")
        for name, uid in places.items():
            if cluster.get(name)["metadata"]["uid"] != uid:
                sys.exit(f"FAILED: helm {step[0]}: {name} was recreated")
    cluster.helm("uninstall", "mulligan")
    for name, expected in before.items():
        if essence(cluster.get(name)) != expected:
            sys.exit(f"FAILED: helm uninstall: {name} has changed")
    print(f"{Path(old).name} became {Path(new).name}, went back and again: {len(before)} objects are the same")


if __name__ == "__main__":
    main()
