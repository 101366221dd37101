"""Run events, and what of submissions they depend on, as a test writes them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from agent.core.failure import Failure, Occurrence
from agent.core.run_event import Content, Identity, PodReference, RunEvent
from agent.store.store import Store
from agent.store.submitted.tables import job_table as submitted_job
from tests.core.retry.builders import failure

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
OOM: dict[str, Any] = {
    "categories": ["oom"],
    "containers": [{"name": "main", "exitCode": 137, "reason": "OOMKilled", "message": "last words"}],
}


def event(
    event_id: str,
    told: Content,
    *,
    run: str = "run-1",
    job: str = "job-1",
    gang: str = "",
    attempt: int | None = None,
    after: float = 0,
) -> RunEvent:
    """``after``: seconds after START that it happened; it is observed a second later."""
    at = START + timedelta(seconds=after)
    return RunEvent(
        event_id=event_id,
        cluster_id="cluster-uid",
        cluster="east",
        identity=Identity(job_id=job, run_id=run, queue="ml", job_set="set", gang_id=gang, attempt=attempt),
        pod=PodReference(namespace="jobs", name=f"pod-{run}", uid=f"uid-{run}", node="node-1"),
        occurred_at=at,
        observed_at=at + timedelta(seconds=1),
        event=told,
    )


def failed(occurrence: Occurrence = Occurrence.POD_FAILED, **row: object) -> Failure:
    """A container killed for memory, unless ``row`` says otherwise."""
    told = failure({**OOM, **row})
    ends = [(one.name, one.ended) for one in told.pod.containers if one.ended is not None]
    if not ends:
        return replace(told, occurrence=occurrence)
    name, ended = ends[0]
    return replace(
        told,
        occurrence=occurrence,
        exit_code=ended.exit_code,
        termination_message=ended.message,
        container_name=name,
        culprit_container=name,
        termination_reason=ended.reason,
    )


def submit(store: Store, job_id: str) -> None:
    """What of a submission its state depends on."""
    names = ("queue", "job_set", "namespace", "spec_hash", "name", "gang_id", "retry_policies", "submitted_by")
    given = {"job_id": job_id, "reversed_id": job_id[::-1], "priority": 0.0, "submitted_at": START, "opening": 0}
    with store.write() as connection:
        row = given | dict.fromkeys(names, "") | {"state": "queued", "never_retry": False}
        connection.execute(submitted_job.insert(), [row])
