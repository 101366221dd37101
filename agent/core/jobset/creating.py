"""Which child Jobs to create now, and which to resume: restart strategy, startup order, delay."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agent.core.job.effects import RequeueAfter
from agent.core.jobset.effects import CreateJob
from agent.core.jobset.manifest import JobSet, JobSetMemory
from agent.core.jobset.naming import job_name, labels
from agent.core.jobset.owned import Owned
from agent.core.jobset.status import JobSetStatus
from agent.core.jobset.words import BLOCKING_RECREATE, ReplicatedJob


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """The Jobs to create, those still delayed, and the state of a startup in order, ``None`` without one."""

    effects: tuple[CreateJob | RequeueAfter, ...] = ()
    held: Mapping[str, datetime]
    startup: bool | None = None


def creating(jobset: JobSet, status: JobSetStatus, memory: JobSetMemory, owned: Owned, *, now: datetime) -> Created:
    """Return the Jobs to create (``reconcileReplicatedJobs``).

    A name is taken while its previous Job exists; with BlockingRecreate nothing is created while any of them exists. A
    startup in order continues with the next replicated job when all Jobs of the previous one are ready or ended, also
    after a restart.
    """
    held = {name: until for name, until in memory.held.items() if until > now}
    in_order = jobset.spec.in_order and not jobset.spec.suspended
    made: list[CreateJob] = []
    wanted: set[str] = set()
    for replicated in jobset.spec.replicated_jobs:
        if in_order and is_started(replicated, status):
            continue
        missing = [] if _is_blocked(jobset, owned) else _missing(jobset, status, replicated, owned)
        made += (job for job in missing if job.name not in held)
        wanted |= {job.name for job in missing if job.name in held}
        if in_order:
            return Created(effects=(*made, *_waits(held, wanted, now)), held=held, startup=False)
    return Created(effects=(*made, *_waits(held, wanted, now)), held=held, startup=True if in_order else None)


def resuming(jobset: JobSet, status: JobSetStatus, owned: Owned) -> tuple[list[str], bool]:
    """Return the suspended Jobs to resume, and whether others must wait for them (``resumeJobsIfNecessary``)."""
    names: list[str] = []
    for replicated in jobset.spec.replicated_jobs:
        if jobset.spec.in_order and is_started(replicated, status):
            continue
        names += (job.name for job in owned.active if job.spec.suspended and job.replicated_job == replicated.name)
        if jobset.spec.in_order:
            return names, True
    return names, False


def is_started(replicated: ReplicatedJob, status: JobSetStatus) -> bool:
    """Return whether all Jobs of a replicated job are ready or ended (``allReplicasStarted``)."""
    said = status.replicated(replicated.name)
    return (0 if said is None else said.started) == replicated.replicas


def _is_blocked(jobset: JobSet, owned: Owned) -> bool:
    return bool(owned.previous) and jobset.spec.strategy == BLOCKING_RECREATE


def _missing(jobset: JobSet, status: JobSetStatus, replicated: ReplicatedJob, owned: Owned) -> list[CreateJob]:
    taken = owned.names
    return [
        CreateJob(
            name=name,
            replicated_job=replicated.name,
            index=index,
            labels=labels(jobset, status, replicated, index),
            suspended=jobset.spec.suspended,
        )
        for index in range(replicated.replicas)
        if (name := job_name(jobset.name, replicated.name, index)) not in taken
    ]


def _waits(held: Mapping[str, datetime], wanted: set[str], now: datetime) -> tuple[RequeueAfter, ...]:
    """When the first delayed Job that is needed now is due."""
    due = min((held[name] for name in wanted), default=None)
    return () if due is None else (RequeueAfter(after=due - now),)
