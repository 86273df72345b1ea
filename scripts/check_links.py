#!/usr/bin/env python3
"""Checks relative links in Markdown files, whose names come on stdin.

A link must lead to a file or folder of the repository; a fragment must match a
heading of the Markdown file it leads to.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!\\)\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
EXTERNAL = re.compile(r"^[a-z][a-z0-9+.-]*:")


def prose(path):
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def anchors(path):
    """Returns the fragments that GitHub gives to a file's headings."""
    seen = {}
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", prose(path), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        yield f"{slug}-{count}" if count else slug


def check(path):
    for target in LINK.findall(CODE.sub("", prose(path))):
        if EXTERNAL.match(target):
            continue
        name, _, fragment = target.partition("#")
        place = path if not name else path.parent / name
        if not place.exists():
            yield f"{path}: {target} does not exist"
        elif fragment and place.suffix == ".md":
            if fragment not in anchors(place):
                yield f"{path}: {target} names no heading"


def main():
    problems = []
    for name in sys.stdin.read().split("\n"):
        if name:
            problems.extend(check(Path(name)))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
