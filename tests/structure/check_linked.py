#!/usr/bin/env python3
"""Checks that docs/threat-model.md lists the libraries that we link, as installed.

Usage: check_linked.py ROOT BUILD PROGRAM...

Its table "Package | Version" must have the source package and dpkg's version of each
library, shared or static, that BUILD/PROGRAM is linked with, except those of the
compiler and the C library. Compares nothing except on Debian 12.
"""

import pathlib
import re
import subprocess
import sys

PAGE = "docs/threat-model.md"
ROW = re.compile(r"^\| `([^`]+)`[^|]*\| `([^`]+)` \|$", re.MULTILINE)
TABLE = re.compile(r"^\| Package \| Version \|\n(.*?)\n\n", re.MULTILINE | re.DOTALL)
# Their weaknesses concern the whole machine.
SYSTEM = {"glibc", "gcc-12"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def is_debian_12():
    release = pathlib.Path("/etc/os-release")
    text = release.read_text() if release.exists() else ""
    return "ID=debian\n" in text and 'VERSION_ID="12"' in text


def written(text):
    table = TABLE.search(text)
    return dict(ROW.findall(table.group(1))) if table else {}


def linked(build, program):
    """Returns {source package: version} of the program's libraries."""
    archives = re.findall(r" (/\S+\.a)\b", output("ninja", "-C", build, "-t", "commands", "-s", program))
    libraries = archives + re.findall(r"=> (/\S+)", output("ldd", f"{build}/{program}"))
    files = {str(pathlib.Path(library).resolve()) for library in libraries}
    packages = {line.split(": ")[0] for line in output("dpkg", "-S", *files).splitlines()}
    installed = output("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}\n", *packages)
    return {line.split()[0]: line.split()[1] for line in installed.splitlines()}


def problems_of(versions, installed):
    if not versions:
        yield f"{PAGE} has no table with Package and Version"
    for package, there in sorted(installed.items()):
        version = versions.get(package)
        if package not in SYSTEM and version is None:
            yield f"{package} is linked and not in {PAGE}: look up its published weaknesses"
        elif package not in SYSTEM and version != there:
            yield (f"{package}: {PAGE} is about {version}, installed is {there}: look up what "
                   "its changelog says and correct the tables")


def main(arguments):
    root, build, *programs = arguments
    if not is_debian_12():
        print("not compared: the tables are about Debian 12")
        return 0
    versions = written((pathlib.Path(root) / PAGE).read_text())
    installed = {name: version for program in programs
                 for name, version in linked(build, program).items()}
    problems = list(problems_of(versions, installed))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
