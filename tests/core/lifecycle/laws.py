"""What holds of every step of every job, whatever happens in whatever order."""

from collections.abc import Iterator
from datetime import datetime
from typing import TypeGuard

from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import (
    Create,
    Effect,
    Refused,
    ReturnGrant,
    Start,
    StateChanged,
    Step,
    Stop,
    WriteEnding,
    WriteVerdict,
)
from agent.core.lifecycle.guarantees import Guarantee
from agent.core.lifecycle.inputs import Input, Leased, LeaseExpired, PhaseReported, Retry, RunRejected, RunStopped
from agent.core.lifecycle.job import EndedBy, NextRun, SubmittedJob
from agent.core.lifecycle.run import GracefulShutdown, JobRun, LostCluster
from agent.core.lifecycle.state import ACTIVE, WAITING, State
from agent.core.lifecycle.transitions import permitted
from agent.core.run_event import RunPhase, StopAnswer

Finding = tuple[Guarantee | str, str]
ONCE = (WriteVerdict, WriteEnding, ReturnGrant, StateChanged, Create)


def broken(before: SubmittedJob, event: Input, now: datetime, result: Step | Refused) -> Iterator[Finding]:
    """The promises that this step breaks, each with what breaks it."""
    yield from _reports(before, event, result)
    if isinstance(result, Refused):
        return
    job, effects = result.job, result.effects
    if before.ending is not None and job.ending is None and not isinstance(event, Retry):
        yield Guarantee.NO_RUN_AFTER_END, f"{event} reopens the job"
    yield from inconsistent(job)
    yield from _history(before, job, effects)
    yield from _commands(before, job, effects)
    yield from _repeated(job, event, now)
    if job.state is not before.state and (before.state, type(event), job.state) not in permitted():
        yield "transitions", f"{before.state} to {job.state}"
    if isinstance(event, Leased) and len(job.runs) > len(before.runs):
        yield from _leased(before, now)


def _reports(before: SubmittedJob, event: Input, result: Step | Refused) -> Iterator[Finding]:
    """What a success, a rejection or the silence of a cluster must lead to."""
    job, open_run, latest = (result.job if isinstance(result, Step) else before), before.open_run, before.latest
    if tells_success(event) and latest is not None and before.ending is None:
        fresh = before.run_of_pod(event.uid, cluster=event.cluster) == latest and latest.phase is not RunPhase.SUCCEEDED
        if fresh and (job.ending is None or job.ending.by is not EndedBy.SUCCESS):
            yield Guarantee.SUCCESS_BEFORE_NEXT_RUN, f"{event}: {job}"
    if open_run is None or job == before:
        return
    if isinstance(event, LeaseExpired) and open_run.terms.lost_cluster is LostCluster.WAIT:
        yield Guarantee.SILENCE_PROVES_NOTHING, f"{event}: {job}"
    ended = job.ending is not None and (job.ending.by is EndedBy.SUCCESS or job.never_retry)
    if isinstance(event, RunRejected) and not ended and (job.next is None or _place(job.next) != _place(open_run)):
        yield Guarantee.REJECTION_COUNTS_NOTHING, f"{job.next} after {open_run}"


def tells_success(event: Input) -> TypeGuard[PhaseReported | RunStopped]:
    by_phase = isinstance(event, PhaseReported) and event.phase is RunPhase.SUCCEEDED
    return by_phase or (isinstance(event, RunStopped) and event.answer is StopAnswer.SUCCEEDED_BEFORE)


def _place(run: NextRun | JobRun) -> tuple[int, int, bool]:
    return run.index, run.attempt, run.granted


def inconsistent(job: SubmittedJob) -> Iterator[Finding]:
    """Whether a run is open, one waits, or the job has ended: exactly one, and the state says which."""
    still_open = [run for run in job.runs if run.is_open]
    if [bool(still_open), job.next is not None, job.ending is not None].count(True) != 1:
        yield "one-of-three", f"{job}"
    if (job.state in ACTIVE, job.state in WAITING) != (bool(still_open), job.next is not None):
        yield "state", f"{job.state}"
    if job.state is State.RETRY_WAITING and job.never_retry:
        yield Guarantee.NEVER_RETRY_FORBIDS, f"{job.next}"
    if still_open not in ([], [*job.runs[-1:]]):
        yield "one-open-run", f"{still_open}"
    if any(run.is_open and (run.confirmed or run.answered or run.verdict) for run in job.runs):
        yield "open-run-has-no-end", f"{still_open}"


