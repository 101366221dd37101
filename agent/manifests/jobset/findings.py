"""Findings about JobSets that work, but possibly not as intended."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from agent.core.classify.matchers.text import Engine
from agent.core.identity.conditions import HOPELESS
from agent.core.job.limits import POD_FAILURE_POLICY
from agent.core.job.words import FAIL_JOB, PolicyRule
from agent.core.jobset.child import REPLICATED_JOB, FailedJob
from agent.core.jobset.manifest import JobSet
from agent.core.jobset.match import first_match
from agent.core.jobset.words import (
    COUNTED,
    RECREATE_JOB,
    RESTART_JOB_SET,
    RESTART_JOB_SET_UNCOUNTED,
    RESTART_JOB_UNCOUNTED,
    FailurePolicy,
    Rule,
    canonical,
)
from agent.documents.checked import Finder, Steps
from agent.documents.node import Node
from agent.documents.problem import quote
from agent.documents.source import Fault
from agent.manifests.job.conditions import POLICY, hidden_conditions
from agent.manifests.matchers.pattern import fault_of

_POLICY: Steps = ("spec", "failurePolicy")
_ANY_TIME: Final = datetime(2026, 1, 1, tzinfo=UTC)


def findings(jobset: JobSet, root: Node) -> Iterator[Fault]:
    """Give the findings about a JobSet without errors."""
    policy, finder = jobset.spec.failure_policy, Finder(root=root)
    for place, replicated_job in enumerate(jobset.spec.replicated_jobs):
        at: Steps = ("spec", "replicatedJobs", place, "template", *POLICY)
        yield from hidden_conditions(replicated_job.spec.pod_failure_policy or (), finder, at=at)
    if policy is None:
        return
    yield from _no_restarts(policy, finder)
    yield from _hopeless_restarts(jobset, policy, finder)
    for place, rule in enumerate(policy.rules):
        at = (*_POLICY, "rules", place)
        yield from _deprecated(rule, finder, at)
        yield from _patterns(rule, finder, at)
        yield from _never_asked(policy.rules[:place], rule, finder, at)
        yield from _impossible_reason(jobset, rule, finder, at)


def _no_restarts(policy: FailurePolicy, finder: Finder) -> Iterator[Fault]:
    """With ``maxRestarts`` 0 the first restart that counts ends the JobSet (as in story 4 of KEP-262)."""
    actions = {canonical(rule.action) for rule in policy.rules} or {RESTART_JOB_SET}
    if policy.max_restarts == 0 and actions & COUNTED:
        message = "`maxRestarts` is 0: the first failure that would restart ends the JobSet with ReachedMaxRestarts"
        hint = "write how many restarts there may be, or the action FailJobSet"
        yield finder.finding("no-restarts", message, at=(*_POLICY, "maxRestarts"), hint=hint)


def _hopeless_restarts(jobset: JobSet, policy: FailurePolicy, finder: Finder) -> Iterator[Fault]:
    """Yield the rules that restart without a limit what no retry helps."""
    message = f"Pod default/pod has condition {HOPELESS} matching FailJob rule at index 0"
    failed = [
        FailedJob(
            name="",
            labels={REPLICATED_JOB: replicated_job.name},
            reason=POD_FAILURE_POLICY,
            message=message,
            at=_ANY_TIME,
        )
        for replicated_job in jobset.spec.replicated_jobs
        if any(_fails_hopeless(rule) for rule in replicated_job.spec.pod_failure_policy or ())
    ]
    found = {match[0] for job in failed if (match := first_match(policy.rules, [job])) is not None}
    for place in sorted(found):
        if policy.rules[place].action in (RESTART_JOB_SET_UNCOUNTED, RESTART_JOB_UNCOUNTED):
            said = f"restarts without a limit Jobs that fail by {HOPELESS}, although no retry helps them"
            hint = f"put a rule with FailJobSet and onJobFailureMessagePatterns [{quote(HOPELESS)}] before it"
            yield finder.finding("hopeless-restarted", said, at=(*_POLICY, "rules", place), hint=hint)


def _fails_hopeless(rule: PolicyRule) -> bool:
    return rule.action == FAIL_JOB and any(pattern.type == HOPELESS for pattern in rule.pod_conditions)


def _deprecated(rule: Rule, finder: Finder, at: Steps) -> Iterator[Fault]:
    if rule.action == RECREATE_JOB:
        message = "`RecreateJob` is deprecated; it is treated as `RestartJob`, and counts towards `maxRestarts`"
        yield finder.finding("deprecated", message, at=(*at, "action"), hint="write RestartJob")


def _patterns(rule: Rule, finder: Finder, at: Steps) -> Iterator[Fault]:
    """Upstream accepts invalid patterns and ignores them when it decides."""
    for place, pattern in enumerate(rule.patterns):
        fault = fault_of(pattern, Engine.RE2)
        if fault is not None:
            where = (*at, "onJobFailureMessagePatterns", place)
            message = f"this pattern is never found: {fault.message}"
            yield finder.finding("invalid-pattern", message, at=where, hint=fault.hint)


def _never_asked(before: tuple[Rule, ...], rule: Rule, finder: Finder, at: Steps) -> Iterator[Fault]:
    for earlier in before:
        if _covers(earlier, rule):
            yield finder.finding(
                "never-asked",
                f"never evaluated: the earlier rule {earlier.name} matches every failure that this one matches",
                at=at,
            )
            return


def _covers(earlier: Rule, later: Rule) -> bool:
    """Return whether a rule matches all that a later one does: each of its lists is empty or includes the other's."""
    pairs = ((earlier.reasons, later.reasons), (earlier.patterns, later.patterns), (earlier.targets, later.targets))
    return all(not mine or (theirs and set(theirs) <= set(mine)) for mine, theirs in pairs)


def _impossible_reason(jobset: JobSet, rule: Rule, finder: Finder, at: Steps) -> Iterator[Fault]:
    """Yield rules on a failure by podFailurePolicy where no targeted Job has one."""
    targeted = [
        replicated_job
        for replicated_job in jobset.spec.replicated_jobs
        if not rule.targets or replicated_job.name in rule.targets
    ]
    if rule.reasons == (POD_FAILURE_POLICY,) and all(
        replicated_job.spec.pod_failure_policy is None for replicated_job in targeted
    ):
        message = "none of these Jobs has a podFailurePolicy, so none can fail because of one"
        yield finder.finding("never-so", message, at=(*at, "onJobFailureReasons", 0))
