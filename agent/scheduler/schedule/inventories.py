"""What follows from a whole list of the pods of a cluster's runs: orphans, and what the absence of a pod proves."""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, assert_never

import structlog
from sqlalchemy import Connection

from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Step
from agent.core.lifecycle.inputs import NotCreated
from agent.core.lifecycle.inventory import Absence, Consumed, Inventory, absence_of
from agent.core.lifecycle.run import JobRun
from agent.core.run_event import ListedRun
from agent.scheduler.consume import transaction
from agent.scheduler.consume.counts import count
from agent.scheduler.consume.listed import pods_of
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.write import write
from agent.scheduler.schedule.consumed import NotKnown
from agent.scheduler.schedule.missing import missing
from agent.scheduler.schedule.slices import SLICE, Fence, Slices
from agent.scheduler.schedule.terms import PassTerms
from agent.store import clusters, listed_orphans, orphans, run_lists
from agent.store.orphans import Orphan
from agent.store.run_lists import KeptList
from agent.store.runs import ReceivedEvent
from agent.store.store import Store
from agent.store.submitted import held, lookup
from agent.store.submitted.held import Held
from agent.telemetry import scheduler_metrics as metrics
from agent.telemetry.repetition import Repetition

_log = structlog.get_logger(__name__)

_AGAIN: Final = 2.0
"""Seconds until it is asked again whether the events in front of a list are consumed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ConsumedList:
    """A list, and that the store has the events in front of it.

    ``namespaces`` are those in which the agent takes runs, so that its lists have their pods.
    """

    whole: KeptList
    inventory: Inventory
    consumed: Consumed
    namespaces: Collection[str]

    def absence(self, run: JobRun, job: Held) -> Absence | None:
        """What follows for an open run of which the list has no pod; ``None``: nothing, or it has one."""
        if job.submission.namespace not in self.namespaces:
            return None
        scopes = {job.job.job_id, job.submission.gang_id}
        changed_at = job.changed[run.run_id]
        return absence_of(run, self.inventory, self.consumed, changed_at=changed_at, scopes=scopes)


class Inventories:
    """Takes each whole list once: its orphans at once, the rest when the events in front of it are consumed.

    ``consumed_before`` says what the store has of the events in front of a topic's position.
    """

    def __init__(
        self,
        store: Store,
        *,
        consumed_before: Callable[[str, str], Consumed | NotKnown],
        terms: Callable[[], PassTerms],
        clock: Callable[[Connection], datetime],
    ) -> None:
        self._store = store
        self._consumed_before = consumed_before
        self._terms = terms
        self._clock = clock
        self._slices = Slices()
        self._unknown: dict[str, Repetition] = defaultdict(Repetition)
        self._not_before: dict[str, float] = {}

    def run(self, fence: Fence) -> None:
        """Take what can be taken now. Raises LeadershipLost, StoreError."""
        with self._store.read() as connection:
            lists = run_lists.unfinished(connection)
        for whole in lists:
            if not whole.examined:
                self._examine(whole, fence)
            if whole.as_of is not None and self._not_before.get(whole.cluster_id, 0.0) <= time.monotonic():
                self._conclude(whole, whole.as_of, fence)

    def _examine(self, whole: KeptList, fence: Fence) -> None:
        pods = self._pods(whole)
        if pods is None:
            return
        # A person may vouch for an orphan now, and consumers may make a newer list whole.
        with self._store.decide({run_lists.scope(whole.cluster_id)}) as connection:
            fence(connection)
            found = list(_orphans(connection, whole, pods, now=self._clock(connection)))
            # A list that does not say how old it is may be older than what is known.
            if whole.as_of is None:
                listed_orphans.add(connection, found)
            else:
                listed_orphans.replace(connection, whole.cluster_id, found)
            run_lists.mark(connection, replace(whole, examined=True, concluded=whole.as_of is None))
            counts = orphans.counts(connection)
        for cluster, number in counts.items():
            metrics.ORPHANS.labels(cluster).set(number)

    def _pods(self, whole: KeptList) -> dict[str, ListedRun] | None:
        """All pods of a list; ``None`` if a newer one has taken its place: then its pages are deleted."""
        with self._store.read() as connection:
            pages = run_lists.pages(connection, whole.list_id)
        return pods_of(pages) if pages else None

    def _conclude(self, whole: KeptList, as_of: datetime, fence: Fence) -> None:
        consumed = self._consumed(whole)
        # Read last: while the broker was asked, a newer list may have taken the place of this one.
        pods = None if consumed is None else self._pods(whole)
        if consumed is None or pods is None:
            self._not_before[whole.cluster_id] = time.monotonic() + _AGAIN
            return
        by_uid = {uid: run.run_id for uid, run in pods.items()}
        inventory = Inventory(cluster=whole.cluster_id, as_of=as_of, pods=by_uid)
        namespaces = self._namespaces(whole)
        listed = _ConsumedList(whole=whole, inventory=inventory, consumed=consumed, namespaces=namespaces)
        job_ids = self._absent(listed)
        for first in range(0, len(job_ids), SLICE):
            self._slices.take(job_ids[first : first + SLICE], lambda part: self._take(part, listed, fence))
        with self._store.write() as connection:
            fence(connection)
            run_lists.mark(connection, replace(whole, examined=True, concluded=True))
        metrics.LISTS_CONCLUDED.labels(whole.cluster).inc()

    def _namespaces(self, whole: KeptList) -> frozenset[str]:
        """Those that the cluster offers by its latest heartbeat: an agent with other settings may list fewer."""
        with self._store.read() as connection:
            known = clusters.everything(connection)
        offers = (cluster.runs for cluster in known if cluster.cluster_id == whole.cluster_id)
        return frozenset(namespace for offer in offers if offer is not None for namespace in offer.namespaces)

    def _consumed(self, whole: KeptList) -> Consumed | None:
        """What the store has of the events in front of a list; ``None`` if it may not have all yet."""
        with self._store.read() as connection:
            place = run_lists.place(connection, whole.list_id)
        if place is None:
            return None  # a newer list has taken its place
        consumed = self._consumed_before(place.topic, place.position)
        match consumed:
            case NotKnown(why=why):
                if self._unknown[whole.cluster_id].is_due(why):
                    _log.warning("nothing is concluded from lists of pods", cluster=whole.cluster, why=why)
                return None
            case Consumed():
                self._unknown[whole.cluster_id].over()
                return consumed if consumed.up_to_date else None
            case _:
                assert_never(consumed)

    def _absent(self, listed: _ConsumedList) -> list[str]:
        """The jobs whose open run has no pod in the list, by what can be seen without a lock."""
        cluster_id = listed.inventory.cluster
        with self._store.read() as connection:
            runs = lookup.open_runs_in(connection, cluster_id)
        return [
            open_run.job_id
            for open_run in runs
            if absence_of(
                open_run.run,
                listed.inventory,
                listed.consumed,
                changed_at=open_run.changed_at,
                scopes=[open_run.job_id],
            )
        ]

    def _take(self, job_ids: Sequence[str], listed: _ConsumedList, fence: Fence) -> None:
        with self._store.decide(job_ids) as connection:
            fence(connection)
            now = self._clock(connection)
            absent = dict(_absent_runs(held.load(connection, job_ids), listed))
            events = [
                missing(job, run, listed.inventory, cluster=listed.whole.cluster, now=now)
                for job, run, absence in absent.values()
                if absence is Absence.MISSING
            ]
            done = transaction.take(
                connection,
                [ReceivedEvent(event=event) for event in events],
                submitted={event.identity.job_id for event in events},
                inputs=self._terms().inputs,
                now=now,
            )
            lost = [(job, run) for job, run, absence in absent.values() if absence is Absence.NOT_CREATED]
            write(connection, [_created_again(job, run, listed.inventory, now) for job, run in lost], now=now)
        count((), done)
        metrics.ABSENT.labels(Absence.MISSING.value).inc(len(events))
        metrics.ABSENT.labels(Absence.NOT_CREATED.value).inc(len(lost))


_AbsentRun = tuple[Held, JobRun, Absence]


def _absent_runs(jobs: Mapping[str, Held], listed: _ConsumedList) -> Iterator[tuple[str, _AbsentRun]]:
    for job_id, job in jobs.items():
        run = job.job.open_run
        absence = None if run is None else listed.absence(run, job)
        if run is not None and absence is not None:
            yield job_id, (job, run, absence)


def _created_again(job: Held, run: JobRun, inventory: Inventory, now: datetime) -> Advanced:
    step = advance(job.job, NotCreated(run_id=run.run_id, as_of=inventory.as_of), now)
    if not isinstance(step, Step):
        raise TypeError(f"job {job.job.job_id} refuses that its run {run.run_id} was not created: {step.why}")
    return Advanced.of(job).by(step)


def _orphans(
    connection: Connection, whole: KeptList, pods: Mapping[str, ListedRun], *, now: datetime
) -> Iterator[Orphan]:
    """The pods that nobody started: without our gate, of no run, and not known to have ended or in a run's way."""
    open_runs = lookup.open_runs_in(connection, whole.cluster_id)
    wanted = {open_run.run.pod_name for open_run in open_runs if open_run.run.uid is None}
    ungated = [run for run in pods.values() if not run.gated and (run.confirmed is None or run.pod.name in wanted)]
    recorded = lookup.jobs_of_pods(connection, {(whole.cluster_id, run.pod.uid) for run in ungated})
    for run in ungated:
        if (whole.cluster_id, run.pod.uid) not in recorded:
            yield Orphan(
                cluster_id=whole.cluster_id,
                uid=run.pod.uid,
                namespace=run.pod.namespace,
                pod_name=run.pod.name,
                node=run.pod.node,
                job_id=run.job_id,
                run_id=run.run_id,
                queue=run.queue,
                phase=run.phase,
                since=now,
                ended=run.confirmed is not None,
            )
