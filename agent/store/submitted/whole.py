"""The timeline of a job, with what the scheduler has of it if somebody submitted it."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from msgspec.structs import replace
from sqlalchemy import Connection, select

from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.run import JobRun, RetryAt
from agent.core.lifecycle.wait_text import Surroundings, in_words
from agent.core.lifecycle.waits import NotListed, why_it_waits
from agent.store import orphans, timeline
from agent.store.recorded import JobEnding, OrphanPod, PersonsRequest, SubmittedPart, SubmittedRun, Timeline
from agent.store.submitted import held, requests, surroundings
from agent.store.submitted.held import Held
from agent.store.submitted.tables import ending_table

Describe = Callable[[Connection, Collection[Held]], Mapping[str, Surroundings]]
"""Gives what the words about jobs need to know, by job id."""


def find(
    connection: Connection,
    identifier: str,
    *,
    now: datetime,
    newest: int | None = None,
    describe: Describe = surroundings.load,
    retries_stopped: bool = False,
) -> Timeline | None:
    """The timeline of a job that was observed or submitted, by its id or that of a run; else ``None``.

    ``newest`` limits the runs that were observed. ``now``, ``describe`` and ``retries_stopped`` are for why a submitted
    job waits.
    """
    observed = timeline.find(connection, identifier, newest=newest)
    job_id = identifier if observed is None else observed.job_id
    found = held.load(connection, [job_id]).get(job_id)
    if found is None:
        return observed
    if observed is None:
        submission = found.submission
        observed = Timeline(
            job_id=job_id, queue=submission.queue, job_set=submission.job_set, gang_id=submission.gang_id, runs=()
        )
    about = describe(connection, [found])[job_id]
    submitted = _part(connection, found, about, now=now, retries_stopped=retries_stopped)
    return replace(observed, submitted=submitted)


def _part(
    connection: Connection, found: Held, about: Surroundings, *, now: datetime, retries_stopped: bool
) -> SubmittedPart:
    job, submission = found.job, found.submission
    return SubmittedPart(
        state=job.state.value,
        namespace=submission.namespace,
        client_id=submission.client_id,
        submitted_at=submission.submitted_at,
        submitted_by=submission.submitted_by,
        never_retry=job.never_retry,
        wait=_wait(job, about, now=now, retries_stopped=retries_stopped, not_listed=_not_listed(connection, found)),
        ended=job.ending is not None,
        runs=tuple(_run(run, about) for run in job.runs),
        requests=_requests(connection, job.job_id),
        endings=_endings(connection, job.job_id),
        orphans=_orphans(connection, job),
    )


def _not_listed(connection: Connection, found: Held) -> NotListed | None:
    if found.job.open_run is None:
        return None
    # the modules that read lists also write them, and what writes takes long to import
    from agent.store.submitted import unlisted  # noqa: PLC0415 - see above

    return unlisted.find(connection, found)


def _wait(
    job: SubmittedJob, about: Surroundings, *, now: datetime, retries_stopped: bool, not_listed: NotListed | None
) -> str:
    wait = why_it_waits(job, now, retries_stopped=retries_stopped, silent=about.silent, not_listed=not_listed)
    return "" if wait is None else in_words(wait, about, now=now)


def _run(run: JobRun, about: Surroundings) -> SubmittedRun:
    verdict = "" if run.verdict is None else "retry" if isinstance(run.verdict, RetryAt) else "fail"
    return SubmittedRun(
        run_id=run.run_id,
        index=run.index,
        attempt=run.attempt,
        cluster=about.clusters.get(run.cluster, run.cluster),
        node=run.node,
        phase="" if run.phase is None else run.phase.value,
        granted=run.granted,
        opened_at=run.opened_at,
        closed_at=None if run.closed is None else run.closed.at,
        closed_by="" if run.closed is None else run.closed.why.value,
        verdict=verdict,
        grant_returned=run.grant_returned,
        may_still_live=run.may_still_live,
    )


def _requests(connection: Connection, job_id: str) -> tuple[PersonsRequest, ...]:
    return tuple(
        PersonsRequest(kind=asked.kind.value, by=asked.by, reason=asked.reason, at=asked.at, refused=asked.outcome)
        for asked in requests.of_job(connection, job_id)
    )


def _orphans(connection: Connection, job: SubmittedJob) -> tuple[OrphanPod, ...]:
    namesakes = orphans.named(connection, [orphan.uid for orphan in job.orphans])
    both = {
        (known.orphan.cluster_id, known.orphan.uid): known
        for known in (*namesakes, *orphans.of_job(connection, job.job_id))
    }
    return tuple(
        OrphanPod(
            pod=known.in_words,
            uid=known.orphan.uid,
            since=known.orphan.since,
            confirmed_by=known.confirmed_by or "",
        )
        for known in both.values()
    )


def _endings(connection: Connection, job_id: str) -> tuple[JobEnding, ...]:
    query = select(ending_table).where(ending_table.c.job_id == job_id).order_by(ending_table.c.opening)
    return tuple(
        JobEnding(state=row["state"], by=row["ended_by"], at=row["at"], opening=row["opening"])
        for row in connection.execute(query).mappings()
    )
