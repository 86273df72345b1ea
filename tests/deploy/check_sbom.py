#!/usr/bin/env python3
"""Compares the SBOM of an image root with the root, file by file.

Usage: check_sbom.py ROOT

The packages are those that dpkg (of DPKG_ADMINDIR) knows.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

SBOM = "usr/share/mulligan/sbom.spdx.json"
FIELDS = ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo")
# A file and the package that must be told for it: proof that owners are found.
KNOWN = {"./usr/bin/mulligan-server": "mulligan",
         "./usr/lib/{triplet}/libgrpc++.so.1.51": "libgrpc++1.51",
         "./usr/lib/{triplet}/libssl.so.3": "libssl3",
         "./etc/ssl/certs/ca-certificates.crt": "ca-certificates"}


def file_problems(root, sbom):
    told = {entry["fileName"]: entry for entry in sbom["files"]}
    there = {"./" + path.relative_to(root).as_posix(): path for path in root.rglob("*")
             if path.is_file() and not path.is_symlink() and path != root / SBOM}
    for name in sorted(set(told) ^ set(there)):
        yield f"{name}: {'is not told' if name in there else 'does not exist'}"
    for name in sorted(set(told) & set(there)):
        sums = {row["algorithm"]: row["checksumValue"] for row in told[name]["checksums"]}
        if sums.get("SHA256") != hashlib.sha256(there[name].read_bytes()).hexdigest():
            yield f"{name}: its SHA-256 is another one"


def package_problems(sbom):
    for package in sbom["packages"]:
        if package["name"] == "mulligan":
            continue
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package["name"]],
                                 capture_output=True, text=True).stdout
        if package["versionInfo"] != version:
            yield f"{package['name']}: {package['versionInfo']}, dpkg has {version or 'none'}"


def relation_problems(root, sbom):
    triplet = next(root.glob("usr/lib/*-linux-gnu")).name
    known_owners = {name.format(triplet=triplet): owner for name, owner in KNOWN.items()}
    names = {entry["SPDXID"]: entry.get("name") for entry in sbom["packages"]}
    known = set(names) | {entry["SPDXID"] for entry in sbom["files"]} | {"SPDXRef-DOCUMENT"}
    if len(known) != len(sbom["packages"]) + len(sbom["files"]) + 1:
        yield "two elements have one identifier"
    origins, contained = {}, set()
    for row in sbom["relationships"]:
        for side in ("spdxElementId", "relatedSpdxElement"):
            if row[side] not in known:
                yield f"{row[side]} is related and not there"
        if row["relationshipType"] == "CONTAINS":
            contained.add(row["relatedSpdxElement"])
        if row["relationshipType"] in ("EXPANDED_FROM_ARCHIVE", "GENERATED_FROM"):
            origins.setdefault(row["spdxElementId"], []).append(names[row["relatedSpdxElement"]])
    for entry in sbom["files"]:
        owners = origins.get(entry["SPDXID"], ["mulligan"])
        if len(owners) != 1 or entry["SPDXID"] not in contained:
            yield f"{entry['fileName']}: of {owners}, or not contained"
        elif known_owners.get(entry["fileName"], owners[0]) != owners[0]:
            yield f"{entry['fileName']}: of {owners[0]}"
    for name in set(known_owners) - {entry["fileName"] for entry in sbom["files"]}:
        yield f"{name}: not in the image"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = Path(sys.argv[1])
    sbom = json.loads((root / SBOM).read_text())
    found = [f"{field} is missing" for field in FIELDS if not sbom.get(field)]
    found += [*file_problems(root, sbom), *package_problems(sbom), *relation_problems(root, sbom)]
    for problem in found:
        print(problem)
    print(f"{len(sbom['files'])} files of {len(sbom['packages'])} packages, {len(found)} problems")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
