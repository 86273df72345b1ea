"""Usage: unseen_test.py ROWS_LEFT_OUT

The build leaves out the rows that it is given."""

import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "simulation"))

from engine import Engine, pod  # noqa: E402

BINARY = None


class UnseenTest(unittest.TestCase):
    def test_the_build_leaves_out_a_row(self):
        request = {"report": {"observedAt": "2026-03-01T01:00:00Z", "pods": [
            pod("p", "n", 60, 120, 1, message="CUDA out of memory. Tried")]}}
        found = []
        for rows in ("", "text/cuda-oom\n", "text/cuda-oom\ntext/gpu-oom\n"):
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                file.write(rows)
                file.flush()
                with Engine(BINARY, environment={
                        "MULLIGAN_ROWS_LEFT_OUT": file.name}) as engine:
                    found.append(engine.decide(request)["diagnosis"]
                                 ["signature"])
        self.assertEqual(found[:2], ["text/cuda-oom", "text/gpu-oom"])
        self.assertNotIn(found[2], found[:2])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    BINARY = sys.argv.pop()
    unittest.main()
