"""Writes a verdict on a JobSet into its status."""

from dataclasses import dataclass, replace
from datetime import datetime

from agent.core.jobset.child import JOB_INDEX, REPLICATED_JOB, FailedJob, whole_number
from agent.core.jobset.condition import FAILED, WARNING, ConditionUpdate, JobSetEvent, failed, restarted, restarting
from agent.core.jobset.decide import ActionError, ParentOutcome, ParentVerdict
from agent.core.jobset.status import JobSetStatus, ReplicatedJobStatus
from agent.core.jobset.words import JobSetSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The status after a verdict, and the events about it."""

    status: JobSetStatus
    events: tuple[JobSetEvent, ...] = ()


def apply(verdict: ParentVerdict, status: JobSetStatus, spec: JobSetSpec, *, now: datetime) -> Applied:
    """Write a verdict into the status. A restart of the whole JobSet does not change the counts of single Jobs.

    Raises ActionError if a single Job is to be restarted but its labels do not identify it.
    """
    match verdict.outcome:
        case ParentOutcome.FAIL_JOB_SET:
            return fail(status, verdict.reason, verdict.message, now=now)
        case ParentOutcome.RESTART_JOB_SET:
            return _restart_all(verdict, status, now)
        case ParentOutcome.RESTART_JOB:
            counted = _one_more(verdict, status, spec)
            return Applied(status=counted, events=(_event(verdict),))


def fail(status: JobSetStatus, reason: str, message: str, *, now: datetime) -> Applied:
    """Fail a JobSet (``setJobSetFailedCondition``)."""
    update = ConditionUpdate(conditions=status.conditions).set(failed(reason, message, now=now), event=WARNING)
    update = update.set(restarted("JobSetFailed", "jobset failed", now=now))
    return Applied(status=replace(status, conditions=update.conditions, terminal_state=FAILED), events=update.events)


def _restart_all(verdict: ParentVerdict, status: JobSetStatus, now: datetime) -> Applied:
    wanted = restarting(verdict.proposal.rule, verdict.message, now=now)
    update = ConditionUpdate(conditions=status.conditions).set(wanted)
    after = replace(
        status,
        restarts=status.restarts + 1,
        restarts_counted=status.restarts_counted + verdict.counts,
        conditions=update.conditions,
    )
    return Applied(status=after, events=(_event(verdict),))


def _event(verdict: ParentVerdict) -> JobSetEvent:
    return JobSetEvent(type=WARNING, reason=verdict.reason, message=verdict.message)


def _one_more(verdict: ParentVerdict, status: JobSetStatus, spec: JobSetSpec) -> JobSetStatus:
    """Count a restart of one Job. Upstream loses the count if the status has no entry for its replicated job."""
    name, index, replicas = _place(verdict.job, status, spec)
    known = status.replicated(name) or ReplicatedJobStatus(name=name)
    counted = known.job_restarts_counted
    after = replace(
        known,
        job_restarts=_raised(known.job_restarts, index, replicas),
        job_restarts_counted=_raised(counted, index, replicas) if verdict.counts else counted,
    )
    others = [replicated for replicated in status.replicated_jobs if replicated.name != name]
    if len(others) == len(status.replicated_jobs):
        return status.with_replicated((*others, after))
    return status.with_replicated(
        after if replicated.name == name else replicated for replicated in status.replicated_jobs
    )


def _raised(counts: tuple[int, ...] | None, index: int, replicas: int) -> tuple[int, ...]:
    """The counts plus one, extended to the number of replicas: upstream's list stays too short after scaling up."""
    filled = (*(counts or ()), *(0,) * (replicas - len(counts or ())))
    return tuple(count + (at == index) for at, count in enumerate(filled))


def _place(job: FailedJob, status: JobSetStatus, spec: JobSetSpec) -> tuple[str, int, int]:
    """Return the Job's replicated job, its index there, and the number of replicas."""
    name, text = job.replicated_job, job.labels.get(JOB_INDEX)
    if name is None:
        raise ActionError(f"failed job {job.name} is missing label {REPLICATED_JOB}")
    if text is None:
        raise ActionError(f"failed job {job.name} is missing label {JOB_INDEX}")
    index = whole_number(text)
    if index is None:
        raise ActionError(f"failed job {job.name} has an invalid value for label {JOB_INDEX}: {text}")
    replicated = spec.replicated(name)
    replicas = len(status.job_restarts(name, 0)) if replicated is None else replicated.replicas
    if not 0 <= index < replicas:
        said = f"failed job {job.name} has index {index} out of bounds for replicated job {name}"
        raise ActionError(f"{said} (replicas: {replicas})")
    return name, index, replicas
