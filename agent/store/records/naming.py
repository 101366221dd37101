"""What somebody means who types an identifier, looked up by indexes."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Connection, and_, func, not_, select, true

from agent.store.records import submitted
from agent.store.records.port import SHORTEST, Ambiguous, Candidate, Found, Kind, Named, NotFound
from agent.store.submitted.tables import job_table as submitted_job
from agent.store.tables.failures import table as failure
from agent.store.tables.jobs import table as job
from agent.store.tables.runs import table as run

SHOWN: Final = 10
"""Candidates that are named where several fit."""

COUNTED: Final = 50_000
"""Ids of each kind that are counted where several fit: all of a million would take longer than the answer is worth."""

_LAST = "\U0010ffff"
"""Ids are compared by their bytes, so that no text that begins with ``x`` comes after ``x`` and this."""


def is_storable(text: str) -> bool:
    """Whether every database can hold the text: no NUL, no lone surrogates."""
    return "\x00" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def named(connection: Connection, identifier: str) -> Named:
    """A whole id, else a client id, else a pod, else the beginning or end of one id."""
    if not identifier or not is_storable(identifier):
        return NotFound()
    whole = _whole(connection, identifier) or _client_id(connection, identifier) or _pod(connection, identifier)
    if whole is not None:
        return whole
    if len(identifier) < SHORTEST:
        return NotFound(too_short=True)
    return _part(connection, identifier)


def names_only(connection: Connection, part: str, whole: str) -> bool:
    """Whether the beginning or end of an id means this job or run and no other; asked for every row of a table."""
    if len(part) < SHORTEST or not is_storable(part):
        return False
    if _whole(connection, part) or submitted.under_client_id(connection, part, at_most=1) or _pod(connection, part):
        return part == whole
    only = _only(connection, *_fitting(connection, part), part)
    return only is not None and only.id == whole


def _whole(connection: Connection, identifier: str) -> Found | None:
    """The job or run with this id. A job comes first: the only run of a job may have the id of the job."""
    for kind, column in ((Kind.JOB, job.c.job_id), (Kind.JOB, submitted_job.c.job_id), (Kind.RUN, run.c.run_id)):
        if connection.scalar(select(column).where(column == identifier)) is not None:
            return Found(kind=kind, id=identifier)
    return None


def _client_id(connection: Connection, identifier: str) -> Named | None:
    """The job that was submitted under this client id; several queues may have one."""
    found = submitted.under_client_id(connection, identifier, at_most=SHOWN)
    if not found:
        return None
    if len(found) == 1:
        return Found(kind=Kind.JOB, id=found[0])
    return Ambiguous(candidates=_jobs(connection, found), count=len(found), or_more=len(found) == SHOWN)


def _pod(connection: Connection, identifier: str) -> Named | None:
    """The job whose run the pod is, or was, under this name: the newest, unless the name is used in several places."""
    namespace, slash, name = identifier.rpartition("/")
    if not name:
        return None
    condition = run.c.pod_name == name
    if slash:
        condition = and_(condition, run.c.namespace == namespace)
    newest = func.max(run.c.first_occurred_at)
    owners = select(run.c.job_id).where(condition).group_by(run.c.job_id)
    found = connection.scalars(owners.order_by(newest.desc(), run.c.job_id).limit(SHOWN + 1)).all()
    if not found:
        return None
    if len(found) == 1:
        return Found(kind=Kind.JOB, id=found[0])
    count: int = connection.scalars(select(func.count()).select_from(owners.subquery())).one()
    places = select(run.c.cluster, run.c.namespace).where(condition).distinct().limit(2)
    if len(connection.execute(places).all()) > 1:
        return Ambiguous(candidates=_jobs(connection, found[:SHOWN]), count=count)
    return Found(kind=Kind.JOB, id=found[0], earlier=_jobs(connection, found[1:]), earlier_count=count - 1)


def _part(connection: Connection, part: str) -> Named:
    jobs, runs = _fitting(connection, part)
    only = _only(connection, jobs, runs, part)
    if only is not None:
        return only
    if not jobs and not runs:
        return NotFound()
    candidates = _candidates(connection, jobs, runs)
    shown = candidates[:SHOWN]
    if shown == candidates:
        return Ambiguous(candidates=shown, count=len(shown))
    counts = _counts(connection, part)
    return Ambiguous(candidates=shown, count=sum(counts), or_more=COUNTED in counts)


def _only(connection: Connection, jobs: Sequence[str], runs: Sequence[str], part: str) -> Found | None:
    """Everything that fits may belong to one job: then it is that job, or its one run."""
    owner = _only_owner(connection, jobs, runs, part)
    if owner is None:
        return None
    by_run = not jobs and len(runs) == 1
    return Found(kind=Kind.RUN, id=runs[0]) if by_run else Found(kind=Kind.JOB, id=owner)


def _fitting(connection: Connection, part: str) -> tuple[list[str], list[str]]:
    """Jobs and runs whose id begins or ends so."""
    jobs = dict.fromkeys(_ids(connection, job.c.job_id, job.c.reversed_id, part))
    jobs |= dict.fromkeys(_ids(connection, submitted_job.c.job_id, submitted_job.c.reversed_id, part))
    return list(jobs)[: SHOWN + 1], _ids(connection, run.c.run_id, run.c.reversed_id, part)


def _ids(connection: Connection, column: Column[Any], reverse: Column[Any], part: str) -> list[str]:
    """Up to ``SHOWN`` and one more, those that begin so first."""
    found: dict[str, None] = {}
    for compared, text in ((column, part), (reverse, part[::-1])):
        fitting = select(column).where(_begins(compared, text)).order_by(compared).limit(SHOWN + 1)
        found |= dict.fromkeys(connection.scalars(fitting))
    return list(found)[: SHOWN + 1]


def _begins(column: ColumnElement[Any], part: str) -> ColumnElement[bool]:
    return and_(column >= part, column < part + _LAST)


def _only_owner(connection: Connection, jobs: Sequence[str], runs: Sequence[str], part: str) -> str | None:
    """The one job that all that fits belongs to."""
    if len(jobs) > 1 or not (jobs or runs):
        return None
    owner = jobs[0] if jobs else connection.scalars(select(run.c.job_id).where(run.c.run_id == runs[0])).one()
    for condition in (_begins(run.c.run_id, part), _begins(run.c.reversed_id, part[::-1])):
        others = select(run.c.run_id).where(condition, run.c.job_id != owner).limit(1)
        if connection.scalar(others) is not None:
            return None
    return str(owner)


def _counts(connection: Connection, part: str) -> list[int]:
    """How many ids begin or end so, of jobs and of runs, each up to ``COUNTED``.

    What does both is counted once, and from the index alone: its reverse ends so too. So is a job that was submitted
    and observed.
    """
    counts = []
    for column, reverse in (
        (job.c.job_id, job.c.reversed_id),
        (submitted_job.c.job_id, submitted_job.c.reversed_id),
        (run.c.run_id, run.c.reversed_id),
    ):
        once = submitted.not_observed(submitted_job.c.job_id) if column is submitted_job.c.job_id else true()
        begins = func.substr(reverse, func.length(reverse) - len(part) + 1) == part[::-1]
        ends = and_(_begins(reverse, part[::-1]), not_(begins))
        for condition in (_begins(column, part), ends):
            fitting = select(column).where(condition, once).limit(COUNTED).subquery()
            counts.append(connection.scalars(select(func.count()).select_from(fitting)).one())
    return counts


def _jobs(connection: Connection, ids: Sequence[str]) -> tuple[Candidate, ...]:
    query = select(job.c.job_id, job.c.last_at, job.c.state, job.c.category, job.c.subcategory)
    found = {
        row.job_id: Candidate(
            kind=Kind.JOB,
            id=row.job_id,
            job_id=row.job_id,
            at=row.last_at,
            state=row.state,
            category=_category(row.category, row.subcategory),
        )
        for row in connection.execute(query.where(job.c.job_id.in_(list(ids))))
    }
    found = submitted.candidates(connection, ids, observed=found)
    return tuple(found[job_id] for job_id in ids)


def _candidates(connection: Connection, jobs: Sequence[str], runs: Sequence[str]) -> tuple[Candidate, ...]:
    """Jobs, then runs, without those that share their job's id."""
    return (*_jobs(connection, jobs), *_runs(connection, runs))


def _runs(connection: Connection, ids: Sequence[str]) -> Iterator[Candidate]:
    query = select(run.c.run_id, run.c.job_id, run.c.first_occurred_at, run.c.phase)
    query = query.where(run.c.run_id.in_(list(ids)), run.c.run_id != run.c.job_id).order_by(run.c.run_id)
    failures = select(failure.c.run_id, failure.c.category, failure.c.subcategory).where(
        failure.c.run_id.in_(list(ids))
    )
    by_time = failures.order_by(failure.c.occurred_at, failure.c.observed_at)
    categories = {row.run_id: _category(row.category, row.subcategory) for row in connection.execute(by_time)}
    for row in connection.execute(query):
        yield Candidate(
            kind=Kind.RUN,
            id=row.run_id,
            job_id=row.job_id,
            at=row.first_occurred_at,
            state=row.phase or "",
            category=categories.get(row.run_id, ""),
        )


def _category(category: str | None, subcategory: str | None) -> str:
    return "/".join(part for part in (category, subcategory) if part)
