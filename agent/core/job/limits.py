"""What ends a Job: its limits, its deadline, its success policy, and the time it is kept after."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from agent.core.job.gates import Gates
from agent.core.job.indexes import IndexSet, parse
from agent.core.job.status import (
    COMPLETE,
    FAILED,
    FAILURE_TARGET,
    SUCCESS_CRITERIA_MET,
    JobCondition,
    JobStatus,
)
from agent.core.job.words import MAX_INT32, ON_FAILURE, JobSpec, SuccessRule

BACKOFF_LIMIT_EXCEEDED = "BackoffLimitExceeded"
DEADLINE_EXCEEDED = "DeadlineExceeded"
FAILED_INDEXES = "FailedIndexes"
MAX_FAILED_INDEXES_EXCEEDED = "MaxFailedIndexesExceeded"
POD_FAILURE_POLICY = "PodFailurePolicy"
SUCCESS_POLICY = "SuccessPolicy"
COMPLETIONS_REACHED = "CompletionsReached"

LONGEST_ACTIVE_SECONDS = (2**63 - 1) // 10**9
"""292 years, the longest duration in Go; a longer deadline is no deadline."""


def past_backoff_limit(failed: int, restarts: int, spec: JobSpec, *, one_more: bool = False) -> bool:
    """Return whether there are too many failed pods or restarts of live pods.

    ``restarts`` are those of Running and Pending pods. They end the Job when they reach the limit, unless the Job
    chose that they must exceed it, like failed pods (``one_more``).
    """
    limit = MAX_INT32 if spec.backoff_limit is None else spec.backoff_limit
    if failed > limit:
        return True
    if spec.template.restart_policy != ON_FAILURE:
        return False
    return restarts > limit if limit == 0 or one_more else restarts >= limit


def longest_active(spec: JobSpec) -> timedelta | None:
    """Return for how long the Job may be active, ``None`` for no limit; not used while suspended."""
    seconds = spec.active_deadline_seconds
    if seconds is None or seconds > LONGEST_ACTIVE_SECONDS or spec.suspended:
        return None
    return timedelta(seconds=seconds)


def past_deadline(spec: JobSpec, started: datetime | None, *, now: datetime) -> bool:
    """Return whether the Job was active for too long; never while suspended (``pastActiveDeadline``)."""
    longest = longest_active(spec)
    return longest is not None and started is not None and now - started >= longest


def past_index_limits(spec: JobSpec, *, failed: IndexSet, succeeded: IndexSet, now: datetime) -> JobCondition | None:
    """Return why failed indexes end the Job, if any."""
    if spec.max_failed_indexes is not None and len(failed) > spec.max_failed_indexes:
        message = "Job has exceeded the specified maximal number of failed indexes"
        return JobCondition(type=FAILURE_TARGET, reason=MAX_FAILED_INDEXES_EXCEEDED, message=message, at=now)
    if failed and len(failed) + len(succeeded) >= (spec.completions or 0):
        return JobCondition(type=FAILURE_TARGET, reason=FAILED_INDEXES, message="Job has failed indexes", at=now)
    return None


def matched_success_rule(rules: Sequence[SuccessRule] | None, succeeded: IndexSet, *, completions: int) -> int | None:
    """Return the place of the first rule of ``successPolicy`` that is met (``matchSuccessPolicy``)."""
    if not succeeded:
        return None
    return next((at for at, rule in enumerate(rules or ()) if _met(rule, succeeded, completions)), None)


def terminal_type(kind: str, gates: Gates) -> str:
    """Return the condition that is set first: the interim one, unless both gates are off."""
    if gates.delays_terminal_condition:
        return kind
    return {FAILURE_TARGET: FAILED, SUCCESS_CRITERIA_MET: COMPLETE}[kind]


def expires_at(spec: JobSpec, status: JobStatus) -> datetime | None:
    """Return when a finished Job is to be deleted; ``None`` for one that stays (``ttlSecondsAfterFinished``)."""
    finished = status.finished
    if spec.ttl_seconds_after_finished is None or finished is None or finished.at is None:
        return None
    return finished.at + timedelta(seconds=spec.ttl_seconds_after_finished)


def _met(rule: SuccessRule, succeeded: IndexSet, completions: int) -> bool:
    if rule.succeeded_indexes is None:
        return rule.succeeded_count is not None and len(succeeded) >= rule.succeeded_count
    wanted = parse(rule.succeeded_indexes, completions=completions)
    shared = wanted.overlap(succeeded)
    enough = rule.succeeded_count is not None and shared >= rule.succeeded_count
    return bool(wanted) and (shared == len(wanted) or enough)
