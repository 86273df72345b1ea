#!/usr/bin/env python3
"""Checks that docs/threat-model.md names the libraries that we link, as installed.

Usage: check_linked.py ROOT PROGRAM...

Its table "Package | Version" has to name the package of each shared library that a
PROGRAM loads, but those of the compiler and of the C library, and each package's version
as dpkg tells it, rebuilds (+b1) aside. Elsewhere than on Debian 12 nothing is compared.
"""

import pathlib
import re
import subprocess
import sys

PAGE = "docs/threat-model.md"
ROW = re.compile(r"^\| `([^`]+)`[^|]*\| `([^`]+)` \|$", re.MULTILINE)
TABLE = re.compile(r"^\| Package \| Version \|\n(.*?)\n\n", re.MULTILINE | re.DOTALL)
# Their weaknesses are the machine's, whatever it runs.
SYSTEM = {"libc6", "libgcc-s1", "libstdc++6"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def is_debian_12():
    release = pathlib.Path("/etc/os-release")
    text = release.read_text() if release.exists() else ""
    return "ID=debian\n" in text and 'VERSION_ID="12"' in text


def written(text):
    table = TABLE.search(text)
    return dict(ROW.findall(table.group(1))) if table else {}


def installed(package):
    return re.sub(r"\+b\d+$", "", output("dpkg-query", "-W", "-f", "${Version}", package))


def linked(program):
    """The packages of the shared libraries that it loads."""
    libraries = re.findall(r"=> (/\S+)", output("ldd", program))
    files = [str(pathlib.Path(library).resolve()) for library in libraries]
    return {line.split(":")[0] for line in output("dpkg", "-S", *files).splitlines()} - SYSTEM


def problems_of(versions, packages, version_of):
    if not versions:
        yield f"{PAGE} has no table with Package and Version"
    for package in sorted(packages - set(versions)):
        yield f"{package} is linked and not in {PAGE}: look up its published weaknesses"
    for package, version in versions.items():
        there = version_of(package)
        if there and there != version:
            yield (f"{package}: {PAGE} is about {version}, installed is {there}: look up what "
                   "its changelog says and correct the tables")


def main(arguments):
    root, *programs = arguments
    if not is_debian_12():
        print("not compared: the tables are about Debian 12")
        return 0
    versions = written((pathlib.Path(root) / PAGE).read_text())
    packages = set().union(*(linked(program) for program in programs))
    problems = list(problems_of(versions, packages, installed))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
