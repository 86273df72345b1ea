#!/usr/bin/env python3
"""Checks the JSON Schema of policies against the loader.

Usage: check_schema.py current ROOT MULLIGAN    the file in deploy/ is up to date
       check_schema.py honest ROOT MULLIGAN     it accepts shipped policies and
                                                rejects only what the loader does
       check_schema.py structural ROOT MULLIGAN the CRD form is structural
       check_schema.py crd ROOT MULLIGAN        the CRD in deploy/ has that form;
                                                a fourth argument --update
                                                writes it there

`honest` removes, misspells, retypes and empties every key of every shipped policy.
The loader must reject whatever the schema rejects, and the schema must reject
misspelt keys and empty lists.
"""

import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

try:
    import jsonschema
except ImportError:
    jsonschema = None

SKIPPED = 77
POLICIES = ("deploy/policies/*.yaml", "policy/*_policy.yaml",
            "tests/policies/good/*.yaml")
# Maps whose keys the author chooses, and objects that other projects define.
FREE = ("budgets", "matchLabels", "versions", "featureGates", "settings",
        "pasted")


def run(mulligan, *arguments):
    return subprocess.run([mulligan, *arguments], capture_output=True,
                          text=True)


def schema_of(mulligan, *arguments):
    return run(mulligan, "policy", "schema", *arguments).stdout


def documents(root):
    for pattern in POLICIES:
        for file in sorted(root.glob(pattern)):
            if not file.stem.endswith("_test"):
                for number, document in enumerate(
                        yaml.safe_load_all(file.read_text())):
                    yield f"{file.name}[{number}]", document


def mutations(node, path=()):
    """Yields (description, must be rejected, change of the document)."""

    def change(apply):
        def on(root):
            for step in path:
                root = root[step]
            apply(root)
        return on

    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from mutations(item, (*path, index))
    if not isinstance(node, dict):
        return
    free = path and path[-1] in FREE
    for key, value in node.items():
        here = ".".join(map(str, (*path, key)))
        yield f"without {here}", False, change(lambda n, k=key: n.pop(k))
        if not free and "pasted" not in path:
            yield f"misspelt {here}", True, change(
                lambda n, k=key: n.update({k + "zzz": n.pop(k)}))
        other = 1.5 if isinstance(value, str) else "zzz"
        yield f"{here} = {other!r}", False, change(
            lambda n, k=key, o=other: n.update({k: o}))
        if isinstance(value, (dict, list)) and value and "pasted" not in path:
            yield f"{here} is empty", isinstance(value, list), change(
                lambda n, k=key, v=value: n.update({k: type(v)()}))
        yield from mutations(value, (*path, key))


def loads(mulligan, folder, document):
    file = Path(folder) / "p.yaml"
    file.write_text(yaml.safe_dump(document))
    return run(mulligan, "policy", "check", str(file)).returncode == 0


def honest(root, mulligan):
    validator = jsonschema.Draft7Validator(json.loads(schema_of(mulligan)))
    validator.check_schema(validator.schema)
    problems = []
    refused = 0
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        for name, document in documents(root):
            for error in validator.iter_errors(document):
                problems.append(f"{name}: refused: {error.message}")
            for what, wrong, apply in mutations(document):
                # All rules are alike, so each change of a key is tried once.
                kind = "".join(c for c in what if not c.isdigit())
                if kind in seen:
                    continue
                seen.add(kind)
                mutant = copy.deepcopy(document)
                apply(mutant)
                if validator.is_valid(mutant):
                    if wrong:
                        problems.append(f"{name}: accepted: {what}")
                    continue
                refused += 1
                if loads(mulligan, folder, mutant):
                    problems.append(f"{name}: too strict: {what}")
    print(f"{refused} changes refused")
    if refused < 300:
        problems.append("too few changes were refused to be conclusive")
    return problems


def current(root, mulligan):
    file = root / "deploy/policies/schema.json"
    if file.read_text() == schema_of(mulligan):
        return []
    return [f"mulligan policy schema > {file.relative_to(root)}"]


def structural(_, mulligan):
    """The rules for structural schemas of the Kubernetes documentation."""
    problems = []

    def check(schema, path):
        preserves = schema.get("x-kubernetes-preserve-unknown-fields")
        if not isinstance(schema.get("type"), str):
            problems.append(f"{path}: no single type")
        if "properties" in schema and "additionalProperties" in schema:
            problems.append(f"{path}: properties and additionalProperties")
        if schema.get("additionalProperties") is False:
            problems.append(f"{path}: additionalProperties: false")
        if not isinstance(schema.get("exclusiveMinimum", True), bool):
            problems.append(f"{path}: exclusiveMinimum: not a boolean")
        for forbidden in ("$ref", "definitions", "$schema", "title"):
            if forbidden in schema:
                problems.append(f"{path}: has {forbidden}")
        for part in schema.get("anyOf", []):
            if set(part) - {"required"}:
                problems.append(f"{path}: more than values within anyOf")
        if schema.get("type") == "array" and "items" not in schema:
            problems.append(f"{path}: no items")
        if (schema.get("type") == "object" and not preserves
                and not path.endswith(".metadata")
                and not {"properties", "additionalProperties"} & set(schema)):
            problems.append(f"{path}: everything would be dropped")
        for key, value in schema.get("properties", {}).items():
            check(value, f"{path}.{key}")
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict):
                check(schema[key], f"{path}.{key}")

    check(json.loads(schema_of(mulligan, "--form", "crd")), "")
    return problems


def crd(root, mulligan, *update):
    """Checks that the definition's policy schema has the form for a CRD; names,
    columns and status are only there."""
    file = root / "deploy/controller/retrypolicies.yaml"
    text = file.read_text()
    definition = yaml.safe_load(text)
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    policy = json.loads(schema_of(mulligan, "--form", "crd"))
    wanted = {"description": policy["description"],
              "required": policy["required"],
              "properties": {**schema["properties"],
                             "spec": policy["properties"]["spec"]}}
    if not update:
        if wanted.items() <= schema.items():
            return []
        return [f"python3 tests/structure/check_schema.py crd . MULLIGAN "
                f"--update writes {file.relative_to(root)}"]
    schema.update(wanted)
    header = "".join(line for line in text.splitlines(keepends=True)
                     if line.startswith("#"))
    file.write_text(header + yaml.safe_dump(definition, allow_unicode=True))
    return []


def main():
    if len(sys.argv) != 4 and sys.argv[4:] != ["--update"]:
        sys.exit(__doc__)
    checks = {"current": current, "honest": honest, "structural": structural,
              "crd": crd}
    if sys.argv[1] == "honest" and jsonschema is None:
        print("skipped: needs python3-jsonschema")
        sys.exit(SKIPPED)
    problems = checks[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
