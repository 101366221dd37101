"""The child Jobs of a JobSet, sorted by their relation to the current attempt (``getChildJobs``)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agent.core.job.status import FAILED
from agent.core.jobset.child import (
    JOB_INDEX,
    JOB_RESTART_ATTEMPT,
    REPLICATED_JOB,
    RESTART_ATTEMPT,
    ChildJob,
    FailedJob,
    failure_of,
    finished,
    whole_number,
)
from agent.core.jobset.manifest import JobSet
from agent.core.jobset.status import JobSetStatus, ReplicatedJobStatus
from agent.core.jobset.words import ReplicatedJob


class LabelError(ValueError):
    """A child Job whose labels do not give its attempt."""


@dataclass(slots=True, kw_only=True)
class Owned:
    """Child Jobs. ``previous`` belong to an earlier attempt and are deleted, however they ended."""

    previous: list[ChildJob] = field(default_factory=list)
    active: list[ChildJob] = field(default_factory=list)
    successful: list[ChildJob] = field(default_factory=list)
    failed: list[ChildJob] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        return {job.name for job in (*self.previous, *self.active, *self.successful, *self.failed)}

    @property
    def failures(self) -> list[FailedJob]:
        """The failures of failed Jobs."""
        failures = (failure_of(job.name, job.labels, job.status) for job in self.failed)
        return [failure for failure in failures if failure is not None]


def sort(children: Iterable[ChildJob], jobset: JobSet, status: JobSetStatus) -> Owned:
    """Sort child Jobs. Raises LabelError for labels without an attempt."""
    owned = Owned()
    for job in children:
        if _is_previous(job, jobset, status):
            owned.previous.append(job)
        elif (ended := finished(job.status.conditions)) is None:
            owned.active.append(job)
        elif ended.type == FAILED:
            owned.failed.append(job)
        else:
            owned.successful.append(job)
    return owned


def statuses(owned: Owned, jobset: JobSet, status: JobSetStatus) -> tuple[ReplicatedJobStatus, ...]:
    """Count the Jobs of each replicated job; counts of restarts of single Jobs stay."""
    return tuple(
        _status(replicated, owned, status, alone=jobset.gates.restart_job) for replicated in jobset.spec.replicated_jobs
    )


def _status(replicated: ReplicatedJob, owned: Owned, status: JobSetStatus, *, alone: bool) -> ReplicatedJobStatus:
    known = status.replicated(replicated.name) if alone else None
    active = [job for job in owned.active if job.replicated_job == replicated.name]
    return ReplicatedJobStatus(
        name=replicated.name,
        ready=sum(job.ready for job in active),
        succeeded=sum(job.replicated_job == replicated.name for job in owned.successful),
        failed=sum(job.replicated_job == replicated.name for job in owned.failed),
        active=sum(job.status.active > 0 for job in active),
        suspended=sum(job.spec.suspended for job in active),
        job_restarts=None if known is None else known.job_restarts,
        job_restarts_counted=None if known is None else known.job_restarts_counted,
    )


def _is_previous(job: ChildJob, jobset: JobSet, status: JobSetStatus) -> bool:
    if _number(job.labels, RESTART_ATTEMPT) < status.restarts:
        return True
    if not jobset.gates.restart_job:
        return False
    name = job.labels.get(REPLICATED_JOB)
    if name is None:
        raise LabelError(f"missing label {REPLICATED_JOB}")
    index = _number(job.labels, JOB_INDEX)
    if JOB_RESTART_ATTEMPT not in job.labels:
        return False
    replicated = jobset.spec.replicated(name)
    wanted = status.job_restarts(name, 0 if replicated is None else replicated.replicas)
    if not 0 <= index < len(wanted):
        raise LabelError(f"job index {index} is out of bounds for replicated job {name}")
    return _number(job.labels, JOB_RESTART_ATTEMPT) < wanted[index]


def _number(labels: Mapping[str, str], label: str) -> int:
    if label not in labels:
        raise LabelError(f"missing label {label}")
    number = whole_number(labels[label])
    if number is None:
        raise LabelError(f"invalid value for label {label}, must be integer")
    return number
