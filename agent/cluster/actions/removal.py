"""Removals: pods that the agent deletes, and the failures that are held until they are gone.

Everything is on disk before anything is done to a pod: the failure is held in the spool and the pod's entry says
that it is being removed. Our finalizer goes on the pod before it is deleted and comes off when the broker has the
failure, so that until then the API server is the second copy.
"""

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import assert_never

import structlog
from msgspec.structs import replace

from agent.cluster.actions.workqueue import PodWorkqueue
from agent.cluster.evidence.case import Case
from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.spool.entries import Dropped, Released, Replaced, SpoolEntry, event_report
from agent.cluster.spool.spool import Spool
from agent.core.failure import Classification, Failure, Occurrence
from agent.core.run_event import RunEvent
from agent.core.summary.internal import STARTED_AFTER_DELETE, STUCK_TERMINATING, Ruling
from agent.core.summary.overruling import overrule
from agent.kube import objects
from agent.kube.finalizer import FINALIZER
from agent.observe.doubt import Doubt
from agent.observe.event_id import event_id
from agent.observe.removal import (
    Removal,
    RemovalKind,
    RemovalReport,
    advance,
    only_finalizers_left,
    removal_due,
)
from agent.observe.run_pod import is_of_run
from agent.telemetry import cluster_metrics as metrics
from agent.wire import events as wire

UNDELETABLE = "The failed pod could not be deleted, so the job is failed rather than retried."

_log = structlog.get_logger(__name__)


class RunRole:
    """Which pods the agent itself may decide to delete: those in ``namespaces`` whose label ``label`` is not empty.

    Never those of submitted jobs: the scheduler stops them, and waits for what confirms that they no longer live. A
    deletion by force would destroy that.
    """

    def __init__(self, *, namespaces: Collection[str], label: str) -> None:
        self._namespaces = frozenset(namespaces)
        self._label = label

    def may_delete(self, pod: objects.Pod) -> bool:
        labels = pod.metadata.labels or {}
        ours = pod.metadata.namespace in self._namespaces and bool(labels.get(self._label))
        return ours and not is_of_run(pod)


class Removals:
    """Decides which pods are removed, and follows each removal until the pod is gone.

    ``expiry``: how long that may take; while there is ``doubt`` about the clock, without limit. ``delete_queue`` sends
    the requests.
    """

    def __init__(
        self,
        role: RunRole,
        spool: Spool,
        delete_queue: PodWorkqueue,
        *,
        expiry: timedelta,
        doubt: Doubt,
    ) -> None:
        self._role = role
        self._spool = spool
        self._delete_queue = delete_queue
        self._expiry = expiry
        self._doubt = doubt

    def begin(
        self, tracked: TrackedPod, case: Case, kind: RemovalKind, given: Classification, *, now: datetime
    ) -> bool:
        """Begin to remove the case's pod so, if it may be. Returns whether its failure is held until it is gone."""
        if tracked.left or tracked.empty or tracked.entry.removal is not None or not self._role.may_delete(case.pod):
            return False
        # A halted run is reported first: its pod may live on, and the scheduler must know in any case.
        holds = kind is not RemovalKind.HALTED
        removal = Removal(
            kind=kind,
            since=now,
            phase=case.pod.status.phase or "",
            event_id=case.event_id if holds else "",
            category=given.category,
            subcategory=given.subcategory,
            origin=given.origin,
        )
        tracked.removing(removal, case.pod)
        return holds

    def due(self, tracked: TrackedPod) -> datetime | None:
        """When the removal takes too long; ``None`` where nothing is to be done then."""
        removal = tracked.entry.removal
        return removal_due(removal, expiry=self._expiry) if removal is not None and tracked.settled else None

    async def follow(self, tracked: TrackedPod, pod: objects.Pod | None, *, now: datetime) -> Sequence[SpoolEntry]:
        """Advance the removal to the pod's present state. Returns what the spool must remember of it."""
        removal = tracked.entry.removal
        if removal is None:
            return ()
        away = tracked.left or (pod is not None and only_our_finalizer_left(pod))
        expiry = self._expiry if self._doubt() is None else timedelta.max
        after, report = advance(removal, pod, away=away, now=now, expiry=expiry)
        entries = await self._entries_for(tracked, removal, report, now=now)
        if entries is None:
            return ()  # the held failure is still on its way to the disk: reconciled again when it is saved
        if report is RemovalReport.CANCELLED:
            tracked.removal_cancelled()
        else:
            tracked.removal_advanced(after)
        self.request_deletion(tracked)
        return entries

    def request_deletion(self, tracked: TrackedPod) -> None:
        """Add the pod to the delete queue, if its removal is on disk."""
        if tracked.to_remove:
            self._delete_queue.add([tracked.entry.reference.uid])

    async def _entries_for(
        self, tracked: TrackedPod, removal: Removal, report: RemovalReport, *, now: datetime
    ) -> Sequence[SpoolEntry] | None:
        """What the spool must remember; ``None`` if the failure that is to be replaced is not in the spool yet."""
        match report:
            case RemovalReport.NOTHING:
                return ()
            case RemovalReport.HELD:
                metrics.record_failure(removal.category, removal.subcategory, origin=removal.origin)
                return (Released(event_id=removal.event_id),)
            case RemovalReport.CANCELLED:
                _log.info("a pod that could not start has started; it is not removed", pod=tracked.entry.reference.name)
                return (Dropped(event_id=removal.event_id),)
            case RemovalReport.STUCK:
                return await self._replace_held(removal, Occurrence.STUCK_TERMINATING, STUCK_TERMINATING, now=now)
            case RemovalReport.STARTED:
                return await self._replace_held(removal, Occurrence.NEVER_STARTED, STARTED_AFTER_DELETE, now=now)
            case _:
                assert_never(report)

    async def _replace_held(
        self, removal: Removal, occurrence: Occurrence, ruling: Ruling, *, now: datetime
    ) -> Sequence[SpoolEntry] | None:
        payload = await asyncio.to_thread(self._spool.held, removal.event_id)
        if payload is None:
            return None
        event = wire.decode(payload)
        if not isinstance(event.event, Failure):
            raise TypeError(f"the held event is not a failure: {removal.event_id}")
        message = UNDELETABLE if occurrence is Occurrence.STUCK_TERMINATING else ruling.hint
        failure = overrule(event.event, ruling, occurrence=occurrence, message=message)
        found = failure.classification
        metrics.record_failure(found.category, found.subcategory, origin=found.origin)
        replacement = replace(event, event=failure, event_id=_replacement_id(event, occurrence), occurred_at=now)
        return (Replaced(event_id=removal.event_id, report=event_report(replacement)),)


def only_our_finalizer_left(pod: objects.Pod) -> bool:
    """Whether nothing but our finalizer keeps a deleted pod on the API server."""
    return only_finalizers_left(pod) and set(pod.metadata.finalizers or ()) <= {FINALIZER}


def _replacement_id(event: RunEvent, occurrence: Occurrence) -> str:
    """The id is a hash of the occurrence: it changes with it, and only with it."""
    if isinstance(event.event, Failure) and event.event.occurrence is occurrence:
        return event.event_id
    return event_id(event.cluster_id, event.pod.uid, occurrence)
