"""Removal: a pod that the agent itself takes away, and when its failure is told (reference/armada-today.md 1.4, 1.5).

A pod that failed, or that cannot start and is to be tried again, is deleted first and told of when it is gone: its
name is free then. A halted run is told of first and deleted then.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from agent.core.failure import HALTS, CategoryAction, CheckAction, CheckFinding, Occurrence
from agent.kube import objects
from agent.observe.checks.failed import has_started
from agent.observe.deadlines import later
from agent.observe.values import aware

_STARTED = frozenset({"Running", "Succeeded"})


class RemovalKind(StrEnum):
    """Why a pod is removed. ``FAILED`` and ``UNSTARTED`` are told of when they are gone, ``HALTED`` before."""

    FAILED = "failed"
    UNSTARTED = "unstarted"
    HALTED = "halted"


class Removal(Struct, frozen=True, gc=False, kw_only=True):
    """A removal under way.

    ``phase`` is the pod's when it was decided. ``event_id`` is that of the failure held until the pod is gone, with
    its category; empty where nothing is held. ``told``: a failure was told instead of the one held. ``unheld``: our
    finalizer did not come on in time, and the pod is deleted without.
    """

    kind: RemovalKind
    since: datetime
    phase: str = ""
    event_id: str = ""
    category: str = ""
    subcategory: str = ""
    told: bool = False
    unheld: bool = False

    @property
    def holds(self) -> bool:
        """Whether a failure is held until the pod is gone."""
        return self.event_id != "" and not self.told


class Telling(StrEnum):
    """What is to be told of a removal now."""

    NOTHING = "nothing"
    HELD = "held"
    STUCK = "stuck"
    STARTED = "started"
    NOT_ANY_LONGER = "not-any-longer"


def plan_removal(occurrence: Occurrence, *, action: CategoryAction, check: CheckFinding | None) -> RemovalKind | None:
    """How the pod of such a failure is removed; ``None`` where it stays. A check goes before the category's action."""
    if occurrence is Occurrence.POD_FAILED:
        return RemovalKind.FAILED if check is not None or action is CategoryAction.DELETE else None
    if occurrence is Occurrence.NEVER_STARTED and check is not None and check.action is CheckAction.RETRY:
        return RemovalKind.UNSTARTED
    return RemovalKind.HALTED if occurrence in HALTS else None


def advance(
    removal: Removal, pod: objects.Pod | None, *, away: bool, now: datetime, expiry: timedelta
) -> tuple[Removal | None, Telling]:
    """What becomes of a removal, and what is to be told.

    ``away``: nothing but our finalizer holds the pod, or it is gone. ``expiry``: how long it may take to be away.
    A pod that cannot start is let live where it starts before its deletion was asked for. One that failed counts as
    stuck when it stays too long; one that never started is only deleted again, for its run is to be tried again.
    """
    if away:
        return None, Telling.HELD if removal.holds else Telling.NOTHING
    if not removal.holds or pod is None:
        return removal, Telling.NOTHING
    if removal.kind is RemovalKind.UNSTARTED:
        if is_being_deleted(pod) and _has_left_pending(pod):
            return replace(removal, told=True), Telling.STARTED
        if not is_being_deleted(pod) and (pod.status.phase or "") != removal.phase:
            return None, Telling.NOT_ANY_LONGER
    end = removal_due(removal, expiry=expiry)
    return (removal, Telling.NOTHING) if end is None or now < end else _expired(removal)


def _expired(removal: Removal) -> tuple[Removal, Telling]:
    if removal.kind is RemovalKind.UNSTARTED:
        return replace(removal, unheld=True), Telling.NOTHING
    return replace(removal, told=True), Telling.STUCK


def is_our_doing(removal: Removal | None, occurrence: Occurrence, pod: objects.Pod) -> bool:
    """Whether it only happened because we took the pod away: the kubelet calls a pod failed that never started."""
    return (
        removal is not None
        and removal.kind is RemovalKind.UNSTARTED
        and occurrence is Occurrence.POD_FAILED
        and is_being_deleted(pod)
        and not has_started(pod)
    )


def removal_due(removal: Removal, *, expiry: timedelta) -> datetime | None:
    """When a pod that is still there took too long; ``None`` where it did already."""
    return later(removal.since, expiry) if removal.holds and not removal.unheld else None


def _has_left_pending(pod: objects.Pod) -> bool:
    """Whether it started, also where no container is said to have; one the kubelet calls failed may not have."""
    return pod.status.phase in _STARTED or has_started(pod)


def is_being_deleted(pod: objects.Pod) -> bool:
    """Whether somebody asked for the pod's deletion."""
    return pod.metadata.deletionTimestamp is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """One request to delete a pod: only at this version, unless it is empty; ``by_force`` waits for no node."""

    resource_version: str = ""
    by_force: bool = False


def next_deletion(
    removal: Removal,
    *,
    deleted_at: datetime | None,
    resource_version: str,
    now: datetime,
    kill_timeout: timedelta | None,
) -> Deletion | None:
    """The request to make now; ``None`` for none. ``deleted_at`` is when the pod's grace period ends or ended."""
    if deleted_at is None:
        unchanged = removal.kind is RemovalKind.UNSTARTED and not removal.told
        return Deletion(resource_version=resource_version if unchanged else "")
    force_at = force_due(deleted_at, kill_timeout=kill_timeout)
    return Deletion(by_force=True) if force_at is not None and now >= force_at else None


def force_due(deleted_at: datetime | None, *, kill_timeout: timedelta | None) -> datetime | None:
    """When a deleted pod is deleted by force; ``None`` for never."""
    at = aware(deleted_at)
    return None if at is None else later(at, kill_timeout)
