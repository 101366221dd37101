"""What came of asking the error table: effects, what is logged, and what is wrong with rules."""

from dataclasses import dataclass
from enum import StrEnum

from agent.core.error_table.row import ActionKind, ErrorRule


class Stage(StrEnum):
    """The two stages of ``increase_cputime``: set it from the failed job, else ask for it to be worked out anew."""

    FROM_FAILED_JOB = "from_failed_job"
    RECALCULATION = "recalculation"


class RuleFault(StrEnum):
    """What is wrong with a rule or an error, seen when it was asked."""

    BAD_REGEXP = "bad_regexp"
    DIAG_TIMED_OUT = "diag_timed_out"
    CODE_NOT_INT = "error_code_not_int"
    WITHOUT_LIMIT = "limit_retry_without_valid_maxAttempt"
    NOT_PROPERLY_DEFINED = "rules_not_properly_defined"
    CPU_TIME_RAISED = "cpu_time_from_failed_job_raised"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something to be done, and the rule that wants it.

    ``limit`` is set for ``limit_retry``: so many runs in all. ``stage`` is set for ``increase_cputime``.
    """

    action: ActionKind
    rule: ErrorRule
    limit: int | None = None
    stage: Stage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A line for people: what a rule did, or, where not ``active``, would have done."""

    action: ActionKind
    rule: ErrorRule
    active: bool
    limit: int | None = None
    stage: Stage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A rule chosen for its kind of action; one that is not ``active`` only logs.

    ``limit`` is what a ``limit_retry`` allows, ``None`` where compatible mode chose a rule that does not say.
    """

    rule: ErrorRule
    kind: ActionKind
    active: bool
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The rules chosen for one error, in the order in which they act; and what was wrong with others."""

    chosen: tuple[Chosen, ...] = ()
    faults: tuple[RuleFault, ...] = ()
