#!/usr/bin/env python3
"""Adds images to an OCI image layout, the same bytes for the same input.

    oci_layout.py LAYOUT VERSION NAME=DOCKERFILE... -- PLATFORM=ROOT...

LAYOUT is a folder, created if absent. Prints "NAME DIGEST" for each reference in its
index. An image's configuration (user, entry point, ports, labels) is the last stage of
its DOCKERFILE; its one layer is ROOT, owned by root. Every image is an index, even with
one platform. Times are SOURCE_DATE_EPOCH.
"""

import gzip
import hashlib
import io
import json
import os
import re
import shlex
import sys
import tarfile
import time
from pathlib import Path

IMAGE = "application/vnd.oci.image."
REFERENCE = "org.opencontainers.image.ref.name"


def epoch():
    return int(os.environ["SOURCE_DATE_EPOCH"])


def created():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch()))


class Layout:
    """A folder in the form of the OCI image layout specification."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.index = self.folder / "index.json"
        (self.folder / "blobs/sha256").mkdir(parents=True, exist_ok=True)
        (self.folder / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')

    def add(self, media_type, data, **more):
        """Stores a blob and returns its descriptor."""
        if not isinstance(data, bytes):
            data = json.dumps(data, separators=(",", ":"), sort_keys=True).encode()
        digest = hashlib.sha256(data).hexdigest()
        (self.folder / "blobs/sha256" / digest).write_bytes(data)
        return {"mediaType": IMAGE + media_type,
                "digest": f"sha256:{digest}", "size": len(data), **more}

    def refer(self, name, descriptor):
        known = json.loads(self.index.read_text())["manifests"] if self.index.exists() else []
        rows = [row for row in known if row["annotations"][REFERENCE] != name]
        rows.append({**descriptor, "annotations": {REFERENCE: name}})
        rows.sort(key=lambda row: row["annotations"][REFERENCE])
        self.index.write_text(json.dumps({"schemaVersion": 2, "mediaType": IMAGE + "index.v1+json",
                                          "manifests": rows}, indent=1) + "\n")
        print(name, descriptor["digest"])


def last_stage(dockerfile):
    """Returns the instructions of the last stage, as [name, rest]."""
    text = "".join(line for line in Path(dockerfile).read_text().splitlines(keepends=True)
                   if not line.lstrip().startswith("#"))
    rows = [line.split(None, 1) for line in text.replace("\\\n", " ").splitlines() if line.strip()]
    last = max(i for i, row in enumerate(rows) if row[0] == "FROM")
    return rows[last + 1:]


def seconds(text):
    """Returns a duration of a HEALTHCHECK in nanoseconds, the unit of images."""
    return int(re.fullmatch(r"(\d+)s", text)[1]) * 10**9


def health(rest):
    options, command = rest.split("CMD", 1)
    said = dict(word.removeprefix("--").split("=") for word in options.split())
    return {"Test": ["CMD", *json.loads(command)], "Interval": seconds(said["interval"]),
            "Timeout": seconds(said["timeout"]), "StartPeriod": seconds(said["start-period"])}


def container(dockerfile, version):
    """Returns `config` of the image's configuration."""
    config = {"Labels": {"org.opencontainers.image.version": version}}
    read = {
        "USER": lambda rest: {"User": rest},
        "ENTRYPOINT": lambda rest: {"Entrypoint": json.loads(rest)},
        "CMD": lambda rest: {"Cmd": json.loads(rest)},
        "EXPOSE": lambda rest: {"ExposedPorts": {f"{port}/tcp": {} for port in rest.split()}},
        "HEALTHCHECK": lambda rest: {"Healthcheck": health(rest)},
        "LABEL": lambda rest: {"Labels": config["Labels"] | dict(
            word.split("=", 1) for word in shlex.split(rest))},
        "COPY": lambda rest: {},  # is in ROOT
    }
    for name, rest in last_stage(dockerfile):
        if name not in read:
            sys.exit(f"error: {dockerfile}: {name} is not known here, only {', '.join(read)}")
        config |= read[name](rest)
    return config


def layer(root):
    """Returns ROOT as a tar: sorted, owned by root, with equal times."""
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = epoch()
        return entry
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(Path(root).rglob("*")):
            tar.add(path, path.relative_to(root).as_posix(), recursive=False, filter=plain)
    return buffer.getvalue()


def add_images(folder, version, *rest):
    layout = Layout(folder)
    at = rest.index("--")
    layers = []
    for each in rest[at + 1:]:
        platform, root = each.split("=", 1)
        data = layer(root)
        layers.append((dict(zip(("os", "architecture"), platform.split("/"))),
                       f"sha256:{hashlib.sha256(data).hexdigest()}",
                       layout.add("layer.v1.tar+gzip", gzip.compress(data, 6, mtime=0))))
    for each in rest[:at]:
        name, dockerfile = each.split("=", 1)
        config = container(dockerfile, version)
        manifests = []
        for platform, content, packed in layers:
            described = layout.add("config.v1+json", {
                "created": created(), **platform, "config": config,
                "rootfs": {"type": "layers", "diff_ids": [content]},
                "history": [{"created": created(), "created_by": "scripts/release"}]})
            manifests.append(layout.add("manifest.v1+json", {
                "schemaVersion": 2, "mediaType": IMAGE + "manifest.v1+json",
                "config": described, "layers": [packed]}, platform=platform))
        layout.refer(name, layout.add("index.v1+json", {
            "schemaVersion": 2, "mediaType": IMAGE + "index.v1+json", "manifests": manifests,
            "annotations": {"org.opencontainers.image.version": version}}))


if __name__ == "__main__":
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    add_images(*sys.argv[1:])
