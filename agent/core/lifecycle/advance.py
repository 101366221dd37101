"""One step of a submitted job: what an input does to it. Start reading here."""

from datetime import datetime
from typing import assert_never

from agent.core.lifecycle.effects import Effect, Refused, StateChanged, Step
from agent.core.lifecycle.inputs import (
    Cancel,
    Confirmed,
    CreationFailed,
    GatedPodDeleted,
    Input,
    Leased,
    LeaseExpired,
    LimitLowered,
    NameTaken,
    NeverRetry,
    NotCreated,
    PhaseReported,
    Preempted,
    Retry,
    RunCreated,
    RunFailed,
    RunRejected,
    RunStopped,
    TimePassed,
)
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.leasing import created, lease
from agent.core.lifecycle.repeats import due_again, due_at, sent_again
from agent.core.lifecycle.reports import of_pod, of_run
from agent.core.lifecycle.requests import requested
from agent.core.lifecycle.state import State
from agent.core.lifecycle.succession import held_until, holding, settle


def advance(job: SubmittedJob, event: Input, now: datetime) -> Step | Refused:
    """What the input does to the job. The caller writes job and effects in one transaction, under the job's lock."""
    step = _advance(job, event, now)
    if isinstance(step, Refused) or step.job.state is job.state:
        return step
    changed = StateChanged(before=job.state, after=step.job.state)
    return Step(step.job, (*step.effects, changed))


def _advance(job: SubmittedJob, event: Input, now: datetime) -> Step | Refused:
    match event:
        case Leased():
            return lease(job, event, now)
        case RunCreated():
            return created(job, event, now)
        case PhaseReported() | RunFailed() | GatedPodDeleted() | RunStopped() | Confirmed():
            return of_pod(job, event, now)
        case RunRejected() | CreationFailed() | NameTaken() | NotCreated() | LeaseExpired() | Preempted():
            return of_run(job, event, now)
        case Cancel() | Retry() | NeverRetry() | LimitLowered():
            return requested(job, event, now)
        case TimePassed():
            return _time_passed(job, now)
        case _ as unreachable:
            assert_never(unreachable)


def decidable(job: SubmittedJob, uid: str, *, cluster: str) -> bool:
    """Whether the failure of this pod gets a verdict; else it is evidence, or of a pod that nobody recorded."""
    run = job.run_of_pod(uid, cluster=cluster)
    return run is not None and run.is_open


def _time_passed(job: SubmittedJob, now: datetime) -> Step:
    """End what waited for a grace period, and send again what nobody answered."""
    commands: list[Effect] = []
    for run in job.runs:
        command = due_again(run, now)
        if command is not None:
            commands.append(command)
            job = job.with_run(sent_again(run, now))
    return Step(settle(job, now), tuple(commands))


def wakes_at(job: SubmittedJob, now: datetime) -> datetime | None:
    """When the job is to be looked at again, if nothing else happens; ``None``: never. A past time means now."""
    times = [due_at(run) for run in job.runs]
    waits = job.next is not None or job.state is State.STOPPING
    held = holding(job, now) if waits else None
    if held is not None:
        times.append(held_until(held))
    elif waits:
        times.append((job.next and job.next.not_before) or now)
    return min((time for time in times if time is not None), default=None)
