#!/usr/bin/env python3
"""Checks that policy/ has only code that affects answers.

Usage: check_reached.py BUILD_FOLDER LIBRARY=REPLACEMENT... -- PROGRAM...

Links each PROGRAM as ninja would, but with each LIBRARY replaced by an archive of
the same sources compiled without inlining and with a section per function, so
that the linker drops what main() cannot reach. Reports our functions that every
program drops.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# "removing unused section '.text._ZN8mulligan3FooEv' in file 'x.a(foo.cc.o)'".
# Skips functions in a group ("...FooEv[_ZN...FooEv]"), which are inline or made by
# the compiler.
DROPPED = re.compile(
    r"removing unused section '\.text\.(?:unlikely\.|hot\.)?([^'\[]+)' "
    r"in file '([^']+)'")
FLAGS = ["-Wl,--gc-sections", "-Wl,--print-gc-sections"]


def dropped(linker_output, archives):
    """Returns symbols of functions dropped from one of the archives."""
    return {symbol for symbol, file in DROPPED.findall(linker_output)
            if any(file.startswith(archive + "(") for archive in archives)}


def is_ours(name):
    """Returns whether a demangled function must be reached.

    Generated messages and instances of library templates need not be.
    """
    return (name.startswith("mulligan::")
            and not re.match(r"mulligan::(v1|kubernetes)::", name))


def demangle(symbols):
    run = subprocess.run(["c++filt"], input="\n".join(sorted(symbols)),
                         capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def unreached(outputs, archives):
    """Returns our demangled functions that every link dropped."""
    common = set.intersection(*(dropped(o, archives) for o in outputs))
    return sorted({name for name in demangle(common) if is_ours(name)})


def link_command(build, program):
    commands = subprocess.run(
        ["ninja", "-C", build, "-t", "commands", "-s", program],
        capture_output=True, text=True, check=True).stdout.splitlines()
    # ": && g++ ... -o bin/mulligan ... && :"
    return next(part for part in commands[-1].split("&&") if " -o " in part)


def link(build, program, replacements, output):
    words = [replacements.get(word, word)
             for word in shlex.split(link_command(build, program))]
    words[words.index("-o") + 1] = output
    run = subprocess.run([*words, *FLAGS], cwd=build, capture_output=True,
                         text=True)
    if run.returncode != 0:
        sys.exit(f"{program} does not link:\n{run.stderr[-2000:]}")
    missing = set(replacements.values()) - set(words)
    if missing:
        sys.exit(f"{program} does not link {', '.join(sorted(missing))}")
    return run.stderr


def check(build, replacements, programs):
    with tempfile.TemporaryDirectory() as folder:
        outputs = [link(build, program, replacements, str(Path(folder) / "out"))
                   for program in programs]
    return unreached(outputs, list(replacements.values()))


def main():
    if "--" not in sys.argv or len(sys.argv) < 5:
        sys.exit(__doc__)
    split = sys.argv.index("--")
    replacements = dict(word.split("=") for word in sys.argv[2:split])
    found = check(sys.argv[1], replacements, sys.argv[split + 1:])
    for name in found:
        print(f"no program reaches {name}")
    print(f"{len(found)} functions of policy/ are reached by no program")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
