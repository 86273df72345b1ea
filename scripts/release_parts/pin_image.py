#!/usr/bin/env python3
"""Sets an image's digest in the values of a chart; keeps comments.

    pin_image.py VALUES.yaml REPOSITORY NEW_REPOSITORY DIGEST

Changes the block whose `repository` is REPOSITORY.
"""

import sys
from pathlib import Path


def pin(lines, repository, new, digest):
    start = [i for i, line in enumerate(lines) if line.strip() == f"repository: {repository}"]
    if len(start) != 1:
        sys.exit(f"error: `repository: {repository}` is there {len(start)} times, expected once")
    at = start[0]
    depth = len(lines[at]) - len(lines[at].lstrip())
    lines[at] = f"{' ' * depth}repository: {new}"
    for i in range(at + 1, len(lines)):
        if lines[i].strip() and len(lines[i]) - len(lines[i].lstrip()) < depth:
            break
        if lines[i].strip() == 'digest: ""':
            lines[i] = f'{" " * depth}digest: "{digest}"'
            return lines
    sys.exit(f'error: the block of {repository} has no `digest: ""`')


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    path = Path(sys.argv[1])
    path.write_text("\n".join(pin(path.read_text().splitlines(), *sys.argv[2:])) + "\n")


if __name__ == "__main__":
    main()
