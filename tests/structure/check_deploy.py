#!/usr/bin/env python3
"""Checks that Dockerfile and deploy/ fit the binaries and each other.

Usage: check_deploy.py ROOT MULLIGAN MULLIGAN_SERVER VERSION
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import yaml

FLAG = re.compile(r"--[a-z][a-z0-9-]*")


def flags(words):
    return {match.group() for word in words if (match := FLAG.match(word))}


def known_flags(*command):
    run = subprocess.run([*command, "--help"], capture_output=True, text=True,
                         timeout=30, check=True)
    return set(FLAG.findall(run.stdout + run.stderr))


def documents(root):
    """Returns ({path: [document]}, problems) for the YAML files in deploy/.

    Skips the Helm chart's templates, which are not YAML; scripts/deploy-check renders them.
    """
    parsed, problems = {}, []
    for path in sorted((root / "deploy").rglob("*.yaml")):
        name = path.relative_to(root).as_posix()
        if name.startswith("deploy/helm/") and "/templates/" in name:
            continue
        try:
            parsed[name] = [document for document
                            in yaml.safe_load_all(path.read_text()) if document]
        except yaml.YAMLError as error:
            problems.append(f"{name}: {error}")
    return parsed, problems


def containers(parsed):
    for name, objects in parsed.items():
        for item in objects:
            if item.get("kind") == "Deployment":
                pod = item["spec"]["template"]["spec"]
                for container in pod["containers"]:
                    if container["name"] == "mulligan":
                        yield name, pod, container


def argument(container, flag):
    for word in container.get("args", ()):
        if word.startswith(flag + "="):
            return word.partition("=")[2]
    return ""


def check_transport(name, words):
    """Requires mutual TLS, whoever can reach the port."""
    for flag in ("--tls-cert", "--tls-key", "--tls-client-ca"):
        if flag not in flags(words):
            yield f"{name}: no mutual TLS: {flag} is missing"
    if "--allow-plaintext" in flags(words):
        yield f"{name}: --allow-plaintext must not be a default"


def check_container(name, pod, container, server_flags):
    for flag in sorted(flags(container.get("args", ())) - server_flags):
        yield f"{name}: mulligan-server has no {flag}"
    yield from check_transport(name, container.get("args", ()))
    ports = {str(port["containerPort"]): port["name"]
             for port in container["ports"]}
    for flag in ("--listen-address", "--admin-address"):
        port = argument(container, flag).rpartition(":")[2]
        if port not in ports:
            yield f"{name}: port {port} of {flag} is not a containerPort"
    drain = sum(int(argument(container, flag).removesuffix("s") or 0)
                for flag in ("--drain-delay", "--shutdown-grace"))
    if pod.get("terminationGracePeriodSeconds", 0) <= drain:
        yield f"{name}: terminationGracePeriodSeconds is not above {drain}"
    for mount in container.get("volumeMounts", ()):
        if "subPath" in mount:
            yield f"{name}: {mount['mountPath']} is a subPath mount"
    security = container.get("securityContext", {})
    if (not pod["securityContext"].get("runAsNonRoot")
            or pod["securityContext"].get("seccompProfile")
            != {"type": "RuntimeDefault"}
            or pod.get("automountServiceAccountToken") is not False
            or not security.get("readOnlyRootFilesystem")
            or security.get("allowPrivilegeEscalation") is not False
            or security.get("capabilities", {}).get("drop") != ["ALL"]):
        yield f"{name}: the security context is not restricted"


def exec_arrays(dockerfile, instruction):
    pattern = rf"^\s*{instruction}\s+(\[[^\]]*\])\s*$"
    for array in re.findall(pattern, dockerfile, re.MULTILINE):
        yield json.loads(array)


def check_dockerfile(text, server_flags, healthcheck_flags):
    arrays = list(exec_arrays(text, "CMD"))
    probes = [array for array in arrays if "healthcheck" in array]
    server = [array for array in arrays if "healthcheck" not in array]
    if len(probes) != 1 or len(server) != 1:
        yield "Dockerfile: expected one HEALTHCHECK CMD and one CMD"
        return
    for flag in sorted(flags(probes[0]) - healthcheck_flags):
        yield f"Dockerfile: mulligan healthcheck has no {flag}"
    for flag in sorted(flags(server[0]) - server_flags):
        yield f"Dockerfile: mulligan-server has no {flag}"
    if "--allow-plaintext" in flags(server[0]):
        yield "Dockerfile: --allow-plaintext must not be a default"
    if not re.search(r"^USER 65532", text, re.MULTILINE):
        yield "Dockerfile: the image does not run as user 65532"


def check_base(root, parsed, version):
    base = root / "deploy/kustomize/base"
    kustomization = parsed["deploy/kustomize/base/kustomization.yaml"][0]
    for resource in kustomization["resources"]:
        if not (base / resource).exists():
            yield f"kustomization.yaml: {resource} does not exist"
    tags = [image["newTag"] for image in kustomization["images"]]
    if tags != [version]:
        yield f"kustomization.yaml: newTag is {tags}, the version {version}"
    for generator in kustomization["configMapGenerator"]:
        for file in generator.get("files", ()):
            if not (base / file).exists():
                yield f"kustomization.yaml: {file} does not exist"


def check_chart(parsed, version):
    chart = parsed["deploy/helm/mulligan/Chart.yaml"][0]
    for key in ("version", "appVersion"):
        if chart[key] != version:
            yield f"Chart.yaml: {key} is {chart[key]}, the version {version}"


def check(root, version, server_flags, healthcheck_flags):
    parsed, problems = documents(root)
    found = list(containers(parsed))
    if not found:
        problems.append("deploy/: no Deployment found")
    for name, pod, container in found:
        problems += check_container(name, pod, container, server_flags)
    problems += check_dockerfile((root / "Dockerfile").read_text(),
                                 server_flags, healthcheck_flags)
    problems += check_base(root, parsed, version)
    problems += check_chart(parsed, version)
    return problems


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    root, mulligan, server, version = sys.argv[1:]
    problems = check(Path(root), version, known_flags(server),
                     known_flags(mulligan, "healthcheck"))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
