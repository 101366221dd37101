from typing import Any

import pytest

from agent.core.retry.identity import default_key, rule_key
from tests.core.retry.builders import policy

OOM: dict[str, Any] = {"onConditions": ["OOMKilled"]}


def key(row: dict[str, Any], *, name: str = "p", place: int = 0) -> str:
    owner = policy({"name": name, "rules": [{"onCategory": "other"}] * place + [row]})
    return rule_key(owner, owner.rules[place])


@pytest.mark.parametrize(
    "edited",
    [
        {**OOM, "retryLimit": 7},
        {**OOM, "backoff": {"initialDelay": 9}},
        {**OOM, "antiAffinity": {"mode": "node"}},
        {"onConditions": ["OOMKilled", "OOMKilled"]},
    ],
)
def test_an_edit_that_changes_nothing_of_the_match_keeps_the_count(edited: dict[str, Any]) -> None:
    assert key(edited) == key(OOM)


def test_moving_a_rule_keeps_its_count() -> None:
    assert key(OOM, place=3) == key(OOM)


@pytest.mark.parametrize(
    "other",
    [
        {"onConditions": ["Evicted"]},
        {"onFailureCategory": ["OOMKilled"]},
        {**OOM, "action": "Fail"},
        {**OOM, "containerName": "main"},
        {**OOM, "includeInitContainers": True},
        {"onCategory": "OOMKilled"},
        {"onCategory": "OOMKilled", "onSubcategory": "x"},
        {"onTerminationMessage": {"pattern": "OOMKilled"}},
        {"onExitCodes": {"operator": "In", "values": [137]}},
        {"onExitCodes": {"operator": "NotIn", "values": [137]}},
    ],
)
def test_another_rule_has_another_key(other: dict[str, Any]) -> None:
    assert key(other) != key(OOM)


def test_a_name_is_the_key_whatever_the_rule_matches() -> None:
    assert key({"name": "oom", **OOM}) == key({"name": "oom", "onConditions": ["Evicted"]}) == "p/oom"


def test_the_same_rule_in_two_policies_counts_twice() -> None:
    assert key(OOM, name="a") != key(OOM, name="b")


def test_the_key_of_an_unnamed_rule_does_not_change_between_versions() -> None:
    assert key(OOM) == "p#543952393ef8"


def test_the_default_action_counts_under_a_reserved_name() -> None:
    assert default_key(policy({"name": "infra"})) == "infra/default"
