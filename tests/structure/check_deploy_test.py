#!/usr/bin/env python3
"""Breaks a copy of Dockerfile and deploy/: each break must be reported.

Usage: check_deploy_test.py ROOT VERSION
"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import check_deploy

SERVER_FLAGS = {"--listen-address", "--admin-address", "--allow-plaintext",
                "--policy-dir", "--log-format", "--log-level", "--drain-delay",
                "--shutdown-grace", "--max-memory", "--max-connections",
                "--inline-policies",
                "--tls-cert", "--tls-key", "--tls-client-ca"}
PROBE_FLAGS = {"--server"}
BASE = "deploy/kustomize/base/"

# name: (file, text, replacement, part of the expected problem)
BREAKS = {
    "unknown server flag": (BASE + "deployment.yaml", "--log-level=info",
                            "--log-volume=info", "has no --log-volume"),
    "port without containerPort": (BASE + "deployment.yaml",
                                   "--listen-address=0.0.0.0:8980",
                                   "--listen-address=0.0.0.0:8990",
                                   "port 8990"),
    "grace too short": (BASE + "deployment.yaml",
                        "terminationGracePeriodSeconds: 45",
                        "terminationGracePeriodSeconds: 30", "not above 30"),
    "subPath": (BASE + "deployment.yaml", "readOnly: true",
                "subPath: default.yaml", "subPath"),
    "writable root": (BASE + "deployment.yaml",
                      "readOnlyRootFilesystem: true",
                      "readOnlyRootFilesystem: false", "not restricted"),
    "token of the API server": (BASE + "deployment.yaml",
                                "automountServiceAccountToken: false",
                                "automountServiceAccountToken: true",
                                "not restricted"),
    "any system call": (BASE + "deployment.yaml", "type: RuntimeDefault",
                        "type: Unconfined", "not restricted"),
    "callers without certificate": (BASE + "deployment.yaml",
                                    "--tls-client-ca=", "--tls-cert=",
                                    "no mutual TLS"),
    "plaintext": (BASE + "deployment.yaml", "--inline-policies=off",
                  "--allow-plaintext", "--allow-plaintext is no default"),
    "broken YAML": (BASE + "service.yaml", "spec:", "spec: [", "service.yaml"),
    "other version": (BASE + "kustomization.yaml", "newTag:", "newTag: 9.",
                      "the version"),
    "chart of another version": ("deploy/helm/mulligan/Chart.yaml",
                                 "appVersion: ", "appVersion: 9.",
                                 "Chart.yaml: appVersion"),
    "policy is missing": (BASE + "kustomization.yaml", "policies/default.yaml",
                          "policies/other.yaml", "policies/other.yaml"),
    "unknown probe flag": ("Dockerfile", "--server=", "--address=",
                           "healthcheck has no --address"),
    "plaintext image": ("Dockerfile", '"--admin-address=0.0.0.0:8981"',
                        '"--allow-plaintext"',
                        "Dockerfile: --allow-plaintext"),
    "runs as root": ("Dockerfile", "USER 65532:65532", "", "user 65532"),
}


class CheckDeployTest(unittest.TestCase):
    root = None
    version = None

    def problems_after(self, file, text, replacement):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder)
            shutil.copytree(self.root / "deploy", copy / "deploy")
            shutil.copy(self.root / "Dockerfile", copy / "Dockerfile")
            path = copy / file
            before = path.read_text()
            self.assertIn(text, before)
            path.write_text(before.replace(text, replacement, 1))
            return check_deploy.check(copy, self.version, SERVER_FLAGS,
                                      PROBE_FLAGS)

    def test_reports_each_break(self):
        for name, (file, text, replacement, expected) in BREAKS.items():
            with self.subTest(name):
                problems = "\n".join(
                    self.problems_after(file, text, replacement))
                self.assertIn(expected, problems)

    def test_accepts_the_unbroken_copy(self):
        self.assertEqual(self.problems_after("Dockerfile", "USER", "USER"), [])


if __name__ == "__main__":
    CheckDeployTest.root = Path(sys.argv[1])
    CheckDeployTest.version = sys.argv[2]
    unittest.main(argv=sys.argv[:1])
