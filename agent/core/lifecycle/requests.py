"""What people and operators ask for. Each request may be repeated."""

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from agent.core.lifecycle.effects import Refusal, Refused, Step
from agent.core.lifecycle.endings import end
from agent.core.lifecycle.inputs import Cancel, LimitLowered, NeverRetry, Request, Retry
from agent.core.lifecycle.job import EndedBy, Ending, NextRun, SubmittedJob
from agent.core.lifecycle.state import State


def requested(job: SubmittedJob, event: Request, now: datetime) -> Step | Refused:
    """What the request does."""
    match event:
        case Cancel():
            return _cancel(job, now)
        case Retry():
            return _retry(job, event)
        case NeverRetry():
            return _never_retry(job, now)
        case LimitLowered():
            return _limit_lowered(job, now)
        case _ as unreachable:
            assert_never(unreachable)


def _cancel(job: SubmittedJob, now: datetime) -> Step | Refused:
    """End the job as cancelled."""
    if job.ending is None:
        return end(job, state=State.CANCELLED, by=EndedBy.CANCEL, now=now)
    return Step(job) if job.ending.state is State.CANCELLED else Refused(why=Refusal.ENDED, ending=job.ending)


def _retry(job: SubmittedJob, event: Retry) -> Step | Refused:
    """Grant one run. It waits for the stop of the last one like any other."""
    if job.ending is not None:
        return _reopen(job, event, job.ending)
    if job.next is None:
        return Refused(why=Refusal.RUN_OPEN)
    if job.state is State.QUEUED:
        return Step(job) if job.next.granted else Refused(why=Refusal.QUEUED)
    return Step(replace(job, next=replace(job.next, granted=True, not_before=None), never_retry=False))


def _reopen(job: SubmittedJob, event: Retry, ending: Ending) -> Step | Refused:
    if ending.state is State.SUCCEEDED and not event.again:
        return Refused(why=Refusal.NEEDS_AGAIN, ending=ending)
    last = job.latest
    following = NextRun(granted=True)
    if last is not None:
        following = NextRun(granted=True, index=last.index + 1, attempt=last.attempt)
    return Step(
        replace(
            job,
            state=State.QUEUED if last is None else State.RETRY_WAITING,
            next=following,
            ending=None,
            opening=job.opening + 1,
            never_retry=False,
        )
    )


def _never_retry(job: SubmittedJob, now: datetime) -> Step:
    """Forbid retries; a waiting one ends the job."""
    forbidden = replace(job, never_retry=True)
    if job.state is not State.RETRY_WAITING:
        return Step(forbidden)
    return end(forbidden, state=State.FAILED, by=EndedBy.NEVER_RETRY, now=now)


def _limit_lowered(job: SubmittedJob, now: datetime) -> Step | Refused:
    """End a job whose waiting retry is no longer allowed."""
    if job.ending is not None and job.ending.by is EndedBy.LIMIT:
        return Step(job)
    if job.state is not State.RETRY_WAITING or job.next is None:
        return Refused(why=Refusal.NOT_WAITING)
    if job.next.granted:
        return Refused(why=Refusal.GRANTED_BY_PERSON)
    return end(job, state=State.FAILED, by=EndedBy.LIMIT, now=now)
