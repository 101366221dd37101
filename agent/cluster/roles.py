"""Roles: what the agent asks of the API server, and which file under ``deploy/rbac`` grants it (design 8)."""

from collections.abc import Iterator, Mapping
from typing import Final

from agent.kube.access import Access
from agent.settings.cluster import ClusterSettings
from agent.settings.modes import DeploymentMode

_LEASES: Final = "coordination.k8s.io"

OBSERVE: Final = "deploy/rbac/observe.yaml"
FINALIZE: Final = "deploy/rbac/finalize.yaml"
RUN: Final = "deploy/rbac/run.yaml"
LOGS: Final = "deploy/rbac/logs.yaml"
ELECT: Final = "deploy/rbac/elect.yaml"
OWNERS: Final = "deploy/rbac/owners.yaml"

GRANTED: Final[Mapping[tuple[str, str], str]] = {
    ("get", "namespaces"): OBSERVE,
    ("get", "pods"): OBSERVE,
    ("list", "pods"): OBSERVE,
    ("watch", "pods"): OBSERVE,
    ("list", "events"): OBSERVE,
    ("watch", "events"): OBSERVE,
    ("list", "nodes"): OBSERVE,
    ("watch", "nodes"): OBSERVE,
    ("patch", "pods"): FINALIZE,
    ("create", "pods"): RUN,
    ("delete", "pods"): RUN,
    ("get", "pods/log"): LOGS,
    ("get", "leases"): ELECT,
    ("create", "leases"): ELECT,
    ("update", "leases"): ELECT,
    ("list", "leases"): ELECT,
    ("list", "jobs"): OWNERS,
    ("watch", "jobs"): OWNERS,
    ("list", "jobsets"): OWNERS,
    ("watch", "jobsets"): OWNERS,
}
"""Every verb and resource that a role grants, and the file the role is in."""


def role_of(access: Access) -> str:
    """The file that grants it; ``""`` where none does."""
    return GRANTED.get((access.verb, access.resource), "")


def needed(settings: ClusterSettings) -> tuple[Access, ...]:
    """What these settings need from the start.

    Patching pods is not among it: it is needed where a pod's label asks for our finalizer, and asked for then.
    """
    return tuple(dict.fromkeys([*_observing(settings), *_electing(settings), *_acting(settings)]))


def used_if_granted(settings: ClusterSettings) -> tuple[Access, ...]:
    """What these settings make use of where it is granted, and do without where it is not."""
    if settings.mode is DeploymentMode.DAEMONSET:
        return ()
    return tuple(
        Access(verb=verb, resource=resource, group=group, namespace=namespace)
        for group, resource in (("batch", "jobs"), ("jobset.x-k8s.io", "jobsets"))
        for namespace in settings.watch.namespaces or ("",)
        for verb in ("list", "watch")
    )


def _observing(settings: ClusterSettings) -> Iterator[Access]:
    yield Access(verb="get", resource="namespaces", name="kube-system")
    everywhere = settings.watch.namespaces or ("",)
    on_each_node = settings.mode is DeploymentMode.DAEMONSET
    for namespace in everywhere:
        for verb in ("get", "list", "watch"):
            yield Access(verb=verb, resource="pods", namespace=namespace)
    for namespace in dict.fromkeys((*everywhere, *(("default",) if "" not in everywhere else ()))):
        for verb in ("list",) if on_each_node else ("list", "watch"):
            yield Access(verb=verb, resource="events", namespace=namespace)
    for verb in ("list", "watch"):
        yield Access(verb=verb, resource="nodes")


def _electing(settings: ClusterSettings) -> Iterator[Access]:
    if settings.lease is not None:
        verbs = (
            ("get", "create", "update", "list")
            if settings.mode is DeploymentMode.DAEMONSET
            else ("get", "create", "update")
        )
        for verb in verbs:
            yield Access(verb=verb, resource="leases", group=_LEASES, namespace=settings.lease.namespace)


def _acting(settings: ClusterSettings) -> Iterator[Access]:
    for namespace in settings.run.namespaces:
        for verb in ("create", "delete"):
            yield Access(verb=verb, resource="pods", namespace=namespace)
    for namespace in settings.log_tails.namespaces:
        yield Access(verb="get", resource="pods/log", namespace=namespace)
