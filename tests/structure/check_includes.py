#!/usr/bin/env python3
"""Checks the includes and folders of a source tree against include_rules.py.

Usage: check_includes.py ROOT
"""

import re
import sys
from pathlib import Path

from include_rules import HAVE_HEADERS, ONE_WAY, RULES

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
COMMENT = re.compile(r"//.*")


def rule_for(path):
    fitting = [rule for rule in RULES
               if path.as_posix().startswith(rule.folder + "/")]
    return max(fitting, key=lambda rule: len(rule.folder), default=None)


def check_file(root, path):
    rule = rule_for(path)
    if rule is None:
        return
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        include = INCLUDE.match(line)
        if include and not rule.allows(include.group(1)):
            yield (f"{path}:{number}: {rule.folder}/ may not include "
                   f"{include.group(1)}")
        code = COMMENT.sub("", line)
        for text in rule.forbidden_text:
            if re.search(text, code):
                yield f"{path}:{number}: {rule.folder}/ may not use {text}"


def read_units(root):
    """Returns {unit: units included} below ONE_WAY; a unit is a header with its
    source, by path without suffix."""
    units = {}
    for path in sorted((root / ONE_WAY).rglob("*.*")):
        if path.suffix not in (".h", ".cc"):
            continue
        unit = path.relative_to(root).with_suffix("").as_posix()
        includes = [INCLUDE.match(line) for line in
                    path.read_text(encoding="utf-8").splitlines()]
        known = {include.group(1).removesuffix(".h")
                 for include in includes if include}
        units.setdefault(unit, set()).update(known - {unit})
    return {unit: sorted(known & units.keys())
            for unit, known in units.items()}


def find_cycles(units):
    """Yields a cycle for each include that closes one."""
    done = set()

    def visit(unit, way):
        for known in units[unit]:
            if known in way:
                yield way[way.index(known):] + [known]
            elif known not in done:
                yield from visit(known, way + [known])
        done.add(unit)

    for unit in sorted(units):
        if unit not in done:
            yield from visit(unit, [unit])


def check_units(root):
    for folder in HAVE_HEADERS:
        for source in sorted((root / folder).glob("*.cc")):
            if not source.with_suffix(".h").exists():
                yield (f"{source.relative_to(root)}: has no header of the same "
                       "name")
    for cycle in find_cycles(read_units(root)):
        yield f"include cycle: {' -> '.join(cycle)}"


def check_tree(root):
    """Returns (violations, number of files checked)."""
    root = Path(root)
    violations = list(check_units(root))
    checked = 0
    for folder in sorted({rule.folder.split("/")[0] for rule in RULES}):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                checked += 1
                violations.extend(check_file(root, path.relative_to(root)))
    return violations, checked


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    violations, checked = check_tree(sys.argv[1])
    for violation in violations:
        print(violation)
    print(f"{checked} files, {len(violations)} violations")
    sys.exit(1 if violations or checked == 0 else 0)


if __name__ == "__main__":
    main()
