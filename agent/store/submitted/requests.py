"""What people asked of a submitted job: who, when, why, and what came of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from agent.core.job_event import RequestKind
from agent.store.submitted.tables import request_table


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRequest:
    """One request. ``outcome`` is empty if it was done, else why it was refused."""

    job_id: str
    kind: RequestKind
    by: str
    reason: str
    at: datetime
    outcome: str = ""


def record(connection: Connection, asked: Sequence[JobRequest]) -> None:
    """Add requests, in the transaction that does what they ask for."""
    rows = [asdict(request) | {"kind": request.kind.value} for request in asked]
    if rows:
        connection.execute(request_table.insert(), rows)  # not by store.insert, which whoever reads a job need not load


def of_job(connection: Connection, job_id: str) -> list[JobRequest]:
    """The requests about a job, the earliest first."""
    columns = [column for column in request_table.c if column is not request_table.c.number]
    query = select(*columns).where(request_table.c.job_id == job_id).order_by(request_table.c.number)
    return [JobRequest(**{**row, "kind": RequestKind(row["kind"])}) for row in connection.execute(query).mappings()]
