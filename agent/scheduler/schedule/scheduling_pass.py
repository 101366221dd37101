"""One pass over the jobs that are due: runs are leased, commands repeated, and waits ended whose time is over."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Refused, Step
from agent.core.lifecycle.inputs import Input, Leased, LimitLowered, TimePassed
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.waits import ForCluster, why_it_waits
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.write import write
from agent.scheduler.schedule import granted
from agent.scheduler.schedule.granted import Granted
from agent.scheduler.schedule.placement import Candidate
from agent.scheduler.schedule.rooms import Rooms
from agent.scheduler.schedule.slices import SLICE, Fence, Slices
from agent.scheduler.schedule.terms import PassTerms
from agent.store.store import Store
from agent.store.submitted import held, lookup
from agent.store.submitted.held import Held
from agent.telemetry import scheduler_metrics as metrics


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A job, and the cluster that takes its next run."""

    advanced: Advanced
    cluster: Candidate


class SchedulingPass:
    """Looks at the jobs that are due, in order. The order is by priority, then by when they were submitted.

    Jobs are first read without a lock, to find those to which something happens; then a slice of them is locked, read
    again, decided and written. ``terms`` gives what holds now.
    """

    def __init__(
        self,
        store: Store,
        *,
        terms: Callable[[], PassTerms],
        clock: Callable[[Connection], datetime],
        new_run_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._terms = terms
        self._clock = clock
        self._new_run_id = new_run_id
        self._slices = Slices()

    def run(self, fence: Fence) -> None:
        """Look at every job that is due. Raises LeadershipLost, StoreError."""
        terms = self._terms()
        with metrics.PASS_SECONDS.time():
            for job_ids in self._due(terms):
                self._slices.take(job_ids, lambda part: self._take(part, terms, fence))

    def _due(self, terms: PassTerms) -> Iterator[list[str]]:
        """The ids of jobs to which something happens now."""
        after: lookup.Due | None = None
        while True:
            with self._store.read() as connection:
                now = self._clock(connection)
                rooms = Rooms.read(connection, terms, now=now)
                due = lookup.due(connection, now, at_most=SLICE, after=after, leasable=rooms.leasable())
                jobs = held.load(connection, [due_job.job_id for due_job in due])
            metrics.SILENT_CLUSTERS.set(rooms.silent())
            if not due:
                break
            after = due[-1]
            job_ids = [due_job.job_id for due_job in due if _happens(jobs[due_job.job_id], rooms, terms, now)]
            if job_ids:
                yield job_ids

    def _take(self, job_ids: Sequence[str], terms: PassTerms, fence: Fence) -> None:
        with self._store.decide(job_ids) as connection:
            fence(connection)
            now = self._clock(connection)
            jobs = held.load(connection, job_ids)
            passed = [_time_passed(jobs[job_id], now) for job_id in job_ids]
            rooms = Rooms.read(connection, terms, now=now)
            chosen = [
                _Chosen(job, cluster)
                for job in passed
                if _may_lease(job.job, terms, now) and (cluster := rooms.take(job.held.submission)) is not None
            ]
            leased = self._lease(connection, chosen, terms, now)
            write(connection, [leased.get(job.job.job_id, job) for job in passed], now=now)
        for choice in chosen:
            metrics.LEASED.labels(choice.cluster.name).inc()

    def _lease(
        self, connection: Connection, chosen: Sequence[_Chosen], terms: PassTerms, now: datetime
    ) -> dict[str, Advanced]:
        """The jobs with their new runs, by id."""
        specs = held.specs(connection, [choice.advanced.job.job_id for choice in chosen])
        retries = granted.find(connection, [choice.advanced.held for choice in chosen], terms.inputs)
        leased = {}
        for choice in chosen:
            job_id = choice.advanced.job.job_id
            leased[job_id] = self._leased(choice, retries.get(job_id), terms, pod=specs[job_id], now=now)
        return leased

    def _leased(
        self, choice: _Chosen, retry: Granted | None, terms: PassTerms, *, pod: bytes, now: datetime
    ) -> Advanced:
        job, submission = choice.advanced.job, choice.advanced.held.submission
        by_person = job.next is not None and job.next.granted
        if retry is not None and not by_person and granted.is_forbidden(retry, terms.inputs, pod=pod):
            return _by(choice.advanced, LimitLowered(), now)
        run_id = self._new_run_id()
        lease = Leased(
            run_id=run_id,
            cluster=choice.cluster.cluster_id,
            terms=terms.of_run(submission.queue, pod),
            names=terms.names,
        )
        memory = choice.advanced.held.memory_of_latest if retry is None else granted.memory_after(retry)
        return replace(_by(choice.advanced, lease, now), memory={run_id: memory} if memory else {})


def _happens(of: Held, rooms: Rooms, terms: PassTerms, now: datetime) -> bool:
    """Whether the pass changes anything about the job now."""
    passed = _time_passed(of, now)
    changed = passed.job != of.job or bool(passed.effects)
    leased = _may_lease(passed.job, terms, now) and rooms.take(of.submission) is not None
    return changed or leased


def _time_passed(of: Held, now: datetime) -> Advanced:
    return _by(Advanced.of(of), TimePassed(), now)


def _may_lease(job: SubmittedJob, terms: PassTerms, now: datetime) -> bool:
    return isinstance(why_it_waits(job, now, retries_stopped=terms.retries_stopped), ForCluster)


def _by(advanced: Advanced, event: Input, now: datetime) -> Advanced:
    """The job after an input that it cannot refuse: the pass has asked first."""
    match advance(advanced.job, event, now):
        case Step() as step:
            return advanced.by(step)
        case Refused(why=why):
            raise ValueError(f"job {advanced.job.job_id} refuses {type(event).__name__}: {why}")
