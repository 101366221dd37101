"""``status`` of a Job, and its conditions."""

from dataclasses import dataclass, replace
from datetime import datetime

COMPLETE = "Complete"
FAILED = "Failed"
FAILURE_TARGET = "FailureTarget"
SUCCESS_CRITERIA_MET = "SuccessCriteriaMet"
SUSPENDED = "Suspended"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCondition:
    """One condition; ``status`` is ``True``, ``False`` or ``Unknown``, as text."""

    type: str
    status: str = "True"
    reason: str = ""
    message: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStatus:
    """The status. ``None`` is an absent field; index sets are texts."""

    active: int = 0
    ready: int | None = None
    succeeded: int = 0
    failed: int = 0
    terminating: int | None = None
    completed_indexes: str = ""
    failed_indexes: str | None = None
    uncounted_succeeded: tuple[str, ...] = ()
    uncounted_failed: tuple[str, ...] = ()
    conditions: tuple[JobCondition, ...] = ()
    start_time: datetime | None = None
    completion_time: datetime | None = None

    def true(self, kind: str) -> JobCondition | None:
        """Return the condition of this type if it is True."""
        return next(
            (condition for condition in self.conditions if condition.type == kind and condition.status == "True"), None
        )

    @property
    def finished(self) -> JobCondition | None:
        """The condition that ended the Job."""
        return self.true(COMPLETE) or self.true(FAILED)


def ensure(conditions: tuple[JobCondition, ...], wanted: JobCondition) -> tuple[tuple[JobCondition, ...], bool]:
    """Return the conditions with one set, and whether that changed them (``ensureJobConditionStatus``).

    An absent condition is not added as False.
    """
    known = next((condition for condition in conditions if condition.type == wanted.type), None)
    if known is None:
        return (conditions, False) if wanted.status == "False" else ((*conditions, wanted), True)
    if replace(known, at=wanted.at) == wanted:
        return conditions, False
    return tuple(wanted if condition is known else condition for condition in conditions), True
