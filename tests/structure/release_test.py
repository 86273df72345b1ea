#!/usr/bin/env python3
"""Tests the error messages of scripts/release, and which versions can be cut.

Usage: release_test.py ROOT. Builds nothing: errors are reported before.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
PLACES = ("CHANGELOG.md", "CMakeLists.txt", "client/python/pyproject.toml", "deploy/controller/deployment.yaml",
          "deploy/helm/mulligan/Chart.yaml", "deploy/kustomize/base/kustomization.yaml", "deploy/replay/job.yaml")

VERSION = re.search(r"\n *VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=ROOT,
                          env={**os.environ, "MULLIGAN_SKIP_INSTALL": "1", "MULLIGAN_RELEASE_DIRTY": "1"})
    return done.returncode, done.stdout + done.stderr


class ReleaseTest(unittest.TestCase):
    def test_reports_mistakes(self):
        for arguments, message in (
                (("1.2.3", "--sign"), "--sign: the value is missing, expected the file of a key"),
                (("--push", "--parts", "go", "1.2.3"), "--push: the value is missing, expected HOST"),
                (("1.2.3", "1.2.4"), "two versions, 1.2.3 and 1.2.4"),
                (("1.2",), "expected MAJOR.MINOR.PATCH"),
                (("987.6.5",), "the tree is of version"),
                (("--parts", "python,wheels", "1.2.3"), "'wheels' is not one of native,images"),
                ((VERSION, "--sign", "/no/such/key"), "is not an Ed25519 key"),
                (("--cut",), "--cut: the version is missing"),
                (("--cut", "abc"), "'abc' is not a version, expected MAJOR.MINOR.PATCH"),
                (("--cut", "999.0.0", "notadate"), "'notadate' is not a date, expected YYYY-MM-DD"),
                (("--cut", "999.0.0", "2026-01-02", "x"), "unexpected x"),
                (("--cut", "0.1.5"), "0.1.5 is not after ")):
            with self.subTest(arguments):
                code, said = run(ROOT / "scripts/release", *arguments)
                self.assertEqual(code, 1, said)
                self.assertIn(message, said)
                self.assertNotIn("Traceback", said)
                self.assertEqual(len(said.splitlines()), 1, said)


class CutTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)
        for name in PLACES:
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.tree / name)
        self.changelog = self.tree / "CHANGELOG.md"

    def cut(self, *arguments):
        return run(sys.executable, "-B", ROOT / "scripts/release_parts/cut.py", self.tree, *arguments)

    def items(self):
        return sorted(line for line in self.changelog.read_text().splitlines() if line.startswith("- "))

    def add(self, line):
        self.changelog.write_text(self.changelog.read_text().replace(
            "## Unreleased\n", f"## Unreleased\n\n### Fixed\n\n- {line}\n", 1))

    def test_versions_only_grow(self):
        self.add("One.")
        self.assertEqual(self.cut("998.0.10", "2026-01-02")[0], 0)
        self.add("Another.")
        for version in ("998.0.9", "998.0.10", "0.1.5"):
            code, said = self.cut(version)
            self.assertEqual((code, said), (1, f"error: --cut: {version} is not after 998.0.10, which this tree has\n"))
        self.assertEqual(self.cut("998.0.11")[0], 0)

    def test_cut_release_has_nothing_unreleased(self):
        self.add("One.")
        before = self.items()
        self.cut("998.0.0", "2026-01-02")
        self.assertEqual(self.items(), before)
        self.assertEqual(self.cut("--verify", "998.0.0"), (0, ""))
        self.add("For the next one.")
        code, said = self.cut("--verify", "998.0.0")
        self.assertEqual(code, 1)
        self.assertIn("under Unreleased, which 998.0.0 has not: scripts/release --cut", said)


if __name__ == "__main__":
    unittest.main()
