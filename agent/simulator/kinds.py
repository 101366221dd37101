"""The kinds of object that are served, and the field labels each may be selected by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
"""A JSON object. Objects are never changed in place: whoever changes one makes a new one."""

Path = tuple[str, ...]

_META: Mapping[str, Path] = {"metadata.name": ("metadata", "name")}
_NAMESPACED: Mapping[str, Path] = {**_META, "metadata.namespace": ("metadata", "namespace")}
_REFERENCE = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind. ``fields`` are its field labels (Kubernetes: pkg/apis/core/v1/conversion.go) and where they lie."""

    plural: str
    name: str
    namespaced: bool
    fields: Mapping[str, Path]
    has_status: bool = False


PODS = Kind(
    plural="pods",
    name="Pod",
    namespaced=True,
    has_status=True,
    fields={
        **_NAMESPACED,
        "spec.nodeName": ("spec", "nodeName"),
        "spec.restartPolicy": ("spec", "restartPolicy"),
        "spec.schedulerName": ("spec", "schedulerName"),
        "spec.serviceAccountName": ("spec", "serviceAccountName"),
        "status.phase": ("status", "phase"),
        "status.podIP": ("status", "podIP"),
        "status.nominatedNodeName": ("status", "nominatedNodeName"),
    },
)
NODES = Kind(
    plural="nodes",
    name="Node",
    namespaced=False,
    has_status=True,
    fields={**_META, "spec.unschedulable": ("spec", "unschedulable")},
)
EVENTS = Kind(
    plural="events",
    name="Event",
    namespaced=True,
    fields={
        **_NAMESPACED,
        **{f"involvedObject.{name}": ("involvedObject", name) for name in _REFERENCE},
        "reason": ("reason",),
        "type": ("type",),
        "source": ("source", "component"),
        "reportingComponent": ("reportingComponent",),
    },
)
NAMESPACES = Kind(
    plural="namespaces",
    name="Namespace",
    namespaced=False,
    has_status=True,
    fields={**_META, "status.phase": ("status", "phase")},
)
KINDS: Mapping[str, Kind] = {kind.plural: kind for kind in (PODS, NODES, EVENTS, NAMESPACES)}


def at(thing: Json, path: Path) -> object:
    """The value at a path; ``None`` if there is none."""
    value: object = thing
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value
