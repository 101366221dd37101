"""Matches ``failurePolicy`` against failed Jobs: for each rule all Jobs, the earliest failure first."""

from collections.abc import Sequence

from agent.core.classify.pattern import PatternError, compile_pattern
from agent.core.jobset.child import FailedJob
from agent.core.jobset.words import Rule


def first_failed(failed: Sequence[FailedJob]) -> FailedJob | None:
    """Return the Job that failed earliest, in a tie the first one (``findFirstFailedJob``)."""
    return min(failed, key=lambda job: job.at, default=None)


def matches(rule: Rule, job: FailedJob) -> bool:
    """Return whether a rule applies to a failed Job (``ruleIsApplicable``); never without a replicated job."""
    if rule.reasons and job.reason not in rule.reasons:
        return False
    if rule.patterns and not any(_found(pattern, job.message) for pattern in rule.patterns):
        return False
    if job.replicated_job is None:
        return False
    return not rule.targets or job.replicated_job in rule.targets


def first_match(rules: Sequence[Rule], failed: Sequence[FailedJob]) -> tuple[int, FailedJob] | None:
    """Return the index of the first rule that applies to one of the Jobs, and the earliest of these Jobs.

    A later failure that matches an earlier rule takes precedence over an earlier failure
    (``findFirstFailedPolicyRuleAndJob``).
    """
    for place, rule in enumerate(rules):
        job = first_failed([job for job in failed if matches(rule, job)])
        if job is not None:
            return place, job
    return None


def _found(pattern: str, message: str) -> bool:
    """Whether a pattern matches anywhere; an invalid one matches nothing, as upstream."""
    try:
        return compile_pattern(pattern).search(message.encode("utf-8", "replace")) is not None
    except PatternError:
        return False
