"""Numbers, times and conditions as Kubernetes sends them, brought into range."""

from collections.abc import Iterable
from datetime import UTC, datetime

from agent.core.evidence import Condition
from agent.core.exit_status import as_int32
from agent.core.identity.conditions import PREFIX
from agent.kube import objects

_BITS = 32
_LOWEST = -(1 << (_BITS - 1))
_HIGHEST = (1 << (_BITS - 1)) - 1


def aware(at: datetime | None) -> datetime | None:
    """The time in UTC. One without a zone counts as UTC; one that UTC cannot express counts as absent."""
    if at is None or at.tzinfo is UTC:
        return at
    if at.tzinfo is None:
        return at.replace(tzinfo=UTC)
    try:
        return at.astimezone(UTC)
    except OverflowError:
        return None


def int32(number: int | None) -> int | None:
    """The number as an int32, as Kubernetes stores exit codes: 3221225477 is -1073741819. Larger ones are absent."""
    if number is None or _LOWEST <= number <= _HIGHEST:
        return number
    folded = as_int32(number)
    return None if folded == number else folded


def count(number: int | None) -> int:
    """A count, brought between 0 and what an int32 holds; absent is 0."""
    if not number or number < 0:
        return 0
    return min(number, _HIGHEST)


def read_conditions(conditions: Iterable[objects.PodCondition] | None) -> tuple[Condition, ...]:
    """The conditions as evidence, in the order they were given.

    ``aware`` is called only for a time that it changes: a call takes longer than the rest of a condition.
    """
    return tuple(
        [
            Condition(
                type=condition.type or "",
                status=condition.status or "",
                reason=condition.reason or "",
                message=condition.message or "",
                transitioned_at=at if (at := condition.lastTransitionTime) is None or at.tzinfo is UTC else aware(at),
                heartbeat_at=aware(condition.lastHeartbeatTime) if condition.lastHeartbeatTime else None,
            )
            for condition in conditions or ()
        ]
    )


def our_conditions(pod: objects.Pod) -> frozenset[str]:
    """The types of our conditions that the pod has with the status True."""
    return frozenset(
        condition.type
        for condition in pod.status.conditions or ()
        if condition.status == "True" and condition.type and condition.type.startswith(PREFIX)
    )
