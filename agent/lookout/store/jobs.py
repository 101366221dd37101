"""Jobs: a row each. The job event with the highest sequence says the state of now."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection

from agent.core.job_event import JobEvent, JobSubmitted
from agent.core.run_event import RunEvent
from agent.lookout.store import merged
from agent.lookout.store.fitting import fitted
from agent.lookout.store.horizon import day_of
from agent.lookout.store.tables import job_table as table
from agent.store.columns import Row

_TEXTS: Final = ("queue", "job_set", "owner", "namespace", "gang_id", "name", "client_id", "retry_policies")
_SUBMISSION: Final = ("priority", "submitted_at")
_STATE: Final = ("sequence", "state", "state_at", "ended_by", "ended_at")
_NOTHING: Final[Row] = {
    **dict.fromkeys(_TEXTS, ""),
    **dict.fromkeys((*_SUBMISSION, *_STATE)),
    "sequence": 0,
}


def of_run_event(event: RunEvent) -> Row:
    """What a run event says of its job."""
    identity = event.identity
    row = {
        "job_id": identity.job_id,
        "queue": identity.queue,
        "job_set": identity.job_set,
        "gang_id": identity.gang_id,
        "namespace": event.pod.namespace,
        "retry_policies": identity.retry_policies,
        "first_at": event.occurred_at,
        "last_day": day_of(max(event.occurred_at, event.observed_at)),
    }
    return {**_NOTHING, **fitted(row)}


def says(row: Row, event: RunEvent) -> bool:
    """Whether a row has what a run event says of its job, as that of the run's event before mostly does."""
    identity = event.identity
    return bool(
        row["first_at"] <= event.occurred_at
        and row["queue"] == identity.queue
        and row["job_set"] == identity.job_set
        and row["gang_id"] == identity.gang_id
        and row["namespace"] == event.pod.namespace
        and row["retry_policies"] == identity.retry_policies
        and row["last_day"] >= day_of(max(event.occurred_at, event.observed_at))
    )


def of_job_event(event: JobEvent) -> Row:
    """What a job event says of its job."""
    row = {
        "job_id": event.job_id,
        "queue": event.queue,
        "job_set": event.job_set,
        "owner": event.owner,
        "namespace": event.namespace,
        "first_at": event.at,
        "last_day": day_of(event.at),
        "sequence": event.sequence,
        "state": None if event.state is None else event.state.value,
        "state_at": event.at,
        "ended_by": None if event.ending is None else event.ending.by.value,
        "ended_at": None if event.ending is None else event.ending.at,
    }
    if isinstance(submitted := event.event, JobSubmitted):
        row |= {name: getattr(submitted, name) for name in ("name", "client_id", "priority", "gang_id")}
        row |= {"retry_policies": submitted.retry_policies, "submitted_at": event.at}
    return {**_NOTHING, **fitted(row)}


def merge(first: Row, second: Row) -> Row:
    """Everything that both say; neither their order nor their repetition matters."""
    row = dict(first if first["sequence"] >= second["sequence"] else second)
    for name in _TEXTS:
        if first[name] != second[name]:
            row[name] = max(first[name], second[name])
    if any(first[name] != second[name] for name in _SUBMISSION):
        submitted = min(first, second, key=_submission_rank)
        row.update({name: submitted[name] for name in _SUBMISSION})
    row["first_at"] = min(first["first_at"], second["first_at"])
    row["last_day"] = max(first["last_day"], second["last_day"])
    return row


def _submission_rank(row: Row) -> tuple[Any, ...]:
    at = row["submitted_at"]
    return (True,) if at is None else (False, at, row["priority"])


def record(connection: Connection, reported: Mapping[str, Row]) -> int:
    """Store what a batch says of jobs; return how many that were known changed."""
    return merged.record(connection, table, reported, merge)
