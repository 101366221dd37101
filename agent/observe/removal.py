"""Removal: a pod that the agent itself deletes, and when its failure is reported.

A pod that failed, or that cannot start and is to be retried, is deleted first and reported once it is gone, because
then its name is free for the next run. A halted run is reported first and deleted afterwards. Armada's executor does
the same (armadaproject/armada internal/executor/service/pod_issue_handler.go).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from agent.core.failure import HALTS, CategoryAction, CheckAction, CheckFinding, Occurrence, Origin
from agent.kube import objects
from agent.observe.checks.failed import has_started
from agent.observe.deadlines import later
from agent.observe.values import aware

_STARTED = frozenset({"Running", "Succeeded"})


class RemovalKind(StrEnum):
    """Why a pod is removed. ``FAILED`` and ``UNSTARTED`` are reported once it is gone, ``HALTED`` before."""

    FAILED = "failed"
    UNSTARTED = "unstarted"
    HALTED = "halted"


class Removal(Struct, frozen=True, gc=False, kw_only=True):
    """A removal under way.

    ``phase`` is the pod's at the time of the decision. ``event_id`` is that of the failure held until the pod is gone,
    with its category and origin; empty if none is held. ``reported``: another failure was reported instead of the held
    one. ``without_finalizer``: the pod was not gone in time, and is deleted without waiting for our finalizer.
    """

    kind: RemovalKind
    since: datetime
    phase: str = ""
    event_id: str = ""
    category: str = ""
    subcategory: str = ""
    origin: Origin = Origin.UNKNOWN
    # spools that exist have it under this name
    reported: bool = field(default=False, name="told")
    without_finalizer: bool = field(default=False, name="unheld")

    @property
    def holds(self) -> bool:
        """Whether a failure is held until the pod is gone."""
        return self.event_id != "" and not self.reported


class RemovalReport(StrEnum):
    """What to report of a removal now.

    ``HELD``: the held failure, as it was. ``STUCK``: the pod cannot be deleted. ``STARTED``: the pod started although
    its deletion was asked for. ``CANCELLED``: its phase changed before that, so it stays and nothing is reported.
    """

    NOTHING = "nothing"
    HELD = "held"
    STUCK = "stuck"
    STARTED = "started"
    CANCELLED = "cancelled"


def plan_removal(occurrence: Occurrence, *, action: CategoryAction, check: CheckFinding | None) -> RemovalKind | None:
    """How the pod of such a failure is removed; ``None`` if it stays. A check overrides the category's action."""
    if occurrence is Occurrence.POD_FAILED:
        return RemovalKind.FAILED if check is not None or action is CategoryAction.DELETE else None
    if occurrence is Occurrence.NEVER_STARTED and check is not None and check.action is CheckAction.RETRY:
        return RemovalKind.UNSTARTED
    return RemovalKind.HALTED if occurrence in HALTS else None


def advance(
    removal: Removal, pod: objects.Pod | None, *, away: bool, now: datetime, expiry: timedelta
) -> tuple[Removal | None, RemovalReport]:
    """The removal as it is now, ``None`` when it is over, and what to report.

    ``away``: the pod is gone, or only our finalizer keeps it. ``expiry``: how long that may take. A pod that could not
    start is kept if it starts before its deletion was asked for. A failed pod that stays too long is reported as
    stuck; one that never started is only deleted again, because its run is to be retried.
    """
    if away:
        return None, RemovalReport.HELD if removal.holds else RemovalReport.NOTHING
    if not removal.holds or pod is None:
        return removal, RemovalReport.NOTHING
    if removal.kind is RemovalKind.UNSTARTED:
        if is_being_deleted(pod) and _has_left_pending(pod):
            return replace(removal, reported=True), RemovalReport.STARTED
        if not is_being_deleted(pod) and (pod.status.phase or "") != removal.phase:
            return None, RemovalReport.CANCELLED
    end = removal_due(removal, expiry=expiry)
    return (removal, RemovalReport.NOTHING) if end is None or now < end else _expired(removal)


def _expired(removal: Removal) -> tuple[Removal, RemovalReport]:
    if removal.kind is RemovalKind.UNSTARTED:
        return replace(removal, without_finalizer=True), RemovalReport.NOTHING
    return replace(removal, reported=True), RemovalReport.STUCK


def is_caused_by_removal(removal: Removal | None, occurrence: Occurrence, pod: objects.Pod) -> bool:
    """Whether the pod only failed because we deleted it before it started: the kubelet then calls it Failed."""
    return (
        removal is not None
        and removal.kind is RemovalKind.UNSTARTED
        and occurrence is Occurrence.POD_FAILED
        and is_being_deleted(pod)
        and not has_started(pod)
    )


def removal_due(removal: Removal, *, expiry: timedelta) -> datetime | None:
    """When the removal takes too long; ``None`` if that was noticed already, or no failure is held."""
    return later(removal.since, expiry) if removal.holds and not removal.without_finalizer else None


def _has_left_pending(pod: objects.Pod) -> bool:
    """Whether it started. Phase Failed alone does not prove that; Running does, even before a container status."""
    return pod.status.phase in _STARTED or has_started(pod)


def is_being_deleted(pod: objects.Pod) -> bool:
    return pod.metadata.deletionTimestamp is not None


def only_finalizers_left(pod: objects.Pod) -> bool:
    """Whether nothing but finalizers keeps a deleted pod on the API server.

    It waits for no kubelet: deleted with grace period 0, as the kubelet does at the end, and the server itself for a
    pod that has no node (Kubernetes pkg/registry/core/pod/strategy.go, CheckGracefulDelete).
    """
    return is_being_deleted(pod) and pod.metadata.deletionGracePeriodSeconds == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """One request to delete a pod: only at this version (``""`` is any); ``by_force`` does not wait for its node."""

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
    """The request to make now, if any. ``deleted_at`` is the deletionTimestamp: when the grace period ends or ended."""
    if deleted_at is None:
        # A pod that could not start may start meanwhile: delete it only in the state that was judged.
        unchanged = removal.kind is RemovalKind.UNSTARTED and not removal.reported
        return Deletion(resource_version=resource_version if unchanged else "")
    force_at = force_due(deleted_at, kill_timeout=kill_timeout)
    return Deletion(by_force=True) if force_at is not None and now >= force_at else None


def force_due(deleted_at: datetime | None, *, kill_timeout: timedelta | None) -> datetime | None:
    """When to delete a deleted pod by force; ``None`` is never."""
    at = aware(deleted_at)
    return None if at is None else later(at, kill_timeout)
