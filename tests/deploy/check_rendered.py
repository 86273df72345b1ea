#!/usr/bin/env python3
"""Checks every rendered set of objects against schemas and the rules of rendered.py.

Usage: check_rendered.py RENDERED SCHEMAS BINARIES
"""

import copy
import re
import subprocess
import sys
from pathlib import Path

import rendered
import schemas
import yaml

CONTROLLER = Path(__file__).resolve().parents[2] / "client/go/cmd/mulligan-controller/main.go"
# What must be found in the default chart once it is broken: proof that the
# check sees something. (what is done, part of the expected problem)
BREAKS = {
    "an unknown field": (lambda items: pod_of(items).update(restartPolic="Never"),
                         "restartPolic"),
    "a wrong type": (lambda items: pod_of(items).update(priority="high"), "priority"),
    "another secret": (lambda items: secret_of(items).update(secretName="other"),
                       "Secret other is not in the set"),
    "a flag that is none": (lambda items: container_of(items)["args"].append("--nonsense=1"),
                            "has no --nonsense"),
    "everybody may call": (lambda items: replace_argument(items, "--allow-callers=", "*"),
                           "names nobody in particular"),
    "root": (lambda items: pod_of(items)["securityContext"].pop("runAsNonRoot"),
             "runAsNonRoot"),
    "no memory limit": (lambda items: container_of(items)["resources"].pop("limits"),
                        "no memory limit"),
    "a probe of gRPC": (lambda items: container_of(items)["livenessProbe"]["httpGet"]
                        .update(port="grpc"), "livenessProbe"),
    "a service of nobody": (lambda items: only(items, "Service")["spec"]["selector"]
                            .update(app="other"), "selects no pod"),
    "open to anybody": (lambda items: only(items, "NetworkPolicy")["spec"]["ingress"][0]
                        .pop("from"), "lets anybody"),
}
# The same for the set with the controller.
CONTROLLER_BREAKS = {
    "a flag that the controller has not": (
        lambda items: controller_of(items)["containers"][0]["args"].append("--nonsense=1"),
        "mulligan-controller has no --nonsense"),
    "a caller that the network keeps out": (
        lambda items: named(items, "NetworkPolicy", "mulligan")["spec"]["ingress"][0]["from"].pop(),
        "NetworkPolicy mulligan keeps it from the servers"),
    "a label that any pod may carry": (
        lambda items: named(items, "NetworkPolicy", "mulligan")["spec"]["ingress"][0]["from"][0]
        .update(namespaceSelector={}), "trusts labels that any pod may carry"),
    "a controller that listens to anybody": (
        lambda items: items.remove(named(items, "NetworkPolicy", "mulligan-controller")),
        "Deployment mulligan-controller: no NetworkPolicy selects it"),
    "no way to the API server": (
        lambda items: named(items, "NetworkPolicy", "mulligan-controller")["spec"]["egress"].pop(),
        "does not let out to port 443"),
    "no way to the service": (
        lambda items: named(items, "NetworkPolicy", "mulligan-controller")["spec"]["egress"].pop(1),
        "does not let it out to the servers"),
    "workloads that it may write and does not": (
        lambda items: named(items, "ClusterRole", "mulligan-controller")["rules"]
        .append({"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["patch"]}),
        "may patch jobs, which its flags do not need"),
    "acting without the right to": (
        lambda items: controller_of(items)["containers"][0]["args"].append("--mode=act"),
        "may not create jobs, which its flags need"),
    "records that it may not keep": (
        lambda items: named(items, "ClusterRole", "mulligan-controller")["rules"].clear(),
        "may not create retryrecords, which its flags need"),
    "a certificate that may not call": (
        lambda items: certificate(items, "mulligan-controller")["spec"].update(uris=["spiffe://x"]),
        "spiffe://x has a certificate and may not call"),
    "a secret that nobody makes": (
        lambda items: certificate(items, "mulligan-controller")["spec"].update(secretName="other"),
        "Secret mulligan-controller-tls is not in the set"),
    "an issuer that nobody makes": (
        lambda items: certificate(items, "mulligan")["spec"]["issuerRef"].update(name="other"),
        "Issuer other is not in the set"),
    "metrics that nobody can verify": (
        lambda items: certificate(items, "mulligan-controller")["spec"].pop("dnsNames"),
        "does not name mulligan-controller-metrics.mulligan.svc"),
    "a role that is not there": (
        lambda items: named(items, "ClusterRoleBinding", "mulligan-controller")["roleRef"]
        .update(name="admin"), "ClusterRole admin is not in the set"),
    "nodes that it may write": (
        lambda items: named(items, "ClusterRole", "mulligan-controller-cluster")["rules"]
        .append({"apiGroups": [""], "resources": ["nodes"], "verbs": ["patch"]}),
        "may patch nodes, which its flags do not need"),
    "a port that the controller has not": (
        lambda items: named(items, "Service", "mulligan-controller-metrics")["spec"]["ports"][0]
        .update(targetPort="http"), "no port http"),
    "a certificate for another host": (
        lambda items: certificate(items, "mulligan")["spec"].update(dnsNames=["other"]),
        "does not name mulligan.mulligan.svc"),
}


def named(items, kind, name):
    return [item for item in rendered.of_kind(items, kind) if item["metadata"]["name"] == name][0]


def deployment(items, name):
    return named(items, "Deployment", name)


def certificate(items, name):
    return named(items, "Certificate", name)


def controller_of(items):
    return deployment(items, "mulligan-controller")["spec"]["template"]["spec"]


def only(items, kind):
    return rendered.of_kind(items, kind)[0]


def pod_of(items):
    return only(items, "Deployment")["spec"]["template"]["spec"]


def container_of(items):
    return pod_of(items)["containers"][0]


def secret_of(items):
    return [volume["secret"] for volume in pod_of(items)["volumes"] if "secret" in volume][0]


def replace_argument(items, flag, value):
    container = container_of(items)
    container["args"] = [flag + value if word.startswith(flag) else word
                         for word in container["args"]]


def load(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def problems(items, validators, help_texts):
    for item in items:
        for problem in schemas.problems(validators, item):
            yield f"{rendered.name_of(item)}: {problem}"
    yield from rendered.problems(items, help_texts)


def finds_breaks(breaks, items, validators, help_texts):
    for name, (harm, expected) in breaks.items():
        broken = copy.deepcopy(items)
        harm(broken)
        found = "\n".join(problems(broken, validators, help_texts))
        if expected not in found:
            yield f"self-test: {name} is not found: {found or 'nothing is'}"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder, schema_folder, binaries = map(Path, sys.argv[1:])
    validators = schemas.load(schema_folder)
    help_texts = {"server": subprocess.run(
        [binaries / "mulligan-server", "--help"], capture_output=True, text=True,
        check=True, timeout=30).stdout}
    commands = subprocess.run([binaries / "mulligan", "--help"], capture_output=True, text=True,
                              check=True, timeout=30).stdout
    help_texts["replay"] = subprocess.run(
        [binaries / "mulligan", "replay", "--help"], capture_output=True, text=True, check=True,
        timeout=30).stdout if "\n  replay " in commands else ""
    # Of a Go program that is not built here: its flags as its source names them.
    help_texts["controller"] = {f"--{name}" for name in re.findall(
        r'Var\(&f\.[\w.]+, "([a-z0-9-]+)"', CONTROLLER.read_text())}
    found = []
    sets = sorted(folder.glob("*.yaml"))
    objects = 0
    for path in sets:
        items = load(path)
        objects += len(items)
        found += [f"{path.stem}: {problem}"
                  for problem in problems(items, validators, help_texts)]
    for name, breaks in (("helm-default", BREAKS), ("kustomize-controlled", CONTROLLER_BREAKS)):
        found += finds_breaks(breaks, load(folder / f"{name}.yaml"), validators, help_texts)
    for problem in found:
        print(problem)
    print(f"{len(sets)} sets, {objects} objects, {len(BREAKS) + len(CONTROLLER_BREAKS)} breaks, {len(found)} problems")
    sys.exit(1 if found or not objects else 0)


if __name__ == "__main__":
    main()
