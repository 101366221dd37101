"""Metrics of resources: retry policies, queues and error rules of the store."""

from typing import Final

from prometheus_client import Counter, Gauge

REVISION: Final = Gauge(
    "failure_agent_resources_revision", "The latest change of a resource that this scheduler has taken over."
)
LOAD_FAILED: Final = Gauge(
    "failure_agent_resources_load_failed",
    "1 while resources cannot be loaded from the store: the last good ones are in force.",
)
LOAD_FAILURES: Final = Counter("failure_agent_resources_load_failures", "Failed loads of resources from the store.")
UNUSABLE: Final = Gauge(
    "failure_agent_resources_unusable",
    "Stored documents that do not compile: the last version that does is in force, if there is one.",
)
SHADOWED: Final = Gauge(
    "failure_agent_resources_shadowed", "Stored retry policies that are not in force because a file has their name."
)
CHANGES: Final = Counter("failure_agent_resource_changes", "Changes of resources over the API.", ["kind", "change"])


def loaded(revision: int, *, unusable: int) -> None:
    """Say that the resources of this revision are in force."""
    REVISION.set(revision)
    UNUSABLE.set(unusable)
    LOAD_FAILED.set(0)


def failed() -> None:
    """Say that a load failed."""
    LOAD_FAILED.set(1)
    LOAD_FAILURES.inc()
