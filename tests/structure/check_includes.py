#!/usr/bin/env python3
"""Checks the includes of a source tree against include_rules.py.

Usage: check_includes.py ROOT
"""

import re
import sys
from pathlib import Path

from include_rules import RULES

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


def check_tree(root):
    """Returns (violations, number of files checked)."""
    root = Path(root)
    violations = []
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
