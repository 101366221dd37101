"""Reads what the scheduler's store and Lookout's database say of the demo, to be compared."""

from sqlalchemy import Connection, func, select

from agent.core.failure import Occurrence
from agent.demo.agreement import Account, Kind, Report, RunAccount, counted, reasons
from agent.lookout.store.tables import hour_table
from agent.lookout.store.tables import job_table as lookout_job
from agent.lookout.store.tables import run_table as lookout_run
from agent.store.store import Store
from agent.store.submitted.tables import job_table, run_table
from agent.store.tables.failures import table as failure
from agent.store.tables.verdicts import table as verdict


def decided(store: Store) -> Account:
    """What the scheduler decided, and on what."""
    query = select(run_table.c.run_id, run_table.c.job_id, run_table.c.attempt, verdict.c.action).outerjoin(
        verdict, verdict.c.run_id == run_table.c.run_id
    )
    with store.read() as connection:
        kinds = reasons(_reports(connection))
        jobs = connection.execute(select(job_table.c.job_id, job_table.c.state)).all()
        rows = connection.execute(query).all()
    runs = {
        row.run_id: RunAccount(
            job_id=row.job_id, attempt=row.attempt, kind=kinds.get(row.run_id), verdict=row.action or ""
        )
        for row in rows
    }
    return Account(runs=runs, jobs={row.job_id: row.state for row in jobs}, failures=counted(runs.values()))


def _reports(connection: Connection) -> list[Report]:
    rows = connection.execute(select(failure))
    return [
        Report(
            run_id=row.run_id,
            event_id=row.event_id,
            amends=row.amends,
            occurrence=Occurrence(row.occurrence),
            occurred_at=row.occurred_at,
            observed_at=row.observed_at,
            kind=Kind(row.category, row.subcategory, row.origin),
        )
        for row in rows
    ]


def stored(lookout: Store) -> Account:
    """What Lookout stored and counted."""
    kind = (hour_table.c.category, hour_table.c.subcategory, hour_table.c.origin)
    total = func.sum(hour_table.c.failures)
    with lookout.read() as connection:
        jobs = connection.execute(select(lookout_job.c.job_id, lookout_job.c.state)).all()
        rows = connection.execute(select(lookout_run)).all()
        counts = connection.execute(select(*kind, total).group_by(*kind).having(total > 0)).all()
    runs = {
        row.run_id: RunAccount(
            job_id=row.job_id,
            attempt=row.attempt,
            kind=None if row.failure_id is None else Kind(row.category, row.subcategory, row.origin),
            verdict=row.verdict,
        )
        for row in rows
    }
    return Account(
        runs=runs,
        jobs={row.job_id: row.state for row in jobs},
        failures={str(Kind(*key)): total for *key, total in counts},
    )
