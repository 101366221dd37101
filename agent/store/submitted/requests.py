"""What people asked of a submitted job: who, when, why, and what came of it."""

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, select

from agent.store.submitted.tables import request_table


class RequestKind(StrEnum):
    """What was asked for."""

    CANCEL = "cancel"
    RETRY = "retry"
    NEVER_RETRY = "never-retry"
    CONFIRM_STOPPED = "confirm-stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRequest:
    """One request. ``outcome`` is empty if it was done, else why it was refused."""

    job_id: str
    kind: RequestKind
    by: str
    reason: str
    at: datetime
    outcome: str = ""


def record(connection: Connection, request: JobRequest) -> None:
    """Add a request, in the transaction that does what it asks for."""
    connection.execute(request_table.insert(), [asdict(request) | {"kind": request.kind.value}])


def of_job(connection: Connection, job_id: str) -> list[JobRequest]:
    """The requests about a job, the earliest first."""
    columns = [column for column in request_table.c if column is not request_table.c.number]
    query = select(*columns).where(request_table.c.job_id == job_id).order_by(request_table.c.number)
    return [JobRequest(**{**row, "kind": RequestKind(row["kind"])}) for row in connection.execute(query).mappings()]
