"""Conditions of a JobSet, and the events about them, with upstream's messages (constants.go)."""

from dataclasses import dataclass, replace
from datetime import datetime

from agent.core.job.status import JobCondition

COMPLETED = "Completed"
FAILED = "Failed"
SUSPENDED = "Suspended"
RESTARTING = "RestartingJobSet"
STARTUP_IN_PROGRESS = "StartupPolicyInProgress"
STARTUP_COMPLETED = "StartupPolicyCompleted"

FAILED_JOBS = "FailedJobs"
REACHED_MAX_RESTARTS = "ReachedMaxRestarts"
DEFAULT_FAILURE_POLICY = "DefaultFailurePolicy"

NORMAL = "Normal"
WARNING = "Warning"

_EXCLUSIVE = ({STARTUP_IN_PROGRESS, STARTUP_COMPLETED},)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetEvent:
    """An event about a JobSet, to be sent once its status is written."""

    type: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionUpdate:
    """The conditions, and the events about those that changed."""

    conditions: tuple[JobCondition, ...] = ()
    events: tuple[JobSetEvent, ...] = ()

    def set(self, wanted: JobCondition, *, event: str = NORMAL) -> "ConditionUpdate":
        """Set a condition (``updateCondition``). An absent one is not added as False.

        A condition keeps its time while its status stays the same. Conditions that it excludes become False.
        """
        known = {condition.type for condition in self.conditions}
        changed = tuple(_with(condition, wanted) for condition in self.conditions)
        if wanted.type not in known and wanted.status == "True":
            changed = (*changed, wanted)
        if changed == self.conditions:
            return self
        changed_event = JobSetEvent(type=event, reason=wanted.reason, message=wanted.message)
        return ConditionUpdate(conditions=changed, events=(*self.events, changed_event))


def _with(condition: JobCondition, wanted: JobCondition) -> JobCondition:
    if condition.type == wanted.type:
        return wanted if condition.status != wanted.status else replace(wanted, at=condition.at)
    both_true = condition.status == wanted.status == "True"
    excluded = both_true and any({condition.type, wanted.type} == pair for pair in _EXCLUSIVE)
    return replace(condition, status="False") if excluded else condition


def failed(reason: str, message: str, *, now: datetime) -> JobCondition:
    """Return the condition of a failed JobSet."""
    return JobCondition(type=FAILED, reason=reason, message=message, at=now)


def completed(*, now: datetime) -> JobCondition:
    """Return the condition of a completed JobSet."""
    return JobCondition(type=COMPLETED, reason="AllJobsCompleted", message="jobset completed successfully", at=now)


def restarting(rule: str | None, message: str, *, now: datetime) -> JobCondition:
    """Return the condition of a JobSet whose Jobs are all recreated; ``rule`` is the one that decided."""
    reason = DEFAULT_FAILURE_POLICY if rule is None else f"FailurePolicy_{rule}"
    return JobCondition(type=RESTARTING, reason=reason, message=message, at=now)


def restarted(reason: str, message: str, *, now: datetime) -> JobCondition:
    """Return the condition of a JobSet that may not restart again."""
    return JobCondition(type=RESTARTING, status="False", reason=reason, message=message, at=now)


def suspended(*, now: datetime) -> JobCondition:
    """Return the condition of a suspended JobSet."""
    return JobCondition(type=SUSPENDED, reason="SuspendedJobs", message="jobset is suspended", at=now)


def resumed(*, now: datetime) -> JobCondition:
    """Return the condition of a resumed JobSet."""
    return JobCondition(type=SUSPENDED, status="False", reason="ResumeJobs", message="jobset is resumed", at=now)


def startup(*, done: bool, now: datetime) -> JobCondition:
    """Return the condition of a startup in order, in progress or done."""
    if done:
        message = "in order startup policy has completed"
        return JobCondition(type=STARTUP_COMPLETED, reason="InOrderStartupPolicyCompleted", message=message, at=now)
    message = "in order startup policy is in progress"
    return JobCondition(type=STARTUP_IN_PROGRESS, reason="InOrderStartupPolicyInProgress", message=message, at=now)
