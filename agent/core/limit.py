"""The types of a verdict: the action, and the code of the reason."""

from dataclasses import dataclass
from enum import StrEnum

from agent.core.failure import Failure, Occurrence, Origin


class VerdictAction(StrEnum):
    """What happens to the job after this run."""

    RETRY = "retry"
    FAIL = "fail"


class Reason(StrEnum):
    """The reason, for programs. A limit is named after the level that set the effective number."""

    RULE = "rule"
    DEFAULT_ACTION = "default-action"
    RULE_LIMIT = "rule-limit"
    POLICY_LIMIT = "policy-limit"
    GLOBAL_LIMIT = "global-limit"
    BUDGET = "budget"
    GIVE_UP = "give-up"
    WINDOW = "window"
    ERROR_TABLE = "error-table"
    NO_NODE = "no-node"
    FAIL_FAST = "fail-fast"
    NEVER_RETRY = "never-retry"
    LEGACY = "legacy"
    LEGACY_LIMIT = "legacy-limit"


class Charge(StrEnum):
    """The classes of ``spec.budgets``, in the file's spelling (docs/retry-policies.md, How often)."""

    APPLICATION = "application"
    INFRA = "infra"
    PREEMPTION = "preemption"
    NEVER_STARTED = "neverStarted"
    OOM = "oom"


_OF_NODES = frozenset({Origin.INFRA, Origin.PLATFORM})


def charge_of(failure: Failure, *, preempted: bool, out_of_memory: bool) -> Charge:
    """The class of a failure if the rule names none; if several apply, the first in this order."""
    if preempted:
        return Charge.PREEMPTION
    if out_of_memory:
        return Charge.OOM
    if failure.occurrence is Occurrence.NEVER_STARTED:
        return Charge.NEVER_STARTED
    if failure.occurrence is Occurrence.LEASE_EXPIRED or failure.classification.origin in _OF_NODES:
        return Charge.INFRA
    return Charge.APPLICATION


class Unit(StrEnum):
    """What the numbers of a limit are."""

    TIMES = "times"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit and its result: ``used`` of ``limit``, allowed while fewer.

    ``counts`` says what is counted, ``source`` where the number comes from, ``reason`` the code of a verdict that
    this limit changed.
    """

    counts: str
    used: int
    limit: int
    source: str
    reason: Reason
    allowed: bool
    unit: Unit = Unit.TIMES


class Counted(StrEnum):
    """Which of the retries that policies granted a limit of a rule or policy counts.

    ``RULE``: those under the same rule. ``UNDISTURBED``: all but those after a run that was preempted or returned by
    its cluster (armadaproject/armada internal/scheduler/jobdb/job.go, FailureCount).
    """

    RULE = "rule"
    UNDISTURBED = "undisturbed"
