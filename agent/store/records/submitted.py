"""What records say of submitted jobs, whose pods may not have been observed yet."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import ColumnElement, Connection, exists, select

from agent.store.records.port import Candidate, Kind
from agent.store.resources import table as resource
from agent.store.submitted.tables import job_table as submitted
from agent.store.tables.jobs import table as job

_QUEUE = "Queue"


def under_client_id(connection: Connection, client_id: str, *, at_most: int) -> Sequence[str]:
    """The jobs with this client id, the latest first, in the queues that exist."""
    queues = select(resource.c.name).where(resource.c.kind == _QUEUE)
    query = select(submitted.c.job_id).where(submitted.c.queue.in_(queues), submitted.c.client_id == client_id)
    return connection.scalars(query.order_by(submitted.c.job_id.desc()).limit(at_most)).all()


def not_observed(job_id: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether no agent has reported a run of the job."""
    return ~exists().where(job.c.job_id == job_id)


def candidates(
    connection: Connection, job_ids: Sequence[str], *, observed: Mapping[str, Candidate]
) -> dict[str, Candidate]:
    """The observed candidates, and those that were submitted; the state is that of the submission."""
    columns = (submitted.c.job_id, submitted.c.state, submitted.c.submitted_at)
    found = dict(observed)
    for row in connection.execute(select(*columns).where(submitted.c.job_id.in_(list(job_ids)))):
        new = Candidate(
            kind=Kind.JOB, id=row.job_id, job_id=row.job_id, at=row.submitted_at, state=row.state, category=""
        )
        found[row.job_id] = replace(found.get(row.job_id, new), state=row.state)
    return found
