"""Submitted jobs <-> the messages of the API."""

from typing import Final

from agent.api.v1 import job_pb2 as pb
from agent.core.lifecycle.state import State
from agent.scheduler.service.confirming import ConfirmResult, HoldingOrphan
from agent.scheduler.service.requesting import RequestOutcome, RequestResult, Standing
from agent.scheduler.service.submitting import SubmitOutcome, SubmitResult
from agent.wire.time import fill_time

_SUBMITTED: Final = {
    SubmitOutcome.SUBMITTED: pb.SUBMIT_OUTCOME_SUBMITTED,
    SubmitOutcome.EXISTS: pb.SUBMIT_OUTCOME_EXISTS,
    SubmitOutcome.CONFLICT: pb.SUBMIT_OUTCOME_CONFLICT,
    SubmitOutcome.REFUSED: pb.SUBMIT_OUTCOME_REFUSED,
}
_REQUESTED: Final = {
    RequestOutcome.DONE: pb.REQUEST_OUTCOME_DONE,
    RequestOutcome.UNCHANGED: pb.REQUEST_OUTCOME_UNCHANGED,
    RequestOutcome.REFUSED: pb.REQUEST_OUTCOME_REFUSED,
    RequestOutcome.NOT_FOUND: pb.REQUEST_OUTCOME_NOT_FOUND,
}
_STATES: Final = {
    None: pb.JOB_STATE_UNSPECIFIED,
    State.QUEUED: pb.JOB_STATE_QUEUED,
    State.LEASED: pb.JOB_STATE_LEASED,
    State.PENDING: pb.JOB_STATE_PENDING,
    State.RUNNING: pb.JOB_STATE_RUNNING,
    State.RETRY_WAITING: pb.JOB_STATE_RETRY_WAITING,
    State.STOPPING: pb.JOB_STATE_STOPPING,
    State.SUCCEEDED: pb.JOB_STATE_SUCCEEDED,
    State.FAILED: pb.JOB_STATE_FAILED,
    State.CANCELLED: pb.JOB_STATE_CANCELLED,
}


def of_submitted(result: SubmitResult) -> pb.SubmitResult:
    """The result of a submission as a message."""
    return pb.SubmitResult(
        job_id=result.job_id,
        name=result.name,
        queue=result.queue,
        line=result.line,
        outcome=_SUBMITTED[result.outcome],
        message=result.message,
        warnings=result.warnings,
    )


def of_requested(result: RequestResult) -> pb.RequestResult:
    """The result of a request as a message."""
    return pb.RequestResult(
        job_id=result.job_id,
        outcome=_REQUESTED[result.outcome],
        state=_STATES[result.state],
        message=result.message,
        wait=result.wait,
    )


def of_confirmed(result: ConfirmResult) -> pb.RunRequestResult:
    """The result of a confirmation as a message."""
    return pb.RunRequestResult(
        name=result.name,
        run_id=result.run_id,
        job_id=result.job_id,
        pod=result.pod,
        outcome=_REQUESTED[result.outcome],
        state=_STATES[result.state],
        message=result.message,
        wait=result.wait,
    )


def of_orphan(holding: HoldingOrphan) -> pb.Orphan:
    """An orphan as a message."""
    known, orphan = holding.known, holding.known.orphan
    message = pb.Orphan(
        cluster=known.cluster,
        namespace=orphan.namespace,
        pod_name=orphan.pod_name,
        uid=orphan.uid,
        node=orphan.node,
        job_id=orphan.job_id,
        run_id=orphan.run_id,
        queue=orphan.queue,
        phase=orphan.phase.value,
        held_job_ids=holding.job_ids,
        confirmed_by=known.confirmed_by or "",
        confirmed_reason=known.confirmed_reason or "",
    )
    fill_time(message.since_time, orphan.since)
    if known.confirmed_at is not None:
        fill_time(message.confirmed_time, known.confirmed_at)
    return message


def of_standing(standing: Standing) -> pb.Job:
    """A job as a message."""
    job, submission = standing.held.job, standing.held.submission
    message = pb.Job(
        job_id=job.job_id,
        queue=submission.queue,
        job_set=submission.job_set,
        client_id=submission.client_id,
        state=_STATES[job.state],
        wait=standing.wait,
        submitted_by=submission.submitted_by,
        runs=sum(not run.was_rejected for run in job.runs),
    )
    fill_time(message.submitted_time, submission.submitted_at)
    if job.ending is not None:
        message.ending, message.ended_by = _STATES[job.ending.state], job.ending.by.value
        fill_time(message.ended_time, job.ending.at)
    return message
