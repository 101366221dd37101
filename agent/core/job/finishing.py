"""Whether a Job ends, and why: the order in which ``syncJob`` checks the reasons."""

from dataclasses import replace
from datetime import datetime

from agent.core.job.backoff import ZERO_TIME
from agent.core.job.counters import Counters
from agent.core.job.limits import (
    BACKOFF_LIMIT_EXCEEDED,
    COMPLETIONS_REACHED,
    DEADLINE_EXCEEDED,
    POD_FAILURE_POLICY,
    SUCCESS_POLICY,
    matched_success_rule,
    past_backoff_limit,
    past_deadline,
    past_index_limits,
    terminal_type,
)
from agent.core.job.pod import JobPod, finish_time
from agent.core.job.status import FAILED, FAILURE_TARGET, SUCCESS_CRITERIA_MET, JobCondition


def why_ended(counters: Counters, *, failed: int, now: datetime) -> JobCondition | None:
    """Return the condition that ends the Job, if any. ``failed`` includes unreported failures."""
    return (
        _decided_before(counters, now)
        or _by_policy(counters, now)
        or _by_limits(counters, failed=failed, now=now)
        or _by_indexes(counters, now)
    )


def completed(counters: Counters, *, succeeded: int, active: int, now: datetime) -> JobCondition | None:
    """Return the condition of a Job whose work is done: enough successes, and no active pod."""
    wanted = counters.spec.completions
    enough = succeeded > 0 if wanted is None else succeeded >= wanted
    if not enough or active:
        return None
    kind = terminal_type(SUCCESS_CRITERIA_MET, counters.gates)
    if not counters.gates.success_policy:
        return JobCondition(type=kind, at=now)
    message = "Reached expected number of succeeded pods"
    return JobCondition(type=kind, reason=COMPLETIONS_REACHED, message=message, at=now)


def _decided_before(counters: Counters, now: datetime) -> JobCondition | None:
    """The decision of an earlier step, with its reason and message, whatever happened to the pod since."""
    gates, status = counters.gates, counters.status
    met = status.true(SUCCESS_CRITERIA_MET)
    if met is not None and (gates.success_policy or gates.delays_terminal_condition):
        return met
    target = status.true(FAILURE_TARGET)
    return None if target is None else replace(target, type=FAILED, at=now)


def _by_policy(counters: Counters, now: datetime) -> JobCondition | None:
    """FailJob comes first, and always sets FailureTarget."""
    if not counters.fatal:
        return None
    message = counters.judged(_first_fatal(counters)).message or ""
    return JobCondition(type=FAILURE_TARGET, reason=POD_FAILURE_POLICY, message=message, at=now)


def _first_fatal(counters: Counters) -> JobPod:
    """Return the pod to name if several match FailJob: the first to finish, which most likely caused the others.

    Upstream names the first one of a Go map, effectively a random one (``getFailJobMessage``). Ours must not depend on
    the order in which pods are reported, because a restart changes this order.
    """

    def order(pod: JobPod) -> tuple[datetime, int, str]:
        finished = finish_time(pod, counters.gates) or ZERO_TIME
        return (finished, -1 if pod.index is None else pod.index, pod.uid)

    return min((counters.pods[uid] for uid in counters.fatal), key=order)


def _by_limits(counters: Counters, *, failed: int, now: datetime) -> JobCondition | None:
    spec, kind = counters.spec, terminal_type(FAILURE_TARGET, counters.gates)
    if past_backoff_limit(failed, counters.restarts, spec, one_more=not counters.choices.restarts_reach):
        message = "Job has reached the specified backoff limit"
        return JobCondition(type=kind, reason=BACKOFF_LIMIT_EXCEEDED, message=message, at=now)
    if past_deadline(spec, counters.status.start_time, now=now):
        message = "Job was active longer than specified deadline"
        return JobCondition(type=kind, reason=DEADLINE_EXCEEDED, message=message, at=now)
    return None


def _by_indexes(counters: Counters, now: datetime) -> JobCondition | None:
    spec = counters.spec
    if not spec.indexed:
        return None
    if counters.per_index:
        over = past_index_limits(spec, failed=counters.failed, succeeded=counters.succeeded, now=now)
        if over is not None:
            return replace(over, type=terminal_type(over.type, counters.gates))
    if not counters.gates.success_policy:
        return None
    place = matched_success_rule(spec.success_policy, counters.succeeded, completions=spec.completions or 0)
    if place is None:
        return None
    message = f"Matched rules at index {place}"
    return JobCondition(type=SUCCESS_CRITERIA_MET, reason=SUCCESS_POLICY, message=message, at=now)
