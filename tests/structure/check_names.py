#!/usr/bin/env python3
"""Checks that no name in an anonymous namespace hides one that a header declares,
and that no two headers define types of the same name.

Usage: check_names.py ROOT

Sources of a folder are compiled together (mulligan_unite in
cmake/mulligan_targets.cmake), so a helper of one source would silently take its
neighbours' calls of a function in an outer namespace. (The compiler finds two
helpers of the same name.) Of two types of the same name, the linker keeps one.
"""

import re
import sys
from pathlib import Path

FOLDERS = ("policy", "tools", "server", "client", "tests")
NAMESPACE = re.compile(r"^namespace(?: ([\w:]+))? \{$")
TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+)")
OTHER = re.compile(r"^[\w:<>,*& ]+?[ *&](\w+) ?(?:\(|\[|=|\{|;)")
# using Pod = core::v1::Pod; or using core::v1::Pod;
ALIAS = re.compile(r"^using (?:(\w+) = )?((?:\w+::)+(\w+));")
RAW_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
COMMENT = re.compile(r"//.*")
# Lines that begin with these words declare nothing new.
NO_NAME = {"using", "template", "return", "public", "private", "friend"}


def declarations(text):
    """Yields (is anonymous, namespace, name, alias target) of declarations at the
    left margin."""
    open_namespaces = []
    for raw in RAW_TEXT.sub('""', text).splitlines():
        opened = NAMESPACE.match(raw)
        if opened:
            open_namespaces.append(opened.group(1) or "")
            continue
        if raw.startswith("}  // namespace"):
            open_namespaces.pop()
            continue
        name, target = declared_in(COMMENT.sub("", raw).rstrip())
        if name:
            yield ("" in open_namespaces,
                   "::".join(name for name in open_namespaces if name), name,
                   target)


def types(text):
    """Yields (namespace, name) of the types that a header defines."""
    open_namespaces = []
    for line in RAW_TEXT.sub('""', text).splitlines():
        if opened := NAMESPACE.match(line):
            open_namespaces.append(opened.group(1) or "")
        elif line.startswith("}  // namespace"):
            open_namespaces.pop()
        elif (found := TYPE.match(line)) and not line.endswith(";"):
            yield "::".join(open_namespaces), found.group(1)


def declared_in(line):
    """Returns (name, alias target) that a line declares, or Nones."""
    if alias := ALIAS.match(line):
        return alias.group(1) or alias.group(3), alias.group(2)
    if not line or not line[0].isalpha() or line.split()[0] in NO_NAME:
        return None, None
    if line.startswith(("struct ", "class ", "enum ")) and line[-1] == ";":
        return None, None
    found = TYPE.match(line) or OTHER.match(line)
    return (found.group(1), None) if found else (None, None)


def violations(root):
    """Returns a line for each name that hides another, and the number checked."""
    declared, anonymous, defined = {}, [], {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            where = path.relative_to(root).as_posix()
            text = path.read_text(encoding="utf-8")
            for hidden, space, name, target in declarations(text):
                if hidden:
                    anonymous.append((space, name, target, where))
                elif path.suffix == ".h":
                    declared.setdefault((space, name), (where, target))
            if path.suffix == ".h":
                for key in types(text):
                    defined.setdefault(key, []).append(where)
    found = [f"{second}: {space}::{name} is another type in {first}; give it "
             "another name"
             for (space, name), (first, *others) in defined.items()
             for second in others]
    for space, name, target, where in anonymous:
        parts = space.split("::")
        for depth in range(len(parts), 0, -1):
            outer = "::".join(parts[:depth])
            other, same = declared.get((outer, name), (None, None))
            # Aliases of the same type are harmless.
            if other and not (target and target == same):
                found.append(f"{where}: {name} hides {outer}::{name} of "
                             f"{other}; give it another name")
                break
    return sorted(set(found)), len(anonymous)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found, checked = violations(Path(sys.argv[1]))
    if not checked:
        sys.exit(f"no anonymous names below {sys.argv[1]}: nothing was checked")
    if found:
        sys.exit("\n".join(found))
    print(f"{checked} names hide nothing")


if __name__ == "__main__":
    main()
