"""Conditions: those of pods and nodes."""

from collections.abc import Iterable

from agent.core.evidence import Condition
from agent.kube import objects
from agent.observe.values import aware


def read_conditions(conditions: Iterable[objects.PodCondition] | None) -> tuple[Condition, ...]:
    """The conditions as evidence, in the order they were given."""
    return tuple(
        [
            Condition(
                type=each.type or "",
                status=each.status or "",
                reason=each.reason or "",
                message=each.message or "",
                transitioned_at=aware(each.lastTransitionTime),
                heartbeat_at=aware(each.lastHeartbeatTime) if each.lastHeartbeatTime else None,
            )
            for each in conditions or ()
        ]
    )
