"""How runs and jobs end. Whatever ends a run that may still live writes its stop in the same step."""

from dataclasses import replace
from datetime import datetime
from typing import assert_never

from agent.core.lifecycle.effects import Effect, Refusal, Refused, ReturnGrant, Step, Stop, WriteEnding, WriteVerdict
from agent.core.lifecycle.job import EndedBy, Ending, NextRun, SubmittedJob
from agent.core.lifecycle.repeats import sent_now, stop_of
from agent.core.lifecycle.run import Closed, Closing, Fail, JobRun, RetryAt, RunVerdict
from agent.core.lifecycle.state import State
from agent.core.lifecycle.succession import holding
from agent.core.run_event import RunPhase


def judge(job: SubmittedJob, run: JobRun, verdict: RunVerdict, now: datetime) -> Step | Refused:
    """Close an open run with its verdict; the failure of a closed one is evidence."""
    if not run.is_open:
        return Step(job)
    if job.never_retry and isinstance(verdict, RetryAt):
        return Refused(why=Refusal.NEVER_RETRY)
    judged = job.with_run(closed(replace(run, verdict=verdict), Closing.VERDICT, now))
    written = WriteVerdict(run_id=run.run_id, verdict=verdict)
    match verdict:
        case RetryAt():
            following = NextRun(index=run.index + 1, attempt=run.attempt + 1, not_before=verdict.at)
            waiting, stops = stopped(replace(judged, state=State.RETRY_WAITING, next=following), now)
            return Step(waiting, (written, *stops))
        case Fail():
            ended = end(judged, state=State.FAILED, by=EndedBy.VERDICT, now=now)
            return Step(ended.job, (written, *ended.effects))
        case _ as unreachable:
            assert_never(unreachable)


def succeed(job: SubmittedJob, run: JobRun, now: datetime) -> Step:
    """A pod succeeded: that ends the job unless it has ended, or a later run was leased."""
    if run.phase is RunPhase.SUCCEEDED:
        return Step(job)
    succeeded = replace(run, phase=RunPhase.SUCCEEDED)
    if job.ending is not None or run != job.latest:
        return Step(job.with_run(succeeded))
    return _end_by(job, closed(succeeded, Closing.SUCCESS, now) if succeeded.is_open else succeeded, now)


def _end_by(job: SubmittedJob, succeeded: JobRun, now: datetime) -> Step:
    """End the job by the success of this run; the retry that its verdict granted is not counted."""
    returned = isinstance(succeeded.verdict, RetryAt)
    ended = end(
        job.with_run(replace(succeeded, grant_returned=returned)), state=State.SUCCEEDED, by=EndedBy.SUCCESS, now=now
    )
    return Step(ended.job, (*ended.effects, *([ReturnGrant(run_id=succeeded.run_id)] if returned else ())))


def end(job: SubmittedJob, *, state: State, by: EndedBy, now: datetime) -> Step:
    """End a job that has not ended. It is stopping first if a pod may still live, unless it succeeded."""
    open_run = job.open_run
    if open_run is not None:
        job = job.with_run(closed(open_run, Closing.ENDING, now))
    ending = Ending(state=state, by=by, at=now, opening=job.opening)
    job, stops = stopped(replace(job, next=None, ending=ending), now)
    stopping = state is not State.SUCCEEDED and holding(job, now) is not None
    return Step(replace(job, state=State.STOPPING if stopping else state), (WriteEnding(ending=ending), *stops))


def reject(job: SubmittedJob, run: JobRun, *, retry_at: datetime, reason: str, now: datetime) -> Step:
    """Close a run that its cluster did not take. A new run takes its place, with the same attempt, index and grant."""
    rejected = job.with_run(closed(run, Closing.REJECTED, now))
    before = rejected.latest
    if before is not None and before.phase is RunPhase.SUCCEEDED and not run.granted:
        # Its success was reported while this run had no pod yet. A run that a person asked for goes on.
        return _end_by(rejected, before, now)
    if job.never_retry and run.index > 0:  # the same as if the request had come after the rejection
        return end(rejected, state=State.FAILED, by=EndedBy.NEVER_RETRY, now=now)
    following = NextRun(
        index=run.index, attempt=run.attempt, not_before=retry_at, granted=run.granted, rejected=reason or "rejected"
    )
    waiting = State.QUEUED if run.index == 0 else State.RETRY_WAITING
    return Step(replace(rejected, state=waiting, next=following))


def closed(run: JobRun, why: Closing, now: datetime) -> JobRun:
    return replace(run, closed=Closed(why=why, at=now))


def stopped(job: SubmittedJob, now: datetime) -> tuple[SubmittedJob, tuple[Effect, ...]]:
    """Have the latest run stopped if it may still live. A run without a uid needs no answer: its pod never starts."""
    run = job.latest
    if run is None or run.uid is None or not run.may_still_live:
        return job, ()
    stop: Stop = stop_of(run, run.uid)
    return job.with_run(sent_now(run, now)), (stop,)
