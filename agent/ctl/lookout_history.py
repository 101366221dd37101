"""The timeline of a job by a Lookout: the scheduler's, which it asks for, or its own history."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

from msgspec import Struct

from agent.api.v1 import failure_pb2, records_pb2
from agent.core.decision.explanation import DecidedBy, Explanation
from agent.core.decision.verdict import Verdict
from agent.core.limit import Reason, VerdictAction
from agent.core.run_event import RunPhase
from agent.ctl.forwarded import ask, filled, reading
from agent.ctl.lookout_api import LookoutClient
from agent.json_reader.reader import Reader
from agent.store.recorded import (
    JobEnding,
    PersonsRequest,
    RecordedFailure,
    RecordedRun,
    RecordedVerdict,
    SubmittedPart,
    Timeline,
)
from agent.store.records.port import Found, Kind
from agent.wire.failure import read_failure
from agent.wire.values import from_struct

_LIFTS_OR_FORBIDS: Final = frozenset({"retry", "never-retry"})


class _Decision(Struct, frozen=True, kw_only=True, rename="camel"):
    failure_id: str
    decided_at: datetime
    action: VerdictAction
    reason: Reason
    sentence: str
    not_before: datetime | None
    avoid_nodes: tuple[str, ...]


class _Run(Struct, frozen=True, kw_only=True, rename="camel"):
    """A run and what was decided after it. Texts that are not known are empty."""

    run_id: str
    job_id: str
    attempt: int | None
    cluster: str
    namespace: str
    pod_name: str
    node: str
    state: str
    first_at: datetime
    pending_at: datetime | None
    running_at: datetime | None
    succeeded_at: datetime | None
    failed_at: datetime | None
    failure_id: str | None
    decisions: tuple[_Decision, ...]


class _Failure(Struct, frozen=True, kw_only=True, rename="camel"):
    event_id: str
    amends: str | None
    occurred_at: datetime
    observed_at: datetime
    info: dict[str, Any]


class _RunHistory(Struct, frozen=True, kw_only=True, rename="camel"):
    failures: tuple[_Failure, ...]


class _Request(Struct, frozen=True, kw_only=True):
    at: datetime
    kind: str
    by: str
    reason: str
    refused: str


class _Job(Struct, frozen=True, kw_only=True, rename="camel"):
    """A job and its latest attempts, the latest first. ``state`` is ``None`` for a job that nobody submitted."""

    job_id: str
    queue: str
    job_set: str
    gang_id: str
    namespace: str
    client_id: str
    owner: str
    first_at: datetime
    submitted_at: datetime | None
    state: str | None
    ended_by: str | None
    ended_at: datetime | None
    run_count: int
    attempts: tuple[_Run, ...]
    requests: tuple[_Request, ...]


_JOB: Final = Reader(_Job)
_ATTEMPT: Final = Reader(_Run)
_FAILURES: Final = Reader(_RunHistory)


def forwarded(client: LookoutClient, identifier: str, *, newest: int | None) -> Timeline:
    """The scheduler's timeline of a job or of the job of a run.

    Raises NotFoundError if it has no such job, UnreachableError without a scheduler that answers, and UsageError.
    """
    items = [] if newest is None else [("newest", str(newest))]
    path = f"explanations/{quote(identifier, safe='')}"
    with reading():
        return from_struct(ask(client, path, records_pb2.GetTimelineResponse(), items).timeline, Timeline)


def history(client: LookoutClient, named: Found, *, newest: int | None) -> Timeline:
    """The timeline of a job, or of a run, by what the Lookout has stored.

    Raises NotFoundError, UnreachableError and UsageError.
    """
    whole = quote(named.id, safe="")
    only = client.get(f"runs/{whole}", (), _ATTEMPT) if named.kind is Kind.RUN else None
    job = client.get(f"jobs/{whole if only is None else quote(only.job_id, safe='')}", (), _JOB)
    attempts = job.attempts[:newest] if only is None else (only,)
    with reading():
        runs = tuple(_run(client, attempt) for attempt in reversed(attempts))
    return Timeline(
        job_id=job.job_id,
        queue=job.queue,
        job_set=job.job_set,
        gang_id=job.gang_id,
        runs=runs,
        earlier_runs=job.run_count - len(runs) if only is None else 0,
        submitted=None if job.state is None else _submitted(job, job.state),
    )


def _run(client: LookoutClient, run: _Run) -> RecordedRun:
    failures = client.get(f"runs/{quote(run.run_id, safe='')}", (), _FAILURES).failures
    phase, phase_at = _phase(run)
    return RecordedRun(
        run_id=run.run_id,
        attempt=run.attempt,
        cluster=run.cluster,
        namespace=run.namespace,
        pod_name=run.pod_name,
        node=run.node,
        phase=phase,
        phase_at=phase_at,
        first_occurred_at=run.first_at,
        failures=tuple(map(_failure, failures)),
        verdict=_verdict(run.decisions[-1]) if run.decisions else None,
    )


def _phase(run: _Run) -> tuple[str | None, datetime | None]:
    times = {
        RunPhase.SUCCEEDED: run.succeeded_at,
        RunPhase.FAILED: run.failed_at,
        RunPhase.RUNNING: run.running_at,
        RunPhase.PENDING: run.pending_at,
    }
    return next(((phase.value, at) for phase, at in times.items() if at is not None), (None, None))


def _failure(failure: _Failure) -> RecordedFailure:
    found = read_failure(filled(failure_pb2.FailureInfo(), failure.info))
    return RecordedFailure(
        event_id=failure.event_id,
        amends=failure.amends,
        occurred_at=failure.occurred_at,
        observed_at=failure.observed_at,
        stored_at=failure.observed_at,
        key_line="" if found.stack_trace is None else found.stack_trace.key_line,
        failure=found,
    )


def _verdict(decision: _Decision) -> RecordedVerdict:
    """The verdict as far as a Lookout has it: why, in a sentence, which follows what the verdict is."""
    _, _, why = decision.sentence.partition(": ")
    explanation = Explanation(
        action=decision.action,
        reason=decision.reason,
        mode=DecidedBy.LEGACY,
        lineage="",
        not_before=decision.not_before,
        avoid_nodes=decision.avoid_nodes,
        notes=(why or decision.sentence,),
    )
    return RecordedVerdict(
        event_id=decision.failure_id, decided_at=decision.decided_at, verdict=Verdict(explanation=explanation)
    )


def _submitted(job: _Job, state: str) -> SubmittedPart:
    """What was submitted. Why it waits, and the runs as the scheduler counts them, only the scheduler knows."""
    requests = tuple(
        PersonsRequest(kind=asked.kind, by=asked.by, reason=asked.reason, at=asked.at, refused=asked.refused)
        for asked in job.requests
    )
    return SubmittedPart(
        state=state,
        namespace=job.namespace,
        client_id=job.client_id,
        submitted_at=job.submitted_at or job.first_at,
        submitted_by=job.owner,
        never_retry=_is_forbidden(job.requests),
        wait="",
        ended=job.ended_at is not None,
        runs=(),
        requests=requests,
        endings=tuple(_endings(job, state)),
    )


def _endings(job: _Job, state: str) -> Iterator[JobEnding]:
    if job.ended_at is not None:
        yield JobEnding(state=state, by=job.ended_by or "", at=job.ended_at, opening=0)


def _is_forbidden(requests: Sequence[_Request]) -> bool:
    """Whether never-retry is the last word: a later retry lifts it."""
    asked = [request.kind for request in requests if not request.refused and request.kind in _LIFTS_OR_FORBIDS]
    return bool(asked) and asked[-1] == "never-retry"
