"""Observe, gather, classify, spool: the shell around the pure parts (design 4.1 to 4.4).

Everything here runs on one event loop. A burst makes no task and no request per pod: cases are worked off as changes
are read, wait in a heap, and only logs, where settings allow them, are read by a fixed number of workers.
"""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

import structlog

from agent.cluster.case import Case, open_case
from agent.cluster.chores import PodChores
from agent.cluster.diagnosis import Diagnosis
from agent.cluster.due import Due
from agent.cluster.finalizer import asks_for_finalizer, carries_finalizer
from agent.cluster.log_tails import LogTails
from agent.cluster.recent_events import about_uid
from agent.cluster.spool_entry import Report
from agent.cluster.surroundings import Surroundings
from agent.cluster.waiting import WaitingRoom
from agent.cluster.watched import Watched, WatchedPods, lasting, only_held
from agent.cluster.writer import Saved, SpoolWriter
from agent.core.evidence import Evidence
from agent.core.failure import Classification
from agent.kube import objects
from agent.kube.inventory import Change, ChangeKind
from agent.observe.deadlines import Deadlines
from agent.observe.entry import Entry
from agent.observe.occurrence import Occurred, observe
from agent.telemetry import cluster_metrics as metrics

Clock = Callable[[], datetime]

_log = structlog.get_logger(__name__)
_LOGS_QUEUED: Final = 16


