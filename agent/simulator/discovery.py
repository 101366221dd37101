"""Discovery: what is served, in the two forms that clients ask for (Kubernetes: pkg/endpoints/discovery)."""

from collections.abc import Iterable, Sequence
from typing import Final

from agent.simulator.kinds import KINDS, Json, Kind

AGGREGATED: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
"""The media type of everything in one document. Older clients ask for one document a group."""

VERBS: Final = ("create", "delete", "get", "list", "patch", "update", "watch")
GROUPS: Final = tuple(sorted({kind.group for kind in KINDS.values() if kind.group}))


def wants_aggregated(accept: str) -> bool:
    return AGGREGATED in accept.replace(" ", "")


def core_versions(address: str) -> Json:
    """The answer of ``/api``; ``address`` is the server's own."""
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": _addresses(address)}


def _addresses(address: str) -> Sequence[Json]:
    return [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]


def group_list() -> Json:
    """The answer of ``/apis``."""
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(name) for name in GROUPS]}


def group(name: str) -> Json:
    """The answer of ``/apis/GROUP``."""
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name)}


def _group(name: str) -> Json:
    version = {"groupVersion": f"{name}/v1", "version": "v1"}
    return {"name": name, "versions": [version], "preferredVersion": version}


def resource_list(group: str) -> Json:
    """The answer of ``/api/v1`` (group ``""``) and of ``/apis/GROUP/v1``."""
    head = {"kind": "APIResourceList"} | ({"apiVersion": "v1"} if group else {})
    resources = [resource for kind in _kinds(group) for resource in _resources(kind)]
    return {**head, "groupVersion": f"{group}/v1" if group else "v1", "resources": resources}


def _resources(kind: Kind) -> Iterable[Json]:
    about = {"namespaced": kind.namespaced, "kind": kind.name}
    yield {"name": kind.plural, "singularName": kind.singular, **about, "verbs": list(VERBS), **_names(kind)}
    for part, verbs in sorted(kind.parts.items()):
        yield {"name": f"{kind.plural}/{part}", "singularName": "", **about, "verbs": list(verbs)}


def _names(kind: Kind) -> Json:
    names = {"shortNames": list(kind.short_names), "categories": list(kind.categories)}
    return {field: given for field, given in names.items() if given}


def aggregated(groups: Sequence[str]) -> Json:
    """Everything about these groups in one document, the answer of ``/api`` (``[""]``) and ``/apis``."""
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": [_aggregated(name) for name in groups],
    }


def _aggregated(group: str) -> Json:
    version = {"version": "v1", "resources": [_resource(kind) for kind in _kinds(group)], "freshness": "Current"}
    return {"metadata": {"name": group} if group else {}, "versions": [version]}


def _resource(kind: Kind) -> Json:
    answers = {"group": "", "version": "", "kind": kind.name}  # those of where it stands
    parts = [
        {"subresource": part, "responseKind": answers, "verbs": list(verbs)}
        for part, verbs in sorted(kind.parts.items())
    ]
    return {
        "resource": kind.plural,
        "responseKind": answers,
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular,
        "verbs": list(VERBS),
        **_names(kind),
        **({"subresources": parts} if parts else {}),
    }


def _kinds(group: str) -> Sequence[Kind]:
    return sorted((kind for kind in KINDS.values() if kind.group == group), key=lambda kind: kind.plural)
