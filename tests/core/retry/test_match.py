from pathlib import Path
from typing import Any

import pytest

from agent.core.classify.matchers.sight import LONGEST_TEXT
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Engine, Pattern
from agent.core.classify.pattern import PatternError
from agent.core.failure import Trust
from agent.core.retry.choices import Action
from agent.core.retry.compiled import compile_policy
from agent.core.retry.facts import Facts
from agent.core.retry.match import examine
from agent.core.retry.matched import Matched
from agent.core.retry.policy import RetryPolicy, Rule
from tests.core.retry.builders import compiled, failure
from tests.tables import table

CASES: list[dict[str, Any]] = table(Path(__file__).parent / "matching.yaml")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_rule_matches_as_the_seed_says(case: dict[str, Any]) -> None:
    (policy,) = compiled({"rules": [case["rule"]]})

    found = examine(policy.rules[0], Facts(failure(case["failure"])))

    if "matched" in case:
        assert isinstance(found, Matched), found
        assert found.where == case["matched"]
    else:
        assert isinstance(found, str), found
        assert case["why"] in found


def test_a_match_says_who_wrote_its_text() -> None:
    (policy,) = compiled(
        {"rules": [{"onConditions": ["OOMKilled"]}, {"onTerminationMessage": {"pattern": "bad"}}]},
    )
    seen = failure({"containers": [{"name": "m", "exitCode": 137, "reason": "OOMKilled", "message": "bad"}]})

    by_system, by_user = (examine(rule, Facts(seen)) for rule in policy.rules)

    assert isinstance(by_system, Matched)
    assert isinstance(by_user, Matched)
    assert (by_system.trust, by_user.trust) == (Trust.SYSTEM, Trust.USER_TEXT)


def test_a_long_match_is_cut_and_says_so() -> None:
    (policy,) = compiled({"rules": [{"onTerminationMessage": {"pattern": "x+"}}]})
    failed = failure({"containers": [{"name": "m", "exitCode": 1, "message": "x" * 4096}]})

    found = examine(policy.rules[0], Facts(failed))

    assert isinstance(found, Matched)
    assert found.text == "x" * LONGEST_TEXT + "…"


def test_a_pattern_for_another_engine_is_refused() -> None:
    pattern = Pattern(text="x", engine=Engine.BACKTRACKING)
    slow = Rule(matcher=TerminationMessage(pattern=pattern), action=Action.RETRY)

    with pytest.raises(PatternError, match="only RE2"):
        compile_policy(RetryPolicy(name="p", rules=(slow,)))
