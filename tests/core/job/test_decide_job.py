"""The decision on a failed pod of a Job: who decides, what forbids."""

from collections.abc import Mapping
from dataclasses import replace

from agent.core.classify.matchers.category import Category
from agent.core.history import History
from agent.core.job.decide import JobCase, JobOutcome, JobVerdict, decide_job
from agent.core.job.defaults import defaulted
from agent.core.job.outcome import PodEnding, failure_of
from agent.core.job.pod import JobContainer, JobPod
from agent.core.job.reading import read_spec
from agent.core.job.rules import OurRule
from agent.core.limit import Charge
from agent.core.retry.choices import Action
from agent.core.retry.compiled import compile_policy
from agent.core.retry.effective import InEffect, in_effect
from agent.core.retry.policy import RetryPolicy, RetrySettings, Rule

FAIL_ON_42 = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]}
PER_INDEX = {"completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 1}


def policy(action: Action, limit: int | None = None) -> InEffect:
    rule = Rule(matcher=Category(category="oom"), action=action, retry_limit=limit)
    return in_effect([compile_policy(RetryPolicy(name="p", rules=(rule,)))])


def decided(
    outcome: PodEnding,
    *,
    policies: InEffect | None = None,
    rules: tuple[OurRule, ...] = (),
    failures: int = 0,
    failed_before: int = 0,
    failed_indexes_before: int = 0,
    history: History | None = None,
    spec: Mapping[str, object] | None = None,
) -> JobVerdict:
    code = outcome.exit_code
    pod = JobPod(uid="u", failure_count=failures, containers=(JobContainer(name="main", exit_code=code),))
    case = JobCase(
        spec=defaulted(read_spec(spec or {})),
        pod=pod,
        failure=failure_of(outcome),
        policies=policies,
        rules=rules,
        failed_before=failed_before,
        failed_indexes_before=failed_indexes_before,
    )
    return decide_job(case, history=history or History(), settings=RetrySettings(enabled=True))


def test_the_jobs_policy_decides_before_a_retry_policy() -> None:
    oom = PodEnding(exit_code=42, category="oom")
    verdict = decided(oom, policies=policy(Action.RETRY), spec={"podFailurePolicy": FAIL_ON_42})

    assert verdict.outcome is JobOutcome.FAIL_JOB
    assert verdict.decider == "podFailurePolicy rule at index 0"


def test_a_retry_policy_decides_if_the_jobs_policy_does_not() -> None:
    oom = PodEnding(exit_code=1, category="oom")

    assert decided(oom, policies=policy(Action.FAIL)).outcome is JobOutcome.FAIL_JOB
    assert decided(oom, policies=policy(Action.FAIL), spec=PER_INDEX).outcome is JobOutcome.FAIL_INDEX
    assert decided(oom).decider == "default"


def test_no_matching_rule_is_silence_not_the_default_action() -> None:
    verdict = decided(PodEnding(exit_code=1, category="other"), policies=policy(Action.FAIL))

    assert verdict.outcome is JobOutcome.RETRY
    assert "no rule of a retry policy matched" in verdict.not_applied


def test_a_policys_retry_counts_under_the_jobs_limits() -> None:
    oom = PodEnding(exit_code=1, category="oom")
    verdict = decided(oom, policies=policy(Action.RETRY), failed_before=2, spec={"backoffLimit": 2})

    assert verdict.outcome is JobOutcome.FAIL_JOB
    assert [(limit.name, limit.count, limit.limit, limit.allowed) for limit in verdict.limits][-1] == (
        "backoffLimit",
        3,
        2,
        False,
    )
    assert verdict.rule_key is None


def test_a_policys_limit_forbids_its_retry() -> None:
    oom = PodEnding(exit_code=1, category="oom")
    allowed = decided(oom, policies=policy(Action.RETRY, 1), spec=PER_INDEX)
    assert allowed.rule_key is not None
    after = History().followed_by(allowed.rule_key)

    assert allowed.outcome is JobOutcome.RETRY
    assert (
        decided(oom, policies=policy(Action.RETRY, 1), history=after, spec=PER_INDEX).outcome is JobOutcome.FAIL_INDEX
    )


def test_what_a_verdict_leaves_lets_a_budget_forbid_the_next() -> None:
    oom = PodEnding(exit_code=1, category="oom")
    thrifty = in_effect(
        [
            compile_policy(replace(compiled.policy, budgets={Charge.APPLICATION: 1}))
            for compiled in policy(Action.RETRY).policies
        ]
    )
    first = decided(oom, policies=thrifty, spec=PER_INDEX)
    after = History().followed_by(first.rule_key, past=first.past)
    second = decided(oom, policies=thrifty, history=after, spec=PER_INDEX)

    assert (first.outcome, second.outcome) == (JobOutcome.RETRY, JobOutcome.FAIL_INDEX)
    assert [limit.name for limit in second.limits if not limit.allowed] == ["budget application of policy p"]
    assert second.past.charge is None


def test_the_limit_of_an_index_fails_it() -> None:
    assert decided(PodEnding(exit_code=1), failures=1, spec=PER_INDEX).outcome is JobOutcome.FAIL_INDEX
    assert decided(PodEnding(exit_code=1), failures=0, spec=PER_INDEX).outcome is JobOutcome.RETRY


def test_one_failed_index_too_many_fails_the_job() -> None:
    spec = {**PER_INDEX, "maxFailedIndexes": 1}
    last, over = (decided(PodEnding(exit_code=1), failures=1, failed_indexes_before=n, spec=spec) for n in (0, 1))
    retried = decided(PodEnding(exit_code=1), failed_indexes_before=1, spec=spec)

    assert (last.outcome, over.outcome) == (JobOutcome.FAIL_INDEX, JobOutcome.FAIL_JOB)
    assert [(limit.name, limit.count, limit.allowed) for limit in over.limits][-1] == ("maxFailedIndexes", 2, False)
    assert (retried.outcome, retried.limits[-1].count) == (JobOutcome.RETRY, 1)


def test_ignore_is_exempt_from_the_jobs_own_counts() -> None:
    ours = (OurRule(name="preempted", action="Ignore", reason="Preempted"),)
    verdict = decided(
        PodEnding(exit_code=1, reason="Preempted"),
        rules=ours,
        failures=5,
        failed_before=6,
        spec={**PER_INDEX, "backoffLimit": 6},
    )

    assert verdict.outcome is JobOutcome.RETRY
    assert verdict.decider == "rule 1 preempted of the Job"


def test_our_rules_ask_signal_origin_and_message() -> None:
    ours = (OurRule(name="killed", action="FailIndex", signal=9, message="out of memory"),)
    killed = PodEnding(exit_code=137, message="the kernel: out of memory")

    assert decided(killed, rules=ours, spec=PER_INDEX).outcome is JobOutcome.FAIL_INDEX
    assert decided(PodEnding(exit_code=137), rules=ours, spec=PER_INDEX).outcome is JobOutcome.RETRY
