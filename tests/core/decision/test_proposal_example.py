"""The example of Armada's proposal (armadaproject/armada#4683), and laws of limits over any course of failures."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.failure import Failure
from agent.core.history import History
from agent.core.limit import Reason, VerdictAction
from agent.core.retry.effective import InEffect, in_effect
from agent.core.retry.policy import RetrySettings
from tests.core.retry.builders import NOW, RUN, compiled, effective, failure

INFRA = {"name": "infra", "retryLimit": 10, "rules": [{"name": "preempted", "onConditions": ["Preempted", "Evicted"]}]}
ML = {
    "name": "ml-training",
    "retryLimit": 5,
    "rules": [{"name": "oom", "retryLimit": 3, "onConditions": ["OOMKilled"]}],
}
POLICIES = effective(INFRA, ML)
ON = RetrySettings(enabled=True)

PREEMPTED = failure({"conditions": [{"type": "DisruptionTarget", "reason": "PreemptionByScheduler"}]})
OOM = failure({"containers": [{"name": "main", "exitCode": 137, "reason": "OOMKilled"}]})
OTHER = failure({"containers": [{"name": "main", "exitCode": 1, "reason": "Error"}]})


def course(
    failures: Sequence[Failure],
    *,
    policies: InEffect = POLICIES,
    settings: RetrySettings = ON,
) -> list[Verdict]:
    """The verdicts of one job, each run failing as the next of ``failures``."""
    history, verdicts = History(), []
    for failed in failures:
        verdict = decide(failed, run=RUN, history=history, policies=policies, settings=settings, now=NOW)
        history = history.followed_by(verdict.granted_under, past=verdict.past)
        verdicts.append(verdict)
    return verdicts


def actions(verdicts: Sequence[Verdict]) -> list[VerdictAction]:
    return [verdict.action for verdict in verdicts]


@given(order=st.permutations([PREEMPTED] * 10 + [OOM] * 3))
def test_ten_preemptions_and_three_oom_kills_in_any_order_are_all_retried(order: list[Failure]) -> None:
    assert set(actions(course(order))) == {VerdictAction.RETRY}


@given(order=st.permutations([PREEMPTED] * 10 + [OOM] * 3))
def test_the_eleventh_preemption_or_the_fourth_oom_kill_fails(order: list[Failure]) -> None:
    eleventh, fourth = course([*order, PREEMPTED])[-1], course([*order, OOM])[-1]

    assert (eleventh.action, eleventh.reason) == (VerdictAction.FAIL, Reason.POLICY_LIMIT)
    assert (fourth.action, fourth.reason) == (VerdictAction.FAIL, Reason.RULE_LIMIT)


@given(kinds=st.lists(st.integers(0, 4), min_size=21, max_size=60))
def test_twenty_in_all_cap_every_course(kinds: list[int]) -> None:
    rules = [
        {"name": str(code), "retryLimit": 10, "onExitCodes": {"operator": "In", "values": [code]}}
        for code in range(1, 6)
    ]
    failed = [failure({"containers": [{"name": "m", "exitCode": kind + 1}]}) for kind in kinds]

    granted = actions(course(failed, policies=effective({"rules": rules}))).count(VerdictAction.RETRY)

    assert granted == min(20, sum(min(10, kinds.count(kind)) for kind in range(5)))


RULES = st.fixed_dictionaries(
    {"action": st.sampled_from(["Retry", "Fail"])},
    optional={"retryLimit": st.integers(0, 4), "name": st.sampled_from(["a", "b", "c"])},
).flatmap(
    lambda row: st.sampled_from(
        [
            {**row, "onConditions": ["OOMKilled"]},
            {**row, "onConditions": ["Preempted"]},
            {**row, "onExitCodes": {"operator": "NotIn", "values": [137]}},
        ]
    )
)
ROWS = st.fixed_dictionaries(
    {"rules": st.lists(RULES, max_size=4)},
    optional={"retryLimit": st.integers(0, 4), "defaultAction": st.sampled_from(["Retry", "Fail"])},
)
FAILURES = st.lists(st.sampled_from([OOM, PREEMPTED, OTHER]), max_size=12)


def granted(failures: Sequence[Failure], row: dict[str, Any], *, cap: int = 20) -> int:
    settings = replace(ON, global_max_retries=cap)
    return actions(course(failures, policies=effective(row), settings=settings)).count(VerdictAction.RETRY)


@given(
    row=ROWS, failures=FAILURES, used=st.dictionaries(st.sampled_from(["p/a", "p/b", "p/default"]), st.integers(0, 5))
)
def test_more_retries_used_never_earn_a_retry(
    row: dict[str, Any], failures: list[Failure], used: dict[str, int]
) -> None:
    for failed in failures:
        fresh, after = (
            decide(failed, run=RUN, history=History(granted=counts), policies=effective(row), settings=ON, now=NOW)
            for counts in ({}, used)
        )
        assert not (fresh.action is VerdictAction.FAIL and after.action is VerdictAction.RETRY)


@given(row=ROWS, failures=FAILURES, matcher=st.sampled_from(["OOMKilled", "Preempted"]))
def test_a_fail_rule_put_first_never_adds_a_retry(row: dict[str, Any], failures: list[Failure], matcher: str) -> None:
    first = {"name": "first", "action": "Fail", "onConditions": [matcher]}

    assert granted(failures, {**row, "rules": [first, *row["rules"]]}) <= granted(failures, row)


@given(row=ROWS, failures=FAILURES, caps=st.tuples(st.integers(0, 20), st.integers(0, 20)))
def test_lowering_the_cap_never_adds_a_retry(
    row: dict[str, Any], failures: list[Failure], caps: tuple[int, int]
) -> None:
    assert granted(failures, row, cap=min(caps)) <= granted(failures, row, cap=max(caps))


@given(row=ROWS, failures=FAILURES, limit=st.integers(0, 4))
def test_writing_a_limit_below_the_cap_never_adds_a_retry(
    row: dict[str, Any], failures: list[Failure], limit: int
) -> None:
    unlimited = {key: value for key, value in row.items() if key != "retryLimit"}

    assert granted(failures, {**unlimited, "retryLimit": limit}) <= granted(failures, unlimited)


@given(row=ROWS, failures=FAILURES)
def test_the_same_course_gives_the_same_verdicts(row: dict[str, Any], failures: list[Failure]) -> None:
    assert course(failures, policies=effective(row)) == course(failures, policies=effective(row))


@given(row=ROWS, failures=FAILURES)
def test_a_policy_after_the_first_that_says_nothing_changes_nothing(
    row: dict[str, Any], failures: list[Failure]
) -> None:
    shadow = {"name": "shadow", "rules": [{"onCategory": "never seen"}]}
    alone, both = course(failures, policies=effective(row)), course(failures, policies=effective(row, shadow))

    assert [(verdict.action, verdict.reason, verdict.rule_key) for verdict in both] == [
        (verdict.action, verdict.reason, verdict.rule_key) for verdict in alone
    ]


@given(
    initial=st.integers(0, 10**6),
    maximum=st.integers(0, 10**6),
    multiplier=st.sampled_from([1.0, 1.5, 2.0, 10.0]),
    used=st.integers(0, 19),
)
def test_the_delay_is_the_proposals_formula(initial: int, maximum: int, multiplier: float, used: int) -> None:
    written = {"initialDelay": initial, "maxDelay": maximum, "multiplier": multiplier}
    (policy,) = compiled({"defaultAction": "Retry", "backoff": written})

    verdict = decide(
        OTHER, run=RUN, history=History(granted={"p/default": used}), policies=in_effect([policy]), settings=ON, now=NOW
    )

    failure_count = used + 1
    assert verdict.delay == timedelta(seconds=min(initial * multiplier ** (failure_count - 1), maximum))
    assert verdict.not_before == NOW + verdict.delay
