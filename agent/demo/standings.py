"""What the store says of submitted jobs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime

from sqlalchemy import func, select

from agent.core.job_event import RequestKind
from agent.core.lifecycle.state import State
from agent.demo.outcome import Closure, JobStanding, LeasedRun
from agent.store.store import Store
from agent.store.submitted.tables import ending_table, job_table, request_table, run_table


def read_standings(store: Store) -> Mapping[str, JobStanding]:
    """Every submitted job, by its id."""
    latest = select(run_table.c.job_id, func.max(run_table.c.run_index).label("retries"))
    of_runs = latest.group_by(run_table.c.job_id).subquery()
    of_now = (ending_table.c.job_id == job_table.c.job_id) & (ending_table.c.opening == job_table.c.opening)
    query = (
        select(job_table.c.job_id, job_table.c.state, of_runs.c.retries, ending_table.c.at)
        .outerjoin(of_runs, of_runs.c.job_id == job_table.c.job_id)
        .outerjoin(ending_table, of_now)
    )
    with store.read() as connection:
        rows = connection.execute(query).all()
    return {
        row.job_id: JobStanding(job_id=row.job_id, state=State(row.state), retries=row.retries or 0, ended_at=row.at)
        for row in rows
    }


def read_runs(store: Store) -> list[LeasedRun]:
    query = select(run_table.c.job_id, run_table.c.opened_at, run_table.c.uid)
    with store.read() as connection:
        return [
            LeasedRun(job_id=row.job_id, leased_at=row.opened_at, pod_uid=row.uid) for row in connection.execute(query)
        ]


def read_closures(store: Store) -> list[Closure]:
    """When each job had ended, once for each time that it was opened."""
    with store.read() as connection:
        endings = connection.execute(select(ending_table.c.job_id, ending_table.c.at)).all()
        retries = (request_table.c.kind == RequestKind.RETRY.value) & (request_table.c.outcome == "")
        asked = connection.execute(select(request_table.c.job_id, request_table.c.at).where(retries)).all()
    reopened = defaultdict[str, list[datetime]](list)
    for row in asked:
        reopened[row.job_id].append(row.at)
    return [*_closures(((row.job_id, row.at) for row in endings), reopened)]


def _closures(endings: Iterator[tuple[str, datetime]], reopened: Mapping[str, list[datetime]]) -> Iterator[Closure]:
    for job_id, since in endings:
        later = [at for at in reopened.get(job_id, ()) if at >= since]
        yield Closure(job_id=job_id, since=since, until=min(later, default=None))
