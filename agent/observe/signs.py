"""Signs of a problem in a pod that has not failed. Pure."""

from collections.abc import Iterator

from agent.core.classify.disruption import came_late
from agent.core.evidence import Evidence, StateKind

BENIGN_WAITS = frozenset({"", "ContainerCreating", "PodInitializing"})
"""Reasons of a container that normally waits for its turn."""

PLATFORM_CONDITIONS = {"DisruptionTarget": "True", "TerminationTarget": "True", "PodScheduled": "False"}
"""Conditions with which the platform reports a problem of a pod, and the status that indicates it."""


def sign_of_problem(evidence: Evidence) -> str | None:
    """A description of the first sign of a problem; ``None`` for a healthy pod."""
    return next(_signs(evidence), None)


def _signs(evidence: Evidence) -> Iterator[str]:
    pod = evidence.pod
    if pod.reason:
        yield f"reason {pod.reason}"
    if pod.message:
        yield "the message in its status"
    for condition in pod.conditions:
        if PLATFORM_CONDITIONS.get(condition.type) == condition.status and not came_late(condition, pod):
            yield f"condition {condition.type}={condition.status}"
    for container in pod.containers:
        if container.state.kind is StateKind.WAITING and container.state.reason not in BENIGN_WAITS:
            yield f"container {container.name} waiting: {container.state.reason}"
        ended = container.state if container.ended is not None else None
        if ended is not None and ended.kind is StateKind.TERMINATED and ended.reason not in ("", "Completed"):
            yield f"container {container.name} ended: {container.state.reason}"
    if pod.deleted_at is not None:
        yield "its deletion"
    warning = next((event for event in evidence.events if event.type == "Warning"), None)
    if warning is not None:
        yield f"event {warning.reason}"
