"""Signs: what makes a pod that has not failed worth a look. Pure."""

from collections.abc import Iterator

from agent.core.evidence import Container, Evidence, StateKind

_BENIGN = frozenset({"", "ContainerCreating", "PodInitializing"})
_BAD_CONDITIONS = {"DisruptionTarget": "True", "TerminationTarget": "True", "PodScheduled": "False"}


def sign_of_trouble(evidence: Evidence) -> str | None:
    """The first thing about the pod that is not as it should be, in words; ``None`` for a healthy one."""
    return next(_signs(evidence), None)


def _signs(evidence: Evidence) -> Iterator[str]:
    pod = evidence.pod
    if pod.reason:
        yield f"reason {pod.reason}"
    if pod.message:
        yield "the message in its status"
    for condition in pod.conditions:
        if _BAD_CONDITIONS.get(condition.type) == condition.status:
            yield f"condition {condition.type}={condition.status}"
    for container in pod.containers:
        yield from _container_signs(container)
    if pod.deleted_at is not None:
        yield "its deletion"
    for event in evidence.events:
        if event.type == "Warning":
            yield f"event {event.reason}"


def _container_signs(container: Container) -> Iterator[str]:
    state = container.state
    if state.kind is StateKind.WAITING and state.reason not in _BENIGN:
        yield f"container {container.name} waiting: {state.reason}"
    if state.kind is StateKind.TERMINATED and state.reason not in ("", "Completed"):
        yield f"container {container.name} ended: {state.reason}"
