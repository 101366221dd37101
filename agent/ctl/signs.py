"""Signs: what makes a pod that has not failed worth a look. Pure."""

from agent.core.evidence import Evidence, StateKind

_BENIGN = frozenset({"", "ContainerCreating", "PodInitializing"})
_BAD_CONDITIONS = {"DisruptionTarget": "True", "TerminationTarget": "True", "PodScheduled": "False"}


def sign_of_trouble(evidence: Evidence) -> str | None:
    """The first thing about the pod that is not as it should be, in words; ``None`` for a healthy one."""
    pod = evidence.pod
    if pod.reason:
        return f"reason {pod.reason}"
    if pod.message:
        return "the message in its status"
    for condition in pod.conditions:
        if _BAD_CONDITIONS.get(condition.type) == condition.status:
            return f"condition {condition.type}={condition.status}"
    for container in pod.containers:
        if container.state.kind is StateKind.WAITING and container.state.reason not in _BENIGN:
            return f"container {container.name} waiting: {container.state.reason}"
        if container.state.kind is StateKind.TERMINATED and container.state.reason not in ("", "Completed"):
            return f"container {container.name} ended: {container.state.reason}"
    if pod.deleted_at is not None:
        return "its deletion"
    warning = next((event for event in evidence.events if event.type == "Warning"), None)
    return f"event {warning.reason}" if warning else None
