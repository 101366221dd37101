"""A child Job of a JobSet: the output of a Job's own step, and its labels."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agent.core.job.backoff import ZERO_TIME
from agent.core.job.status import COMPLETE, FAILED, JobCondition, JobStatus
from agent.core.job.words import JobSpec

REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"
JOB_INDEX = "jobset.sigs.k8s.io/job-index"
RESTART_ATTEMPT = "jobset.sigs.k8s.io/restart-attempt"
JOB_RESTART_ATTEMPT = "jobset.sigs.k8s.io/job-restart-attempt"

# 18 digits always fit Go's int
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedJob:
    """A failed Job, with reason, message and time of its Failed condition. The labels identify it."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    message: str = ""
    at: datetime

    @property
    def replicated_job(self) -> str | None:
        """Its replicated job; ``None`` if the label is missing or empty."""
        return self.labels.get(REPLICATED_JOB) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildJob:
    """A Job as its JobSet sees it. ``deleting``: it is being deleted, in the foreground, and still exists."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    spec: JobSpec = field(default_factory=JobSpec)
    status: JobStatus = field(default_factory=JobStatus)
    deleting: bool = False

    @property
    def replicated_job(self) -> str | None:
        """Its replicated job; ``None`` if the label is missing or empty."""
        return self.labels.get(REPLICATED_JOB) or None

    @property
    def ready(self) -> bool:
        """Whether enough pods are ready or done (``calculateReplicatedJobStatuses``)."""
        parallelism = 1 if self.spec.parallelism is None else self.spec.parallelism
        completions = parallelism if self.spec.completions is None else self.spec.completions
        return self.status.succeeded + (self.status.ready or 0) >= min(parallelism, completions)


def finished(conditions: Iterable[JobCondition]) -> JobCondition | None:
    """Return the condition that ended a Job; FailureTarget does not (``JobFinished``)."""
    return next(
        (condition for condition in conditions if condition.type in (COMPLETE, FAILED) and condition.status == "True"),
        None,
    )


def failure_of(name: str, labels: Mapping[str, str], status: JobStatus) -> FailedJob | None:
    """Return the failure in a Job's status, ``None`` if it has not failed; a missing time counts as the earliest.

    This is where a Job's own step (``agent.core.job.advance``) becomes a failure for its JobSet to judge.
    """
    condition = finished(status.conditions)
    if condition is None or condition.type != FAILED:
        return None
    at = ZERO_TIME if condition.at is None else condition.at
    return FailedJob(name=name, labels=labels, reason=condition.reason, message=condition.message, at=at)


def whole_number(text: str) -> int | None:
    """Return the number in a label or annotation, ``None`` if invalid (``strconv.Atoi``)."""
    return int(text) if _WHOLE.fullmatch(text) else None
