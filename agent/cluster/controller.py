"""Observe: every change to pods, events and nodes becomes occurrences, and these become cases (design 4.1).

Everything here runs on one event loop. A burst makes no task and no request per pod: cases are worked off as changes
are read, wait in a heap, and only logs, where settings allow them, are read by a fixed number of workers.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol
from weakref import WeakValueDictionary

import structlog

from agent.cluster.actions.refetch import Lookup, refetch_queue
from agent.cluster.actions.removal import Removals
from agent.cluster.actions.workqueue import PodWorkqueue
from agent.cluster.delay_queue import DelayQueue
from agent.cluster.diagnosis.diagnoser import Diagnoser
from agent.cluster.evidence.case import open_cases
from agent.cluster.evidence.events import about_uid
from agent.cluster.evidence.gather import EvidenceGatherer
from agent.cluster.pods.backlog import Backlog, unlooked
from agent.cluster.pods.registry import PodRegistry, TrackedPod, just_runs, lasting, only_held
from agent.cluster.spool.entries import Held, Report
from agent.cluster.spool.writer import Saved, SpoolWriter
from agent.kube import objects
from agent.kube.reflector.cache import Change, ChangeKind
from agent.observe.checks.pending import UNSTARTED, PendingPodChecks
from agent.observe.deadlines import Deadlines, earliest
from agent.observe.entry import PodEntry
from agent.observe.occurrence import Occurred, observe
from agent.observe.removal import is_caused_by_removal
from agent.observe.unstarted import observe_unstarted
from agent.telemetry import cluster_metrics as metrics

Clock = Callable[[], datetime]

_WARNING = "Warning"

_log = structlog.get_logger(__name__)


class _Look(Protocol):
    """Does something with the state of a pod."""

    def __call__(self, uid: str, pod: objects.Pod | None, *, gone: bool) -> Awaitable[None]: ...


class PodController:
    """Told of every change to pods, events and nodes; has every occurrence judged once."""

    def __init__(  # noqa: PLR0913 - its collaborators; only app.py and tests put them together
        self,
        *,
        pods: PodRegistry,
        surroundings: EvidenceGatherer,
        judging: Diagnoser,
        removals: Removals,
        writer: SpoolWriter,
        holder: PodWorkqueue,
        releaser: PodWorkqueue,
        deadlines: Deadlines,
        checks: PendingPodChecks,
        lookup: Lookup,
        clock: Clock,
    ) -> None:
        self.judging = judging
        self.backlog = Backlog()
        self.looker = refetch_queue(lookup, pods, self._on_found, clock=clock)
        self._pods = pods
        self._surroundings = surroundings
        self._removals = removals
        self._writer = writer
        self._holder = holder
        self._releaser = releaser
        self._deadlines = deadlines
        self._checks = checks
        self._clock = clock
        self._due: DelayQueue[str] = DelayQueue()
        self._sooner = asyncio.Event()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        judging.on_settled(self._settle)

    def use(self, deadlines: Deadlines) -> None:
        """Give pods in trouble so long from their next look on."""
        self._deadlines = deadlines

    @property
    def in_hand(self) -> int:
        """How many occurrences were seen and are not yet on disk."""
        return self.judging.in_hand

    async def on_pod(self, change: Change[objects.Pod, None]) -> None:
        """A pod appeared, changed or went."""
        await self._look(change.uid, change.object, gone=change.kind is ChangeKind.DELETED)

    async def on_event(self, change: Change[objects.Event, None]) -> None:
        """An event appeared, was told again, or expired (which means nothing)."""
        event = change.object
        if event is None or change.kind is ChangeKind.DELETED:
            return
        self._surroundings.events.put(event, now=self._clock())
        if (uid := about_uid(event)) is None:
            return
        await self.judging.on_event(uid, warning=event.type == _WARNING)
        if self._checks.events and (watched := self._pods.get(uid)) is not None and watched.pod is not None:
            await self._look(uid, watched.pod, gone=False)
        self._sooner.set()

    async def on_node(self, change: Change[objects.Node, str]) -> None:
        """A node appeared, changed or went."""
        if change.kind is not ChangeKind.DELETED and change.object is not None:
            self._surroundings.nodes.put(change.object)
        elif change.previous is not None:
            self._surroundings.nodes.remove(change.previous, now=self._clock())

    async def on_owner(self, change: Change[objects.Job | objects.JobSet, None]) -> None:
        """A Job or JobSet appeared, changed or went."""
        if change.kind is not ChangeKind.DELETED and change.object is not None:
            self._surroundings.owners.put(change.object)
        else:
            self._surroundings.owners.remove(change.uid, now=self._clock())

    async def on_gone(self, uid: str, last: objects.Pod | None) -> None:
        """A pod that was in doubt is gone; ``last`` is the last state seen of it."""
        await self._look(uid, last, gone=True)

    async def on_out_of_sight(self, uid: str) -> None:
        """A pod that was in doubt lives, but is not ours to watch: forget it without a word."""
        if (watched := self._pods.get(uid)) is not None:
            watched.gone = True
            self.backlog.discard(uid)
            self._note(watched, before=None)

    async def look_again(self) -> None:
        """Look at pods and cases whose time has come, until cancelled."""
        while True:
            await self.look_at_due()
            await self._sleep()

    async def look_at_due(self) -> None:
        """Look once at all pods and cases whose time has come, and at the backlog if the spool takes something."""
        now = self._clock()
        if self._writer.problem is None:
            await self._work_off_backlog()
        for uid in self._due.take(now):
            if uid in self._pods.without_state([uid]):
                self.looker.consider([uid])
            else:
                await self._look_unasked(uid)
        await self.judging.judge_due(now)

    def saved(self, saved: Saved) -> None:
        """These are on disk."""
        uids = {self.judging.saved(entry) for entry in saved.entries if isinstance(entry, Report | Held)}
        for uid in uids:
            if (watched := self._pods.get(uid)) is None:
                continue
            if watched.to_remove:
                self._removals.consider(watched)
                self._look_later(watched, watched.pod)
            self._pods.rest(watched)
        self._releaser.consider(uids)
        if self.backlog.has_unasked:
            self._sooner.set()

    async def _work_off_backlog(self) -> None:
        for uid in self.backlog.take():
            watched = self._pods.get(uid)
            if watched is not None and watched.gone:
                await self._look(uid, None, gone=True)
            elif watched is not None:
                self.looker.consider([uid])
            else:
                self.backlog.discard(uid)

    async def _look_unasked(self, uid: str) -> None:
        """Look at what is kept of the pod, as it is once there is room: while waiting it may have changed or gone."""
        look = await self._with_room()
        async with self._lock(uid):
            if (watched := self._pods.get(uid)) is not None and watched.pod is not None:
                await self._safely(look(uid, watched.pod, gone=False), uid)

    async def _on_found(self, pod: objects.Pod) -> None:
        """A pod that was due was asked for; this is its state."""
        await self._look(pod.metadata.uid or "", pod, gone=False)

    async def _look(self, uid: str, pod: objects.Pod | None, *, gone: bool) -> None:
        look = await self._with_room()
        async with self._lock(uid):
            await self._safely(look(uid, pod, gone=gone), uid)

    async def _with_room(self) -> _Look:
        """What to do with a pod, once there is room for what is to be said of it, or none is to be had."""
        return self._look_at if await self._writer.room() else self._put_off

    def _lock(self, uid: str) -> asyncio.Lock:
        """Two looks at one pod do not mix: what the earlier one saw is told first."""
        return self._locks.setdefault(uid, asyncio.Lock())

    async def _safely(self, looking: Awaitable[None], uid: str) -> None:
        try:
            await looking
        except Exception:  # noqa: BLE001 - one pod that nobody foresaw must not end the watch of all others
            metrics.BAD_OBJECTS.labels("pod").inc()
            _log.exception("a pod cannot be understood; it is left as it is", uid=uid)

    async def _put_off(self, uid: str, pod: objects.Pod | None, *, gone: bool) -> None:
        """The spool takes nothing: hold the pod by its uid, and by our finalizer if it asks for that."""
        watched = self._pods.get(uid)
        if pod is not None:
            known = None if watched is None else watched.entry
            entry = unlooked(known, pod, identities=self._surroundings.identities)
            watched = self._pods.remember(watched, entry, pod, gone=gone)
        if watched is None:
            return
        watched.gone = watched.gone or gone
        watched.pod = None
        self.backlog.add(uid, now=self._clock())
        if watched.to_hold:
            self._holder.consider([uid])
        self._pods.rest(watched)

    async def _look_at(self, uid: str, pod: objects.Pod | None, *, gone: bool) -> None:
        self.backlog.discard(uid)
        watched = self._pods.get(uid)
        if watched is None and (pod is None or gone):
            return
        before = None if watched is None else watched.entry
        deleted = gone or (pod is not None and only_held(pod))
        now = self._clock()
        known = self._surroundings.identities
        entry, occurred = observe(before, pod, deleted=deleted, now=now, deadlines=self._deadlines, identities=known)
        if pod is not None and not deleted:
            entry, given_up = self._ask(entry, pod, now=now)
            occurred = (*occurred, *given_up)
        if pod is not None:
            occurred = tuple(each for each in occurred if not is_caused_by_removal(entry.removal, each.occurrence, pod))
        watched = self._pods.remember(watched, entry, pod, gone=gone)
        self._writer.put(*await self._removals.follow(watched, pod, now=now))
        cases = open_cases(occurred, watched, pod, cluster_id=self.judging.diagnosis.cluster_id, observed_at=now)
        watched.working += len(cases)
        if watched.working == 0:
            self._note(watched, before=before)
        self._look_later(watched, pod)
        await self.judging.amend(uid, pod)
        for case in cases:
            await self.judging.begin(case)
        self._pods.rest(watched)

    def _ask(self, entry: PodEntry, pod: objects.Pod, *, now: datetime) -> tuple[PodEntry, tuple[Occurred, ...]]:
        events = self._surroundings.events.about_pod(entry.reference.uid) if self._checks else ()
        return observe_unstarted(entry, pod, events, checks=self._checks, now=now)

    def _look_later(self, watched: TrackedPod, pod: objects.Pod | None) -> None:
        """Have chores considered, and the pod looked at again when there is something to see without news."""
        uid = watched.entry.reference.uid
        if watched.to_hold:
            self._holder.consider([uid])
        now = self._clock()
        times = (watched.entry.due_at, self._removals.due(watched), self._pods.force_due(watched))
        due_at = None if watched.gone else earliest(*(at for at in times if at is not None and at > now))
        checked = bool(self._checks.events) and watched.entry.halted is None and watched.entry.phase in UNSTARTED
        kept = checked or watched.entry.removal is not None or (due_at is not None and not just_runs(pod))
        watched.pod = pod if kept else None
        self._due.set(uid, due_at)
        self._sooner.set()

    def _note(self, watched: TrackedPod, *, before: PodEntry | None) -> None:
        """Nothing of this pod is in hand: have the spool know it as it is, and let go of it if that was all."""
        if watched.working:
            return
        if watched.gone or before is None or lasting(before) != lasting(watched.entry):
            self._writer.put(watched.durable())
        self._settle(watched)

    def _settle(self, watched: TrackedPod) -> None:
        uid = watched.entry.reference.uid
        if watched.gone:
            self._pods.drop(uid)
            self._surroundings.events.forget_pod(uid)
        elif watched.releasable:
            self._releaser.consider([uid])

    async def _sleep(self) -> None:
        times = [at for at in (self._due.next(), self.judging.next()) if at is not None]
        pause = max(0.0, (min(times) - self._clock()).total_seconds()) if times else None
        try:
            async with asyncio.timeout(pause):
                await self._sooner.wait()
        except TimeoutError:
            return
        self._sooner.clear()
