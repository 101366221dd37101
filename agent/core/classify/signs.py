"""Signs: the single facts in a pod's status that define a named condition.

Kubernetes and its runtimes write them, not the programs in the pod. One fact is also read where programs quote it:
``RequestExceedsQuota``. Its ``Seen.trust`` says so, and it is a guard: it lends no weight
(``matchers.conditions.GUARDS``).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from agent.core.classify.disruption import came_late
from agent.core.classify.pod_facts import PodFact, is_fact, trust_in
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, StateKind
from agent.core.failure import Trust


class Scope(StrEnum):
    """Whether a condition is about the pod or about one of its containers.

    Only a condition of a container honours a rule's ``containerName``.
    """

    POD = "pod"
    CONTAINER = "container"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodReason:
    """``status.reason`` of the pod."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodReasonPrefix:
    """``status.reason`` of the pod starts with this text and is longer."""

    prefix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodConditionIs:
    """A condition of the pod has this type and status, and this reason if one is given."""

    type: str
    status: str = "True"
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventReason:
    """An event about the pod has this reason."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodIs:
    """A fact holds of the pod as a whole."""

    fact: PodFact


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedReason:
    """A container exited for this reason, with a non-zero code, or (``cleanly``) with code 0."""

    reason: str
    cleanly: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedKind:
    """A container of this kind exited with a non-zero code."""

    kind: ContainerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedSilently:
    """A container exited with a non-zero code and left no message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingReason:
    """A container that is not ephemeral waits for this reason."""

    reason: str


PodSign = PodReason | PodReasonPrefix | PodConditionIs | EventReason | PodIs
ContainerSign = EndedReason | EndedKind | EndedSilently | WaitingReason
Sign = PodSign | ContainerSign


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A sign that was seen: the place, as text, its value, and who wrote it."""

    where: str
    text: str
    trust: Trust = Trust.SYSTEM


def failed(container: Container) -> ContainerState | None:
    """How the container exited, if with a non-zero code, as Armada chooses the containers that its matchers see.

    An exit code that was not reported is unknown, not 0.
    """
    ended = container.ended
    return ended if ended is not None and ended.exit_code != 0 else None


def see_in_pod(sign: PodSign, evidence: Evidence) -> Seen | None:
    """Look for the sign in the pod's status, conditions and events."""
    pod = evidence.pod
    match sign:
        case PodReason(reason=reason):
            return Seen(where=f"pod: reason {reason}", text=reason) if pod.reason == reason else None
        case PodReasonPrefix(prefix=prefix):
            goes_on = pod.reason.startswith(prefix) and pod.reason != prefix
            return Seen(where=f"pod: reason {pod.reason}", text=pod.reason) if goes_on else None
        case PodConditionIs():
            return _see_condition(sign, evidence)
        case EventReason():
            return _see_event(sign, evidence)
        case PodIs(fact=fact):
            return _see_fact(fact, evidence) if is_fact(fact, evidence) else None
        case _:
            assert_never(sign)


def see_in_container(sign: ContainerSign, container: Container) -> Seen | None:
    """Look for the sign in one container's status."""
    where = f"container {container.name}:"
    match sign:
        case EndedReason(reason=reason, cleanly=cleanly):
            ended = container.ended
            if ended is None or ended.reason != reason or (ended.exit_code == 0) != cleanly:
                return None
            return Seen(where=f"{where} reason {reason}{' with exit code 0' if cleanly else ''}", text=reason)
        case EndedKind(kind=kind):
            if container.kind is not kind or failed(container) is None:
                return None
            return Seen(where=f"{where} the {kind} container failed", text=kind.value)
        case EndedSilently():
            ended = failed(container)
            silent = ended is not None and not ended.message
            return Seen(where=f"{where} no termination message", text="") if silent else None
        case WaitingReason(reason=reason):
            state = container.state if container.kind is not ContainerKind.EPHEMERAL else None
            waits = state is not None and state.kind is StateKind.WAITING and state.reason == reason
            return Seen(where=f"{where} waiting, reason {reason}", text=reason) if waits else None
        case _:
            assert_never(sign)


def _see_fact(fact: PodFact, evidence: Evidence) -> Seen:
    return Seen(where=f"pod: {fact}", text=evidence.pod.phase, trust=trust_in(fact, evidence))


def _see_condition(sign: PodConditionIs, evidence: Evidence) -> Seen | None:
    for condition in evidence.pod.conditions:
        said = condition.type == sign.type and condition.status == sign.status
        if said and sign.reason in (None, condition.reason) and not came_late(condition, evidence.pod):
            because = f", reason {condition.reason}" if condition.reason else ""
            return Seen(
                where=f"pod: condition {sign.type} is {sign.status}{because}", text=condition.reason or sign.type
            )
    return None


def _see_event(sign: EventReason, evidence: Evidence) -> Seen | None:
    for event in evidence.events:
        if event.reason == sign.reason:
            return Seen(where=f"event {event.reason}", text=event.reason)
    return None
