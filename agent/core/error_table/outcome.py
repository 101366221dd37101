"""The outcome of the error table: effects, log lines, and problems with rules."""

from dataclasses import dataclass
from enum import StrEnum

from agent.core.error_table.row import ActionKind, ErrorRule


class Stage(StrEnum):
    """The two stages of ``increase_cputime``: set it from the failed job, else request a recalculation."""

    FROM_FAILED_JOB = "from_failed_job"
    RECALCULATION = "recalculation"


class RuleFault(StrEnum):
    """What is wrong with a rule or an error, found when it was evaluated."""

    BAD_REGEXP = "bad_regexp"
    DIAG_TIMED_OUT = "diag_timed_out"
    CODE_NOT_INT = "error_code_not_int"
    WITHOUT_LIMIT = "limit_retry_without_valid_maxAttempt"
    NOT_PROPERLY_DEFINED = "rules_not_properly_defined"
    CPU_TIME_RAISED = "cpu_time_from_failed_job_raised"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An action, and its rule.

    ``limit`` is set for ``limit_retry``: the total number of runs. ``stage`` is set for ``increase_cputime``.
    """

    action: ActionKind
    rule: ErrorRule
    limit: int | None = None
    stage: Stage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A line for people: what a rule did or, if not ``active``, would have done."""

    action: ActionKind
    rule: ErrorRule
    active: bool
    limit: int | None = None
    stage: Stage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A rule chosen for its kind of action; an inactive one only logs.

    ``limit`` is what a ``limit_retry`` allows, ``None`` if compatible mode chose a rule without a limit.
    """

    rule: ErrorRule
    kind: ActionKind
    active: bool
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The rules chosen for one error, in the order in which they act; and problems with others."""

    chosen: tuple[Chosen, ...] = ()
    faults: tuple[RuleFault, ...] = ()
