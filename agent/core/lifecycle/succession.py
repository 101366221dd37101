"""When the next run of a job may follow."""

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.run import GracefulShutdown, JobRun
from agent.core.lifecycle.state import State


def holding(job: SubmittedJob, now: datetime) -> JobRun | None:
    """The earliest run that holds the next one, or the end of the job."""
    return next((run for run in job.runs if holds(run, now)), None)


def holds(run: JobRun, now: datetime) -> bool:
    """Whether no run may follow this one yet."""
    if run.is_open:
        return True
    until = held_until(run)
    return run.may_still_live and (until is None or now < until)


def held_until(run: JobRun) -> datetime | None:
    """When its grace period is over; ``None`` if no time suffices."""
    match run.terms.graceful_shutdown:
        case GracefulShutdown.CONFIRMED:
            return None
        case GracefulShutdown.TIMER:
            return None if run.closed is None else run.closed.at + run.terms.grace
        case _ as unreachable:
            assert_never(unreachable)


def settle(job: SubmittedJob, now: datetime) -> SubmittedJob:
    """End a stopping job that nothing holds any more."""
    if job.state is State.STOPPING and job.ending is not None and holding(job, now) is None:
        return replace(job, state=job.ending.state)
    return job
