"""The kinds of object that are served, and the field labels that each can be selected by."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
"""A JSON object. Objects are never changed in place: whoever changes one makes a new one."""

Path = tuple[str, ...]

_META: Mapping[str, Path] = {"metadata.name": ("metadata", "name")}
_NAMESPACED: Mapping[str, Path] = {**_META, "metadata.namespace": ("metadata", "namespace")}
_NODE_INFO = (
    "architecture",
    "bootID",
    "containerRuntimeVersion",
    "kernelVersion",
    "kubeProxyVersion",
    "kubeletVersion",
    "machineID",
    "operatingSystem",
    "osImage",
    "systemUUID",
)
_STATUS_VERBS = ("get", "patch", "update")
_REFERENCE = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind. ``fields`` are its field labels (Kubernetes: pkg/apis/core/v1/conversion.go) and where they lie.

    ``group`` is ``""`` for the core group. ``bare`` is what even an empty object has, such as that of a bookmark.
    ``versioned``: a replacement must say which version it replaces. ``short_names`` and ``categories`` are what else
    clients may call it, ``parts`` its subresources with their verbs.
    """

    plural: str
    name: str
    namespaced: bool
    fields: Mapping[str, Path]
    bare: Json = field(default_factory=dict)
    group: str = ""
    versioned: bool = False
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def singular(self) -> str:
        return self.name.lower()

    @property
    def api_version(self) -> str:
        return f"{self.group}/v1" if self.group else "v1"

    @property
    def resource(self) -> str:
        """The plural with its group, as the server's messages name it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def qualified(self) -> str:
        """The kind with its group, as the server's messages name it."""
        return f"{self.name}.{self.group}" if self.group else self.name


PODS = Kind(
    plural="pods",
    name="Pod",
    namespaced=True,
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
    bare={"spec": {"containers": None}, "status": {}},
    short_names=("po",),
    categories=("all",),
    parts={"log": ("get",), "status": _STATUS_VERBS},
)
NODES = Kind(
    plural="nodes",
    name="Node",
    namespaced=False,
    fields={**_META, "spec.unschedulable": ("spec", "unschedulable")},
    bare={
        "spec": {},
        "status": {
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
            "nodeInfo": dict.fromkeys(_NODE_INFO, ""),
        },
    },
    short_names=("no",),
    parts={"status": _STATUS_VERBS},
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
    bare={
        "involvedObject": {},
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "eventTime": None,
        "reportingComponent": "",
        "reportingInstance": "",
    },
    short_names=("ev",),
)
NAMESPACES = Kind(
    plural="namespaces",
    name="Namespace",
    namespaced=False,
    fields={**_META, "status.phase": ("status", "phase")},
    bare={"spec": {}, "status": {}},
    short_names=("ns",),
    parts={"status": _STATUS_VERBS},
)
LEASES = Kind(
    plural="leases",
    name="Lease",
    namespaced=True,
    fields=_NAMESPACED,
    bare={"spec": {}},
    group="coordination.k8s.io",
    versioned=True,
)
KINDS: Mapping[str, Kind] = {kind.plural: kind for kind in (PODS, NODES, EVENTS, NAMESPACES, LEASES)}


def at(thing: Json, path: Path) -> object:
    """The value at a path; ``None`` if there is none."""
    value: object = thing
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value