def _history(before: SubmittedJob, job: SubmittedJob, effects: tuple[Effect, ...]) -> Iterator[Finding]:
    """What is written once never changes, and each change has its effect."""
    for old, new in zip(before.runs, job.runs, strict=False):
        if old.run_id != new.run_id or (old.uid and old.uid != new.uid):
            yield Guarantee.ONE_UID_PER_RUN, f"{old} became {new}"
        if (old.closed and old.closed != new.closed) or (old.verdict and old.verdict != new.verdict):
            yield Guarantee.ONE_VERDICT_PER_RUN, f"{old} became {new}"
        written = WriteVerdict(run_id=new.run_id, verdict=new.verdict) if new.verdict else None
        if (new.verdict is not old.verdict) != (written in effects):
            yield Guarantee.ONE_VERDICT_PER_RUN, f"{effects}"
    endings = [effect.ending for effect in effects if isinstance(effect, WriteEnding)]
    if endings != ([] if before.ending is not None or job.ending is None else [job.ending]):
        yield Guarantee.FIRST_ENDING_WINS, f"{endings}"
    if before.ending and job.ending and before.ending != job.ending:
        yield Guarantee.FIRST_ENDING_WINS, f"{before.ending} became {job.ending}"
    verdicts = [effect for effect in effects if isinstance(effect, WriteVerdict)]
    if len(verdicts) > 1:
        yield Guarantee.ONE_VERDICT_PER_RUN, f"{verdicts}"


def _commands(before: SubmittedJob, job: SubmittedJob, effects: tuple[Effect, ...]) -> Iterator[Finding]:
    for effect in effects:
        run = job.run(effect.run_id) if isinstance(effect, Start | Create) else None
        if isinstance(effect, Start) and (run is None or not run.is_open or run.uid != effect.uid):
            yield Guarantee.STARTS_ONLY_BY_UID, f"{effect} of {run}"
        if isinstance(effect, Create) and (run is None or not run.is_open or run.uid is not None):
            yield Guarantee.CLOSED_RUN_NEVER_SENT, f"{effect} of {run}"
    for run in job.runs:
        if _ended(before, job, run) and run.may_still_live and not _stops(effects, run):
            yield Guarantee.STOP_WITH_EVERY_END, f"{run}: {effects}"


def _ended(before: SubmittedJob, job: SubmittedJob, run: JobRun) -> bool:
    """Whether the run was closed in this step, or the job ended while it was the latest."""
    old = before.run(run.run_id)
    closed = old is not None and old.is_open and not run.is_open
    return closed or (before.ending is None and job.ending is not None and run == job.latest)


def _stops(effects: tuple[Effect, ...], run: JobRun) -> bool:
    return any(isinstance(effect, Stop) and effect.uid == run.uid for effect in effects)


def _leased(before: SubmittedJob, now: datetime) -> Iterator[Finding]:
    for run in before.runs:
        timer = run.terms.graceful_shutdown is GracefulShutdown.TIMER
        over = timer and run.closed is not None and run.closed.at + run.terms.grace <= now
        if run.closed is None or (run.uid is not None and run.confirmed is None and not over):
            yield Guarantee.NEXT_RUN_AFTER_CONFIRMATION, f"{run}"
    if before.ending is not None:
        yield Guarantee.NO_RUN_AFTER_END, f"{before.ending}"


def _repeated(job: SubmittedJob, event: Input, now: datetime) -> Iterator[Finding]:
    again = advance(job, event, now)
    if isinstance(again, Step) and (again.job != job or any(isinstance(effect, ONCE) for effect in again.effects)):
        yield Guarantee.REPEATS_CHANGE_NOTHING, f"{event}: {again}"
