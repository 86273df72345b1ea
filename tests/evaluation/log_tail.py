#!/usr/bin/env python3
"""The value of a log's end: makes variants of a corpus for scripts/score-corpus.

Usage: log_tail.py CORPUS OUT

OUT gets the samples whose containers have a text (terminated.message) in three folders: `with`
(unchanged), `without` (without the texts) and `among` (with 57 KiB of ordinary training lines
before each).
"""

import json
import random
import sys
from pathlib import Path

ORDINARY = (
    "INFO step={n} loss={x:.4f} lr=3e-4 tokens/s={m}",
    "2026-11-03 09:{m:04d} INFO trainer: saved checkpoint /ckpt/step-{n}",
    "UserWarning: torch.utils._pytree._register_pytree_node is deprecated.",
    "WARNING:root:slow batch: {x:.2f} s",
    "[rank{r}] NCCL INFO Channel 0{r}/08 : {r}[{r}] -> {r}[{r}] via P2P/CUMEM",
    "  0%|          | {n}/100000 [00:{r}<?, ?it/s]",
    "INFO: Epoch {r}: accuracy={x:.3f}",
    "WARNING: retrying connection to metrics server (attempt 1)",
    "DEBUG dataloader worker {r} prefetch={m}",
)
ORDINARY_BYTES = 57 << 10


def ordinary(chance):
    lines, size = [], 0
    while size < ORDINARY_BYTES:
        line = chance.choice(ORDINARY).format(n=chance.randrange(100_000), m=chance.randrange(9_000),
                                              x=chance.random() * 5, r=chance.randrange(8))
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines) + "\n"


def terminations(value):
    """Every terminated state that has a text."""
    if isinstance(value, dict):
        state = value.get("terminated")
        if isinstance(state, dict) and state.get("message"):
            yield state
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from terminations(item)


VARIANTS = {
    "with": lambda text, _: text,
    "without": lambda _text, _: "",
    "among": lambda text, chance: ordinary(chance) + text,
}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for name, change in VARIANTS.items():
        chance = random.Random(1)
        folder = Path(sys.argv[2]) / name
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(Path(sys.argv[1]).glob("*.jsonl")):
            with open(folder / path.name, "w") as out:
                for line in path.read_text().splitlines():
                    sample = json.loads(line)
                    states = list(terminations(sample["input"]))
                    for state in states:
                        state["message"] = change(state["message"], chance)
                    if states:
                        out.write(json.dumps(sample) + "\n")


if __name__ == "__main__":
    main()
