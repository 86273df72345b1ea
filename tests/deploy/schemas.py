"""Strict schemas of Kubernetes objects: unknown fields are errors.

Read from the OpenAPI v3 documents of an API server and from resource
definitions, as scripts/deploy-check fetches them.
"""

import json

import jsonschema
import yaml


def refuse_unknown(node):
    """Closes every object that names its fields; open maps stay open."""
    if isinstance(node, dict):
        if (isinstance(node.get("properties"), dict)
                and "additionalProperties" not in node
                and not node.get("x-kubernetes-preserve-unknown-fields")
                and not node.get("x-kubernetes-embedded-resource")):
            node["additionalProperties"] = False
        for value in node.values():
            refuse_unknown(value)
    elif isinstance(node, list):
        for value in node:
            refuse_unknown(value)
    return node


def key(group, version, kind):
    return f"{group}/{version}" if group else version, kind


def from_openapi(folder):
    for path in folder.rglob("*.json"):
        document = json.loads(path.read_text())
        named = document.get("components", {}).get("schemas", {})
        # Reads kinds before refuse_unknown closes the fields.
        kinds = [(name, kind) for name, schema in named.items()
                 for kind in schema.get("x-kubernetes-group-version-kind", ())]
        refuse_unknown(named)
        for name, kind in kinds:
            yield key(kind["group"], kind["version"], kind["kind"]), {
                "components": document["components"],
                "$ref": f"#/components/schemas/{name}"}


def from_definitions(folder):
    for path in folder.glob("*.yaml"):
        for document in yaml.safe_load_all(path.read_text()):
            spec = document["spec"]
            for version in spec["versions"]:
                schema = refuse_unknown(version["schema"]["openAPIV3Schema"])
                # Definitions only say that metadata is an object.
                schema["properties"]["metadata"] = {"type": "object"}
                yield key(spec["group"], version["name"],
                          spec["names"]["kind"]), schema


def load(folder):
    """{(apiVersion, kind): validator}"""
    schemas = dict(from_openapi(folder / "openapi"))
    schemas.update(from_definitions(folder / "crds"))
    return {name: jsonschema.Draft7Validator(schema)
            for name, schema in schemas.items()}


def problems(validators, document):
    name = document.get("apiVersion"), document.get("kind")
    if name not in validators:
        yield f"{name[1]} of {name[0]} has no schema"
        return
    for error in validators[name].iter_errors(document):
        path = ".".join(str(step) for step in error.absolute_path)
        yield f"{path}: {error.message[:200]}"