class Reporter:
    """Told of every change to pods, events and nodes; spools every occurrence once."""

    def __init__(  # noqa: PLR0913 - its collaborators; only app.py and tests put them together
        self,
        *,
        pods: WatchedPods,
        surroundings: Surroundings,
        diagnosis: Diagnosis,
        writer: SpoolWriter,
        holder: PodChores,
        releaser: PodChores,
        waiting: WaitingRoom,
        log_tails: LogTails,
        deadlines: Deadlines,
        clock: Clock,
    ) -> None:
        self._pods = pods
        self._surroundings = surroundings
        self._diagnosis = diagnosis
        self._writer = writer
        self._holder = holder
        self._releaser = releaser
        self._waiting = waiting
        self._log_tails = log_tails
        self._deadlines = deadlines
        self._clock = clock
        self._due: Due[str] = Due()
        self._sooner = asyncio.Event()
        self._logs: asyncio.Queue[Case] = asyncio.Queue(_LOGS_QUEUED)
        self._detected: dict[str, datetime] = {}

    @property
    def in_hand(self) -> int:
        """How many occurrences were seen and are not yet on disk."""
        return len(self._detected)

    async def on_pod(self, change: Change[objects.Pod, None]) -> None:
        """A pod appeared, changed or went."""
        await self._look(change.uid, change.object, gone=change.kind is ChangeKind.DELETED)

    async def on_event(self, change: Change[objects.Event, None]) -> None:
        """An event appeared, was told again, or expired (which means nothing)."""
        if change.object is None or change.kind is ChangeKind.DELETED:
            return
        self._surroundings.events.put(change.object, now=self._clock())
        if (uid := about_uid(change.object)) is not None:
            for case in self._waiting.take_pod(uid):
                await self._judge(case)

    async def on_node(self, change: Change[objects.Node, str]) -> None:
        """A node appeared, changed or went."""
        if change.kind is not ChangeKind.DELETED and change.object is not None:
            self._surroundings.nodes.put(change.object)
        elif change.previous is not None:
            self._surroundings.nodes.remove(change.previous, now=self._clock())

    async def on_gone(self, uid: str, last: objects.Pod | None) -> None:
        """A pod that was in doubt is gone; ``last`` is the last state seen of it."""
        await self._look(uid, last, gone=True)

    async def on_out_of_sight(self, uid: str) -> None:
        """A pod that was in doubt lives, but is not ours to watch: forget it without a word."""
        if (watched := self._pods.get(uid)) is not None:
            watched.gone = True
            self._note(watched, before=None)

    async def look_again(self) -> None:
        """Look at pods and cases whose time has come, until cancelled."""
        while True:
            now = self._clock()
            for uid in self._due.take(now):
                if (watched := self._pods.get(uid)) is not None and watched.pod is not None:
                    await self._look(uid, watched.pod, gone=False)
            for case in self._waiting.take_due(now):
                await self._judge(case)
            await self._sleep()

    async def read_logs(self) -> None:
        """Read the logs of one case after the other, until cancelled. Run as many of these as may read at once."""
        while True:
            case = await self._logs.get()
            try:
                await self._judge(await self._log_tails.read(case))
            finally:
                self._logs.task_done()

    async def finish(self) -> None:
        """Tell what is in hand without waiting for more. Call when no more changes come."""
        await self._logs.join()
        self._waiting.close()
        for case in self._waiting.take_all():
            await self._judge(case)

    def saved(self, saved: Saved) -> None:
        """These are on disk."""
        uids = set()
        for entry in saved.entries:
            if isinstance(entry, Report):
                uids.add(entry.pod_uid)
                self._measure(entry.event_id)
                if (watched := self._pods.get(entry.pod_uid)) is not None:
                    watched.unsaved -= 1
        self._releaser.consider(uids)

    async def _look(self, uid: str, pod: objects.Pod | None, *, gone: bool) -> None:
        await self._writer.room()
        try:
            await self._look_at(uid, pod, gone=gone)
        except Exception:  # noqa: BLE001 - one pod that nobody foresaw must not end the watch of all others
            metrics.BAD_OBJECTS.labels("pod").inc()
            _log.exception("a pod cannot be understood; it is left as it is", uid=uid)

    async def _look_at(self, uid: str, pod: objects.Pod | None, *, gone: bool) -> None:
        watched = self._pods.get(uid)
        if watched is None and (pod is None or gone):
            return
        before = None if watched is None else watched.entry
        deleted = gone or (pod is not None and only_held(pod))
        now = self._clock()
        entry, occurred = observe(before, pod, deleted=deleted, now=now, deadlines=self._deadlines)
        watched = self._remember(watched, entry, pod, gone=gone)
        cases = self._open(watched, occurred, pod, now=now)
        watched.working += len(cases)
        if watched.working == 0:
            self._note(watched, before=before)
        for case in cases:
            await self._begin(case)

    def _remember(self, watched: Watched | None, entry: Entry, pod: objects.Pod | None, *, gone: bool) -> Watched:
        if watched is None:
            watched = Watched(entry=entry)
            self._pods.put(watched)
        watched.entry = entry
        watched.seen = True
        watched.gone = gone
        watched.held = pod is not None and carries_finalizer(pod) and not gone
        watched.asks = pod is not None and asks_for_finalizer(pod) and not gone
        if watched.to_hold:
            self._holder.consider([entry.reference.uid])
        due_at = None if gone else entry.due_at
        watched.pod = pod if due_at is not None else None
        self._due.set(entry.reference.uid, due_at)
        self._sooner.set()
        return watched

    def _open(
        self, watched: Watched, occurred: Iterable[Occurred], pod: objects.Pod | None, *, now: datetime
    ) -> list[Case]:
        cluster_id = self._diagnosis.cluster_id
        cases = [open_case(each, watched.entry, pod, cluster_id=cluster_id, observed_at=now) for each in occurred]
        return [case for case in cases if case.event_id not in watched.reported]

    def _note(self, watched: Watched, *, before: Entry | None) -> None:
        """Nothing of this pod is in hand: have the spool know it as it is, and let go of it if that was all."""
        if watched.working:
            return
        if watched.gone or before is None or lasting(before) != lasting(watched.entry):
            self._writer.put(watched.durable())
        self._settle(watched)

    def _settle(self, watched: Watched) -> None:
        uid = watched.entry.reference.uid
        if watched.gone:
            self._pods.drop(uid)
            self._surroundings.events.forget_pod(uid)
        elif watched.releasable:
            self._releaser.consider([uid])

    async def _begin(self, case: Case) -> None:
        metrics.OCCURRENCES.labels(case.occurred.occurrence.value).inc()
        self._detected[case.event_id] = case.observed_at
        if self._log_tails.wanted(case):
            await self._logs.put(case)
        else:
            await self._judge(case)

    async def _judge(self, case: Case) -> None:
        """Tell of the case, or let it wait. One that cannot be told stays in hand, so its pod is not let go of."""
        try:
            await self._tell_or_wait(case)
        except Exception:  # noqa: BLE001 - as above
            metrics.BAD_OBJECTS.labels("failure").inc()
            _log.exception("a failure cannot be told; the next process tries again", pod=case.entry.reference.name)

    async def _tell_or_wait(self, case: Case) -> None:
        evidence, given = await self._consider(case)
        if given.matched:
            self._tell(case, evidence, given)
        elif (ready := self._waiting.admit(case, now=self._clock())) is not None:
            self._tell(ready, self._surroundings.gather(ready), given)
        self._sooner.set()

    async def _consider(self, case: Case) -> tuple[Evidence, Classification]:
        evidence = self._surroundings.gather(case)
        return evidence, await self._diagnosis.classify(evidence)

    def _tell(self, case: Case, evidence: Evidence, given: Classification) -> None:
        for missing in evidence.missing:
            metrics.MISSING_EVIDENCE.labels(missing.what.partition(" of ")[0]).inc()
        report = self._diagnosis.report(case, evidence, given, submitted=self._surroundings.submitted(case.pod))
        watched = self._pods.get(case.pod_uid)
        if watched is None:
            raise RuntimeError(f"a pod was forgotten while it was in hand: {case.pod_uid}")
        watched.working -= 1
        watched.unsaved += 1
        if watched.working:
            self._writer.put(report)
        else:
            self._writer.put(report, watched.durable())
            self._settle(watched)

    def _measure(self, event_id: str) -> None:
        if (detected := self._detected.pop(event_id, None)) is not None:
            metrics.DETECT_TO_SPOOL_SECONDS.observe((self._clock() - detected).total_seconds())

    async def _sleep(self) -> None:
        times = [at for at in (self._due.next(), self._waiting.next()) if at is not None]
        pause = max(0.0, (min(times) - self._clock()).total_seconds()) if times else None
        try:
            async with asyncio.timeout(pause):
                await self._sooner.wait()
        except TimeoutError:
            return
        self._sooner.clear()
