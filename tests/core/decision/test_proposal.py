"""Armada's proposal armadaproject/armada#4683: a test for each sentence that states behaviour of the engine."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from msgspec import structs

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.failure import Failure
from agent.core.history import History
from agent.core.limit import Reason, VerdictAction
from agent.core.retry.annotations import annotated
from agent.core.retry.compiled import compile_policy
from agent.core.retry.effective import InEffect, resolve_policies
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts
from tests.core.retry.builders import NOW, RUN, backoff, effective, failure, policy

ON = RetrySettings(enabled=True)
RETRY, FAIL = VerdictAction.RETRY, VerdictAction.FAIL


def ended(code: int = 137, reason: str = "Error", **more: Any) -> dict[str, Any]:
    return {"name": "main", "exitCode": code, "reason": reason, **more}


OOM = failure({"containers": [ended(reason="OOMKilled")]})
PREEMPTED = failure({"conditions": [{"type": "DisruptionTarget", "reason": "PreemptionByScheduler"}]})
CRASH = failure({"containers": [ended(1)]})


def verdict(
    seen: Failure,
    *rows: dict[str, Any],
    granted: dict[str, int] | None = None,
    settings: RetrySettings = ON,
    run: RunFacts = RUN,
    policies: InEffect | None = None,
) -> Verdict:
    chosen = effective(*rows) if policies is None else policies
    return decide(seen, run=run, history=History(granted=granted or {}), policies=chosen, settings=settings, now=NOW)


def resolved(*rows: dict[str, Any], **names: Any) -> list[str]:
    known = {row["name"]: compile_policy(policy(row)) for row in rows}
    return list(resolve_policies(known, **names).names)


def test_returned_runs_alone_are_tried_again_by_the_current_logic() -> None:
    off = replace(ON, enabled=False, max_attempted_runs=2)
    returned = replace(RUN, returned=True)

    assert verdict(CRASH, settings=off).action is FAIL
    assert verdict(CRASH, settings=off, run=returned).action is RETRY
    assert verdict(CRASH, settings=off, run=replace(returned, attempt=1)).action is FAIL
    assert verdict(CRASH, settings=off, run=replace(returned, fail_fast=True)).action is FAIL


@pytest.mark.parametrize(
    ("rule", "seen"),
    [
        ({"onExitCodes": {"operator": "In", "values": [1]}}, CRASH),
        ({"onConditions": ["OOMKilled"]}, OOM),
        ({"onTerminationMessage": {"pattern": "boom"}}, failure({"containers": [ended(1, message="boom!")]})),
        ({"onFailureCategory": ["cuda"]}, failure({"categories": ["gpu", "cuda"]})),
    ],
)
def test_rules_match_by_exit_code_condition_message_or_category(rule: dict[str, Any], seen: Failure) -> None:
    assert verdict(seen, {"rules": [rule]}).reason is Reason.RULE


def test_user_code_failures_still_fail_by_default() -> None:
    assert verdict(CRASH, {"rules": [{"onConditions": ["Evicted"]}]}).action is FAIL


def test_it_is_off_by_default() -> None:
    assert verdict(OOM, {"defaultAction": "Retry"}, settings=RetrySettings()).action is FAIL


def test_queue_policies_always_apply_and_annotations_only_add() -> None:
    rows = [{"name": name} for name in ("infra", "ml-training", "extra-retry")]
    annotation = annotated({"armadaproject.io/retry-policy": "extra-retry, infra"})

    assert resolved(*rows, queue=["infra", "ml-training"], annotation=annotation) == [
        "infra",
        "ml-training",
        "extra-retry",
    ]


def test_if_neither_specifies_anything_the_default_policy_applies() -> None:
    rows = [{"name": "default"}, {"name": "infra"}]

    assert resolved(*rows, default="default") == ["default"]
    assert resolved(*rows, queue=["infra"], default="default") == ["infra"]
    assert resolved(*rows, annotation=["infra"], default="default") == ["infra"]


def test_rules_are_concatenated_in_order_and_the_first_match_wins() -> None:
    first = {"name": "a", "rules": [{"name": "x", "onConditions": ["OOMKilled"]}]}
    second = {"name": "b", "rules": [{"name": "y", "action": "Fail", "onConditions": ["OOMKilled"]}]}

    assert verdict(OOM, first, second).rule_key == "a/x"
    assert verdict(OOM, second, first).rule_key == "b/y"


def test_each_rule_tracks_its_own_retry_count_separately() -> None:
    row = {"rules": [{"name": "oom", "retryLimit": 1, "onConditions": ["OOMKilled"]}]}

    assert verdict(OOM, row, granted={"p/other": 9}).action is RETRY
    assert verdict(OOM, row, granted={"p/oom": 1}).reason is Reason.RULE_LIMIT


@pytest.mark.parametrize(
    ("rule", "policys", "cap", "limit"),
    [(3, 5, 20, 3), (None, 5, 20, 5), (None, None, 20, 20), (0, 5, 20, 0), (None, 0, 20, 0)],
)
def test_the_effective_limit_is_the_rules_else_the_policys_else_the_global(
    rule: int | None, policys: int | None, cap: int, limit: int
) -> None:
    row = {"retryLimit": policys, "rules": [{"name": "r", "retryLimit": rule, "onConditions": ["OOMKilled"]}]}
    settings = replace(ON, global_max_retries=cap)

    assert verdict(OOM, row, granted={"p/r": limit}, settings=settings).action is FAIL
    assert not limit or verdict(OOM, row, granted={"p/r": limit - 1}, settings=settings).action is RETRY


def test_a_retry_needs_the_total_to_be_under_the_global_limit() -> None:
    row = {"rules": [{"name": "r", "onConditions": ["OOMKilled"]}]}

    assert verdict(OOM, row, granted={"gone/a": 10, "gone/b": 9}).action is RETRY
    assert verdict(OOM, row, granted={"gone/a": 10, "gone/b": 10}).reason is Reason.GLOBAL_LIMIT


def test_jobs_already_over_a_lowered_global_limit_fail_on_next_evaluation() -> None:
    row = {"rules": [{"name": "r", "onConditions": ["OOMKilled"]}]}

    assert verdict(OOM, row, granted={"p/r": 7}).action is RETRY
    assert verdict(OOM, row, granted={"p/r": 7}, settings=replace(ON, global_max_retries=5)).action is FAIL
    assert verdict(OOM, row, settings=replace(ON, global_max_retries=0)).action is FAIL


def test_no_match_means_the_default_action() -> None:
    silent = {"rules": [{"onConditions": ["Evicted"]}]}

    assert verdict(OOM, {**silent, "defaultAction": "Retry"}).action is RETRY
    assert verdict(OOM, {**silent, "defaultAction": "Fail"}).action is FAIL
    assert verdict(OOM, silent).action is FAIL


TWO = {"containers": [ended(1, name="main"), ended(137, "OOMKilled", name="log-shipper", message="TRANSIENT")]}


def test_without_container_name_a_rule_matches_the_first_failed_container() -> None:
    by_code = {"rules": [{"onExitCodes": {"operator": "In", "values": [137]}}]}

    assert verdict(failure(TWO), by_code).reason is Reason.DEFAULT_ACTION
    assert verdict(failure({"containers": TWO["containers"][::-1]}), by_code).reason is Reason.RULE


@pytest.mark.parametrize(
    "rule",
    [
        {"onExitCodes": {"operator": "In", "values": [137]}},
        {"onConditions": ["OOMKilled"]},
        {"onTerminationMessage": {"pattern": "TRANSIENT"}},
    ],
)
def test_with_container_name_only_that_containers_code_reason_and_message_count(rule: dict[str, Any]) -> None:
    named, other = {"containerName": "log-shipper", **rule}, {"containerName": "main", **rule}

    assert verdict(failure(TWO), {"rules": [named]}).reason is Reason.RULE
    assert verdict(failure(TWO), {"rules": [other]}).reason is Reason.DEFAULT_ACTION


def test_init_containers_are_skipped_unless_included() -> None:
    seen = failure({"containers": [ended(3, kind="init")]})
    rule = {"onExitCodes": {"operator": "In", "values": [3]}}

    assert verdict(seen, {"rules": [rule]}).reason is Reason.DEFAULT_ACTION
    assert verdict(seen, {"rules": [{**rule, "includeInitContainers": True}]}).reason is Reason.RULE


@pytest.mark.parametrize("operator", ["In", "NotIn"])
def test_exit_code_zero_never_matches(operator: str) -> None:
    row = {"rules": [{"onExitCodes": {"operator": operator, "values": [0, 5]}}]}

    assert verdict(failure({"containers": [ended(0, "Completed")]}), row).reason is Reason.DEFAULT_ACTION


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("OOMKilled", OOM),
        ("Evicted", failure({"reason": "Evicted"})),
        ("Preempted", PREEMPTED),
        ("DeadlineExceeded", failure({"reason": "DeadlineExceeded"})),
        (
            "Unschedulable",
            failure({"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}),
        ),
    ],
)
def test_each_condition_of_the_table_is_matched(name: str, seen: Failure) -> None:
    assert verdict(seen, {"rules": [{"onConditions": [name]}]}).reason is Reason.RULE


def test_without_container_name_all_non_init_messages_are_checked() -> None:
    row = {"rules": [{"onTerminationMessage": {"pattern": ".*TRANSIENT.*"}}]}
    init = {"containers": [ended(1, kind="init", message="TRANSIENT"), ended(1, name="b", message="no")]}

    assert verdict(failure(TWO), row).reason is Reason.RULE
    assert verdict(failure(init), row).reason is Reason.DEFAULT_ACTION


def test_a_rule_overrides_limit_anti_affinity_and_backoff_of_its_policy() -> None:
    row = {
        "retryLimit": 1,
        "antiAffinity": {"mode": "none"},
        "backoff": {"initialDelay": 10, "maxDelay": 300, "multiplier": 2.0},
        "rules": [
            {
                "name": "r",
                "retryLimit": 3,
                "antiAffinity": {"mode": "node"},
                "backoff": {"initialDelay": 30},
                "onConditions": ["OOMKilled"],
            }
        ],
    }
    given = verdict(OOM, row, granted={"p/r": 2})

    assert (given.action, given.avoid_nodes, given.delay) == (RETRY, ("node-1",), timedelta(seconds=120))


def test_backoff_has_three_levels_the_most_specific_wins() -> None:
    settings = replace(ON, default_backoff=backoff({"initialDelay": 5, "maxDelay": 600, "multiplier": 2.0}))
    plain = {"defaultAction": "Retry"}

    assert verdict(OOM, plain, settings=settings).delay == timedelta(seconds=5)
    assert verdict(OOM, {**plain, "backoff": {"initialDelay": 10}}, settings=settings).delay == timedelta(seconds=10)


@pytest.mark.parametrize(("used", "seconds"), [(0, 30), (1, 90), (2, 270), (3, 600), (19, 600)])
def test_the_delay_is_the_formula(used: int, seconds: int) -> None:
    row = {"defaultAction": "Retry", "backoff": {"initialDelay": 30, "maxDelay": 600, "multiplier": 3.0}}

    given = verdict(OOM, row, granted={"p/default": used})
    assert (given.delay, given.not_before) == (timedelta(seconds=seconds), NOW + timedelta(seconds=seconds))


def test_no_node_is_avoided_by_default_and_only_that_of_the_most_recent_run_in_mode_node() -> None:
    row = {"defaultAction": "Retry"}

    assert verdict(OOM, row).avoid_nodes == ()
    assert verdict(OOM, {**row, "antiAffinity": {"mode": "node"}}).avoid_nodes == ("node-1",)


def test_a_rule_without_anti_affinity_inherits_its_policys() -> None:
    rules = [{"onConditions": ["OOMKilled"]}]

    assert verdict(OOM, {"antiAffinity": {"mode": "node"}, "rules": rules}).avoid_nodes == ("node-1",)


@pytest.mark.parametrize(("initial", "seconds"), [(10, 30), (45, 45)])
def test_a_preempted_run_that_may_live_waits_for_the_longer_of_backoff_and_grace(initial: int, seconds: int) -> None:
    living = structs.replace(PREEMPTED, occurrence=failure({"occurrence": "stuck-terminating"}).occurrence)
    row = {"backoff": {"initialDelay": initial}, "rules": [{"onConditions": ["Preempted"]}]}

    assert verdict(living, row).delay == timedelta(seconds=seconds)


def test_once_termination_is_confirmed_the_grace_period_is_not_waited_for() -> None:
    row = {"backoff": {"initialDelay": 10}, "rules": [{"onConditions": ["Preempted"]}]}

    assert verdict(PREEMPTED, row).delay == timedelta(seconds=10)
