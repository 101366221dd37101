from typing import Any

import pytest

from agent.core.limit import Charge
from agent.core.retry.annotations import annotated
from agent.core.retry.choices import Action
from agent.core.retry.effective import Budget, InEffect, in_effect, resolve_policies
from tests.core.retry.builders import compiled, effective


def resolved(*rows: dict[str, Any], **names: Any) -> InEffect:
    return resolve_policies({policy.policy.name: policy for policy in compiled(*rows)}, **names)


def test_every_key_of_the_annotation_is_read_once_each() -> None:
    annotations = {
        "armadaproject.io/retry-policy": " a, b ,,a",
        "armadaproject.io/retry-policies": "c,b",
        "armadaproject.io/retryPolicies": "d",
        "armadaproject.io/other": "e",
    }
    assert annotated(annotations) == ("a", "b", "c", "d")
    assert annotated({}) == ()


def test_a_policy_that_is_gone_is_skipped_with_a_note() -> None:
    found = resolved({"name": "a"}, queue=["gone", "a"], default="a")

    assert (found.names, found.notes) == (("a",), ("policy gone is skipped: there is no such policy",))


def test_the_default_does_not_take_the_place_of_policies_that_are_gone() -> None:
    assert resolved({"name": "d"}, queue=["gone"], default="d").names == ()
    assert resolved({"name": "d"}, annotation=["gone"], default="d").names == ()


def test_a_default_that_is_gone_leaves_none() -> None:
    assert resolved({"name": "a"}, default="gone").names == ()


def test_a_policy_that_jobs_may_not_name_counts_only_for_its_queue() -> None:
    rows: list[dict[str, Any]] = [{"name": "d"}, {"name": "kept", "usableByAnnotation": False}]

    found = resolved(*rows, annotation=["kept"], default="d")
    assert (found.names, len(found.notes)) == (("d",), 1)
    assert "usableByAnnotation" in found.notes[0]
    assert resolved(*rows, queue=["kept"], annotation=["kept"]).names == ("kept",)


def test_policies_in_shadow_do_not_take_the_place_of_the_default() -> None:
    found = resolved({"name": "d"}, {"name": "s", "mode": "shadow"}, queue=["s"], default="d")

    assert (found.names, found.shadows) == (("d",), ("s",))
    assert found.shadow is not None
    assert found.shadow.names == ("d", "s")


def test_a_policy_that_counts_differently_is_skipped_with_a_note() -> None:
    found = effective({"name": "a"}, {"name": "b", "dialect": "v1beta1"})

    assert found.names == ("a",)
    assert found.notes == ("policy b is skipped: armadaproject.io/v1beta1 counts differently from armadaproject.io/v1",)


@pytest.mark.parametrize(
    ("actions", "composed"),
    [
        (["Retry"], Action.RETRY),
        ([None], Action.FAIL),
        (["Retry", None], Action.RETRY),
        (["Retry", "Fail"], Action.FAIL),
        (["Retry", None, "Fail"], Action.FAIL),
        ([None, "Retry"], Action.FAIL),
        (["Fail", "Retry"], Action.FAIL),
    ],
)
def test_default_actions_compose(actions: list[str | None], composed: Action) -> None:
    rows = [
        {"name": f"p{number}"} | ({} if action is None else {"defaultAction": action})
        for number, action in enumerate(actions)
    ]
    assert effective(*rows).default_action is composed


def test_the_lowest_budgets_and_limit_hold() -> None:
    found = effective(
        {"name": "a", "retryLimit": 5, "budgets": {"oom": 3, "infra": 9}},
        {"name": "b", "retryLimit": 4, "budgets": {"oom": 2}},
        {"name": "c"},
    )
    assert found.budgets == {Charge.OOM: Budget(limit=2, policy="b"), Charge.INFRA: Budget(limit=9, policy="a")}
    assert found.default_limit == Budget(limit=4, policy="b")


def test_nothing_is_in_effect_of_nothing() -> None:
    assert in_effect([]) == InEffect()
