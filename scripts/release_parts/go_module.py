#!/usr/bin/env python3
"""Writes client/go for a module proxy on a file system: VERSION.info, .mod, .zip.

    go_module.py REPOSITORY FOLDER VERSION

`GOPROXY=file://FOLDER` then serves `go get mulligan.dev/mulligan@vVERSION`. The zip has
the files of git below client/go, except nested modules, and the repository's licence,
like the one that the go command makes from the tag client/go/vVERSION. The same files
give the same bytes.
"""

import json
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path


def files(module):
    """Returns the sorted names of the module's files."""
    known = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=module, check=True, capture_output=True, text=True).stdout.split("\0")
    known = [name for name in known if name and (module / name).is_file() and not (module / name).is_symlink()]
    inner = [name.removesuffix("go.mod") for name in known if name.endswith("/go.mod")]
    return sorted(name for name in known if not any(name.startswith(folder) for folder in inner))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    repository, folder, version = Path(sys.argv[1]), Path(sys.argv[2]), "v" + sys.argv[3]
    module = repository / "client/go"
    path = re.search(r"^module (\S+)$", (module / "go.mod").read_text(), re.M)[1]
    target = folder / path / "@v"
    target.mkdir(parents=True, exist_ok=True)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    (target / "list").write_text(version + "\n")
    (target / f"{version}.info").write_text(json.dumps({"Version": version, "Time": when}) + "\n")
    (target / f"{version}.mod").write_bytes((module / "go.mod").read_bytes())
    content = {name: module / name for name in files(module)}
    content.setdefault("LICENSE", repository / "LICENSE")
    with zipfile.ZipFile(target / f"{version}.zip", "w") as archive:
        for name, source in sorted(content.items()):
                # ZipInfo without a time is the first of 1980, as the go command writes it.
            archive.writestr(zipfile.ZipInfo(f"{path}@{version}/{name}"), source.read_bytes(),
                             zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
