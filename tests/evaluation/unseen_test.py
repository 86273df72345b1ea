"""Usage: unseen_test.py ROWS_LEFT_OUT

Whose samples speak for a row, and that the build does without it."""

import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "simulation")]

import unseen  # noqa: E402
from engine import Engine, pod  # noqa: E402

BINARY = None


def asked(source, *rows):
    """A sample of a source, and an answer that rests on the rows."""
    decides, *others = rows
    return ({"id": source, "source": source},
            {"diagnosis": {"signature": decides, "evidence": [
                {"signature": row} for row in others]}}, 0)


class UnseenTest(unittest.TestCase):
    def test_a_source_is_a_project_a_page_or_a_sample(self):
        for source, expected in (
                ("Acme/Frob#12", "acme/frob"),
                ("acme/frob tests/a.yaml (PR #9)", "acme/frob"),
                ("https://github.com/acme/frob/issues/3", "acme/frob"),
                ("https://docs.acme.io/jobs/limits#x", "docs.acme.io/jobs"),
                ("notes (file index id 77), with log", "index id 77"),
                (None, "the-id")):
            with self.subTest(source=source):
                self.assertEqual(
                    unseen.source_of({"id": "the-id", "source": source}),
                    expected)

    def test_rows_of_one_source_are_its_own(self):
        own = unseen.own_rows([
            asked("a/a#1", "text/x", "passing/p", "text/seen-beside"),
            asked("a/a#2", "text/y"), asked("b/b#1", "text/y"),
            ({"id": "c", "source": "c/c"}, "refused", None)])
        self.assertEqual(own, {"a/a": {"text/x", "passing/p"}})

    def test_the_build_does_without_a_row(self):
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
