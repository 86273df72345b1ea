#!/usr/bin/env python3
"""Turns Unreleased in CHANGELOG.md into a version.

    cut.py REPOSITORY VERSION [DATE]     writes changelog and version numbers
    cut.py REPOSITORY --verify VERSION   lists files with another version

DATE defaults to today (UTC). Merges sections of one name, in the order of Keep a
Changelog. Commit the result; tags are set by hand.
"""

import datetime
import re
import sys
from pathlib import Path

NUMBER = r"\d+\.\d+\.\d+"
# Files with the version, and patterns of the number, which may match several times.
PLACES = (
    ("CMakeLists.txt", rf"(?m)(?<=^  VERSION ){NUMBER}"),
    ("client/python/pyproject.toml", rf'(?m)(?<=^version = "){NUMBER}'),
    ("deploy/controller/deployment.yaml", rf"(?<=image: mulligan-controller:){NUMBER}"),
    ("deploy/helm/mulligan/Chart.yaml", rf"(?im)(?<=version: ){NUMBER}$"),
    ("deploy/kustomize/base/kustomization.yaml", rf"(?<=newTag: ){NUMBER}"),
    ("deploy/replay/job.yaml", rf"(?<=image: mulligan-replay:){NUMBER}"),
)
ORDER = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
OPEN = "## Unreleased\n"


def merged(text):
    """Merges sections of the same name; keeps the order of their items."""
    head, *parts = re.split(r"(?m)^### +(.+?) *$", text)
    sections = {}
    for name, body in zip(parts[::2], parts[1::2]):
        sections.setdefault(name, []).append(body.strip("\n"))
    names = sorted(sections, key=lambda name: (ORDER + (name,)).index(name))
    blocks = [f"### {name}\n\n" + "\n".join(sections[name]) for name in names]
    return "\n\n".join(block for block in [head.strip("\n"), *blocks] if block)


def cut_changelog(text, version, date):
    before, found, rest = text.partition(OPEN)
    if not found:
        sys.exit("error: CHANGELOG.md has no section Unreleased")
    now, mark, older = rest.partition("\n## ")
    body = merged(now)
    if not body:
        sys.exit("error: Unreleased has no entries")
    return f"{before}{OPEN}\n## {version} - {date}\n\n{body}\n" + (mark + older if mark else "")


def problems(root, version):
    for name, pattern in PLACES:
        found = re.findall(pattern, (root / name).read_text())
        if not found:
            yield f"{name}: no version where one is expected"
        for other in set(found) - {version}:
            yield f"{name}: {other}, expected {version}"
    if not re.search(rf"(?m)^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$", (root / "CHANGELOG.md").read_text()):
        yield f"CHANGELOG.md: no section {version}"
    now = unreleased((root / "CHANGELOG.md").read_text())
    if now is not None and merged(now):
        yield f"CHANGELOG.md: there is something under Unreleased, which {version} has not: scripts/release --cut the next version"


def unreleased(text):
    """Returns the text under Unreleased, or None."""
    _, found, rest = text.partition(OPEN)
    return rest.partition("\n## ")[0] if found else None


def number(version):
    return tuple(map(int, version.split(".")))


def checked(root, arguments):
    """Returns version and date; exits if they are invalid."""
    if not arguments:
        sys.exit("error: --cut: the version is missing, expected --cut MAJOR.MINOR.PATCH [YYYY-MM-DD]")
    if len(arguments) > 2:
        sys.exit(f"error: --cut: unexpected {' '.join(arguments[2:])}, expected --cut MAJOR.MINOR.PATCH [YYYY-MM-DD]")
    version = arguments[0]
    if not re.fullmatch(NUMBER, version):
        sys.exit(f"error: --cut: {version!r} is not a version, expected MAJOR.MINOR.PATCH")
    date = arguments[1] if len(arguments) == 2 else datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    try:
        date = datetime.date.fromisoformat(date).isoformat()
    except ValueError:
        sys.exit(f"error: --cut: {date!r} is not a date, expected YYYY-MM-DD")
    changelog = (root / "CHANGELOG.md").read_text()
    there = re.findall(rf"(?m)^## ({NUMBER})\b", changelog)
    for name, pattern in PLACES:
        there += re.findall(pattern, (root / name).read_text())
    latest = max(there, key=number, default="0.0.0")
    if number(version) <= number(latest):
        sys.exit(f"error: --cut: {version} is not after {latest}, which this tree has")
    return version, date


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 3 and arguments[1] == "--verify":
        found = list(problems(Path(arguments[0]), arguments[2]))
        print("\n".join(found), end="\n" if found else "")
        sys.exit(1 if found else 0)
    if not arguments:
        sys.exit(__doc__)
    root = Path(arguments[0])
    version, date = checked(root, arguments[1:])
    changelog = root / "CHANGELOG.md"
    changelog.write_text(cut_changelog(changelog.read_text(), version, date))
    for name, pattern in PLACES:
        path = root / name
        text, count = re.subn(pattern, version, path.read_text())
        if not count:
            sys.exit(f"error: {name} has no version where one is expected")
        path.write_text(text)
    print(f"{version} of {date} is written to CHANGELOG.md and {', '.join(name for name, _ in PLACES)}")


if __name__ == "__main__":
    main()
