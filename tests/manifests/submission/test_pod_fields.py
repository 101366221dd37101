"""The fields of a pod's spec are those that the Kubernetes client knows."""

import re

from kubernetes import client

from agent.manifests.submission.pod_fields import ROOT, pod_types

QUANTITIES = {
    "ResourceRequirements.limits",
    "ResourceRequirements.requests",
    "VolumeResourceRequirements.limits",
    "VolumeResourceRequirements.requests",
    "PodSpec.overhead",
    "EmptyDirVolumeSource.sizeLimit",
    "ResourceFieldSelector.divisor",
}
"""What the client calls text, and the API server reads from a number, too."""


def fields_of(name: str) -> dict[str, str]:
    model = getattr(client, f"V1{name}", None) or getattr(client, f"CoreV1{name}")
    written = {model.attribute_map[field]: of for field, of in model.openapi_types.items()}
    return {field: type_of(f"{name}.{field}", of) for field, of in written.items()}


def type_of(field: str, written: str) -> str:
    short = re.sub(r"\b(?:Core)?V1(?=[A-Z])", "", written)
    of = re.sub(r"List\[(.*)\]", r"[\1]", short).replace("Dict[str, str]", "{str}")
    if field in QUANTITIES:
        return of.replace("str", "quantity")
    return "object" if of in ("datetime", "ObjectMeta") else of


def reached(name: str, seen: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    if name not in seen:
        seen[name] = fields_of(name)
        for of in seen[name].values():
            for inner in re.findall(r"[A-Z]\w+", of):
                reached(inner, seen)
    return seen


def test_the_table_has_every_type_and_field_of_the_client() -> None:
    assert pod_types() == reached(ROOT, {})
