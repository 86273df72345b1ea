#!/usr/bin/env python3
"""Compares two renderings of the chart for what an upgrade would break.

    check_upgrade.py OLD.yaml NEW.yaml

Immutable fields (selectors, requests of volume claims) must not change. No object and no
served version of a resource definition may go. Resource definitions must survive
`helm uninstall`.
"""

import sys
from pathlib import Path

import yaml

KEEP = "helm.sh/resource-policy"
# Immutable fields.
FIXED = {
    "Deployment": ("spec.selector",),
    "StatefulSet": ("spec.selector", "spec.serviceName", "spec.volumeClaimTemplates"),
    "Job": ("spec.selector", "spec.template"),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "CustomResourceDefinition": ("spec.group", "spec.scope", "spec.names.kind", "spec.names.plural"),
    "Service": ("spec.clusterIP",),
}


def objects(path):
    return {(each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"]): each
            for each in yaml.safe_load_all(Path(path).read_text()) if each}


def at(value, path):
    for name in path.split("."):
        value = (value or {}).get(name)
    return value


def problems(old, new):
    for key, before in old.items():
        name = "/".join(filter(None, key))
        after = new.get(key)
        if after is None:
            yield f"{name} is gone"
            continue
        for path in FIXED.get(key[0], ()):
            if at(before, path) != at(after, path):
                yield f"{name}: {path} cannot be changed in place"
        if key[0] == "CustomResourceDefinition":
            served = {version["name"] for version in after["spec"]["versions"] if version["served"]}
            for version in before["spec"]["versions"]:
                if version["name"] not in served:
                    yield f"{name}: version {version['name']} is not served any more"
    for key, after in new.items():
        if key[0] == "CustomResourceDefinition" and at(after, "metadata.annotations") != {KEEP: "keep"}:
            yield f"{'/'.join(filter(None, key))}: {KEEP} is not keep, its objects go with the release"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    old, new = objects(sys.argv[1]), objects(sys.argv[2])
    found = list(problems(old, new))
    print("\n".join(found) if found else f"{len(old)} objects become {len(new)}")
    sys.exit(1 if found or not old else 0)


if __name__ == "__main__":
    main()
