"""The reconcile loop: changes of pods, events and nodes become occurrences, and these become cases.

One pod is reconciled at a time, under a lock of its own, on one event loop. A pod that must be reconciled again without
a change goes into a delay queue, like requeue-after in controller-runtime. A burst makes no task and no request per
pod: cases are worked off as changes are read, or wait in a heap. Only logs and listed events are read by workers, of
which there is a fixed number.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Protocol
from weakref import WeakValueDictionary

import structlog

from agent.cluster.actions.refetch import refetch_queue
from agent.cluster.actions.removal import Removals
from agent.cluster.actions.workqueue import PodWorkqueue
from agent.cluster.diagnosis.diagnoser import Diagnoser
from agent.cluster.evidence.case import OpenCases
from agent.cluster.evidence.events import about_uid
from agent.cluster.evidence.gather import EvidenceGatherer, OwnerChange
from agent.cluster.pods.backlog import Backlog, deferred_entry
from agent.cluster.pods.due import DueQueue
from agent.cluster.pods.registry import PodRegistry
from agent.cluster.pods.tracked import TrackedPod, lasting
from agent.cluster.runs.reports import RunReports
from agent.cluster.spool.writer import Saved, SpoolWriter
from agent.kube import objects
from agent.kube.pods import Lookup
from agent.kube.reflector.cache import Change, ChangeKind
from agent.observe.checks.pending import UNSTARTED, PendingPodChecks
from agent.observe.deadlines import Deadlines
from agent.observe.doubt import Doubt, next_look, postpone_halts
from agent.observe.entry import PodEntry
from agent.observe.occurrence import observe
from agent.observe.removal import is_caused_by_removal, only_finalizers_left
from agent.observe.unstarted import observe_unstarted
from agent.telemetry import cluster_metrics as metrics

_WARNING = "Warning"

_log = structlog.get_logger(__name__)


class _Reconcile(Protocol):
    def __call__(self, uid: str, pod: objects.Pod | None, *, gone: bool) -> Awaitable[None]: ...


class PodController:
    """Takes every change to pods, events, nodes and owners, and has each occurrence diagnosed once.

    While the spool takes nothing, pods are deferred: only their uids are kept, in ``backlog``.
    """

    def __init__(  # noqa: PLR0913 - its collaborators; only app.py and tests put them together
        self,
        *,
        pods: PodRegistry,
        cases: OpenCases,
        gatherer: EvidenceGatherer,
        diagnoser: Diagnoser,
        removals: Removals,
        writer: SpoolWriter,
        hold_queue: PodWorkqueue,
        release_queue: PodWorkqueue,
        deadlines: Deadlines,
        checks: PendingPodChecks,
        lookup: Lookup,
        clock: Callable[[], datetime],
        doubt: Doubt,
        runs: RunReports,
    ) -> None:
        self.diagnoser = diagnoser
        self.cases = cases
        self.backlog = Backlog()
        self.refetch = refetch_queue(lookup, pods, self._on_refetched, clock=clock)
        self._pods = pods
        self._gatherer = gatherer
        self._removals = removals
        self._writer = writer
        self._hold_queue = hold_queue
        self._release_queue = release_queue
        self._deadlines = deadlines
        self._checks = checks
        self._clock = clock
        self._doubt = doubt
        self._runs = runs
        self._due = DueQueue(pods.due_at)
        self._wake = diagnoser.wake
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def use(self, deadlines: Deadlines) -> None:
        """Use these deadlines from the next time a pod is reconciled."""
        self._deadlines = deadlines

    async def on_pod(self, change: Change[objects.Pod, None]) -> None:
        await self._handle(change.uid, change.object, gone=change.kind is ChangeKind.DELETED)

    async def on_event(self, change: Change[objects.Event, None]) -> None:
        event = change.object
        if event is None or change.kind is ChangeKind.DELETED:
            return  # the API server expired it; its content remains valid
        now = self._clock()
        self._gatherer.on_event(change, now=now)
        if (uid := about_uid(event)) is None:
            return
        await self.diagnoser.on_event(uid, warning=event.type == _WARNING, now=now)
        if self._checks.events and (tracked := self._pods.get(uid)) is not None and tracked.pod is not None:
            await self._handle(uid, tracked.pod, gone=False)  # a check of pending pods may ask for this event
        self._wake.set()

    async def on_node(self, change: Change[objects.Node, str]) -> None:
        self._gatherer.on_node(change, now=self._clock())

    async def on_owner(self, change: OwnerChange) -> None:
        self._gatherer.on_owner(change, now=self._clock())

    async def on_gone(self, uid: str, last: objects.Pod | None) -> None:
        """A tombstone is confirmed: the pod is gone; ``last`` is the last state seen of it, if any."""
        await self._handle(uid, last, gone=True)

    async def on_out_of_scope(self, uid: str) -> None:
        """A tombstone is refuted: the pod lives, but this process does not watch it. Forget it and report nothing."""
        if (tracked := self._pods.get(uid)) is not None:
            tracked.left_scope()
            self.backlog.discard(uid)
            self._save(tracked, before=None)

    async def requeue_due(self) -> None:
        """Reconcile pods and diagnose cases when they are due, until cancelled."""
        while True:
            await self.reconcile_due()
            await self._sleep()

    async def reconcile_due(self) -> None:
        """Reconcile all pods and diagnose all cases due now; and the backlog, if the spool takes entries again."""
        now = self._clock()
        if self._writer.problem is None:
            await self._refetch_backlog()
        for uid in self._due.take(now):
            if uid in self._pods.without_state([uid]):
                self.refetch.add([uid])
            else:
                await self._reconcile_kept(uid)
        await self.diagnoser.diagnose_due(now)

    def saved(self, saved: Saved) -> None:
        """The spool has committed these: do to their pods what had to wait for the disk."""
        reports = tuple(saved.reports())
        self.cases.saved(reports, now=self._clock())
        for tracked in self._pods.saved(reports):
            if tracked.to_remove and tracked.entry.removal is not None:
                self._removals.request_deletion(tracked)
                self._requeue(tracked, tracked.pod, now=tracked.entry.removal.since)  # a time may have come meanwhile
            self._pods.pack(tracked)
        for uid in saved.forgotten():
            self._gatherer.events.forget_pod(uid)
        self._release_queue.add(report.pod_uid for report in reports)
        if self.backlog.has_waiting:
            self._wake.set()

    async def _refetch_backlog(self) -> None:
        for uid in self.backlog.take():
            tracked = self._pods.get(uid)
            if tracked is not None and tracked.gone:
                await self._handle(uid, None, gone=True)
            elif tracked is not None:
                self.refetch.add([uid])
            else:
                self.backlog.discard(uid)

    async def _reconcile_kept(self, uid: str) -> None:
        """Reconcile the kept state, read after the wait for room: the pod may have changed or gone meanwhile."""
        reconcile = await self._choose_handler()
        async with self._lock(uid):
            if (tracked := self._pods.get(uid)) is not None and tracked.pod is not None:
                await self._guarded(reconcile(uid, tracked.pod, gone=False), uid)

    async def _on_refetched(self, pod: objects.Pod) -> None:
        await self._handle(pod.metadata.uid or "", pod, gone=False)

    async def _handle(self, uid: str, pod: objects.Pod | None, *, gone: bool) -> None:
        reconcile = await self._choose_handler()
        async with self._lock(uid):
            await self._guarded(reconcile(uid, pod, gone=gone), uid)

    async def _choose_handler(self) -> _Reconcile:
        """Wait until the writer has room for more entries, or cannot have any: then pods are deferred."""
        return self._reconcile if await self._writer.room() else self._defer

    def _lock(self, uid: str) -> asyncio.Lock:
        """One reconciliation at a time per pod: it awaits, and watch or delay queue may bring the pod meanwhile."""
        return self._locks.setdefault(uid, asyncio.Lock())

    async def _guarded(self, reconciling: Awaitable[None], uid: str) -> None:
        try:
            await reconciling
        except Exception:  # noqa: BLE001 - one unforeseen pod must not end the watch of all others
            metrics.BAD_OBJECTS.labels("pod").inc()
            _log.exception("a pod could not be reconciled; nothing is done to it until it changes", uid=uid)

    async def _defer(self, uid: str, pod: objects.Pod | None, *, gone: bool) -> None:
        """The spool accepts nothing: keep the uid in the backlog, and our finalizer on a pod that asks for it."""
        tracked = self._pods.get(uid)
        if pod is not None:
            known = None if tracked is None else tracked.entry
            entry = deferred_entry(known, pod, identities=self._gatherer.identities)
            tracked = tracked or self._pods.add(entry)
            tracked.observed(entry, pod, gone=gone)
        if tracked is None:
            return
        tracked.deferred(gone=gone)
        self.backlog.add(uid, now=self._clock())
        if tracked.to_hold:
            self._hold_queue.add([uid])
        self._pods.pack(tracked)

    async def _reconcile(self, uid: str, pod: objects.Pod | None, *, gone: bool) -> None:
        if uid in self.backlog.uids:
            self.backlog.discard(uid)
        tracked = self._pods.get(uid)
        if tracked is None and (pod is None or gone):
            return  # it came and went before this process knew about it, so there is nothing to compare with
        before = None if tracked is None else tracked.entry
        gone = gone or (tracked is not None and tracked.gone)
        deleted = gone or (pod is not None and only_finalizers_left(pod))
        now = self._clock()
        known = self._gatherer.identities
        entry, occurred = observe(before, pod, deleted=deleted, now=now, deadlines=self._deadlines, identities=known)
        if pod is not None and not deleted:
            events = self._gatherer.events.about_pod(uid) if self._checks else ()
            entry, given_up = observe_unstarted(entry, pod, events, checks=self._checks, now=now)
            occurred = (*occurred, *given_up)
        entry, occurred = postpone_halts(entry, occurred, now=now, doubt=self._doubt)
        if occurred and pod is not None:
            occurred = tuple(
                occurrence
                for occurrence in occurred
                if not is_caused_by_removal(entry.removal, occurrence.occurrence, pod)
            )
        tracked = tracked or self._pods.add(entry)
        tracked.observed(entry, pod, gone=gone)
        if entry.run is not None:
            self._runs.follow(tracked, entry.run, pod, before=before)
        if entry.removal is not None:
            self._writer.put(*await self._removals.follow(tracked, pod, now=now))
        # Counted before anything is saved: an entry that says "ended" must not be spooled before the report.
        cases = self.cases.open(occurred, tracked, pod, now=now)
        tracked.opened(len(cases))
        self._save(tracked, before=before)
        self._requeue(tracked, pod, now=now)
        # Before new cases begin: they are diagnosed with this state already, and have nothing to amend.
        await self.diagnoser.amend(uid, pod, now=now)
        for case in cases:
            await self.diagnoser.begin(case)
        self._pods.pack(tracked)

    def _requeue(self, tracked: TrackedPod, pod: objects.Pod | None, *, now: datetime) -> None:
        """Add the pod to the queues that may concern it, and to the delay queue if a time matters to it."""
        uid = tracked.entry.reference.uid
        if tracked.to_hold:
            self._hold_queue.add([uid])
        if tracked.releasable:
            self._release_queue.add([uid])
        due_at = self._due_at(tracked, now=now)
        if due_at != tracked.due_at:
            self._due.move(uid, before=tracked.due_at, to=due_at)
        unstarted = tracked.entry.halted is None and tracked.entry.phase in UNSTARTED
        tracked.reconciled(pod, due_at=due_at, by_events=unstarted and bool(self._checks.events))
        self._wake.set()

    def _due_at(self, tracked: TrackedPod, *, now: datetime) -> datetime | None:
        """When it is to be reconciled again without news."""
        if tracked.left:
            return None
        times = [tracked.entry.due_at]
        if tracked.entry.removal is not None:
            times += [self._removals.due(tracked), self._pods.force_due(tracked)]
        return next_look(times, now=now, doubt=self._doubt)

    def _save(self, tracked: TrackedPod, *, before: PodEntry | None) -> None:
        """Spool the entry of a pod without open cases, unless nothing lasting changed."""
        if tracked.working:
            return
        if tracked.left or before is None or lasting(before) != lasting(tracked.entry):
            self._writer.put(self._pods.settle(tracked))

    async def _sleep(self) -> None:
        times = [at for at in (self._due.next(), self.diagnoser.next()) if at is not None]
        pause = max(0.0, (min(times) - self._clock()).total_seconds()) if times else None
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._wake.wait()
                self._wake.clear()
