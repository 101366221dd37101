from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.history import History
from agent.core.retry.policy import PROPOSED_BACKOFF, RetrySettings
from tests.core.retry.builders import NOW, RUN, backoff, effective, failure
from tests.tables import table

CASES: list[dict[str, Any]] = table(Path(__file__).parent / "decisions.yaml")


def settings(row: dict[str, Any]) -> RetrySettings:
    return RetrySettings(
        enabled=row.get("enabled", True),
        global_max_retries=row.get("globalMaxRetries", 20),
        default_backoff=backoff(row["defaultBackoff"]) if "defaultBackoff" in row else PROPOSED_BACKOFF,
    )


def decided(case: dict[str, Any]) -> Verdict:
    return decide(
        failure(case["failure"]),
        run=replace(RUN, **case.get("run", {})),
        history=History(runs=case.get("runs", 0), granted=case.get("granted", {})),
        policies=effective(*case["policies"]),
        settings=settings(case.get("settings", {})),
        now=NOW,
    )


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_failure_is_decided_as_the_proposal_says(case: dict[str, Any]) -> None:
    verdict, gives = decided(case), case["gives"]

    assert (verdict.action, verdict.reason, verdict.rule_key) == (gives["action"], gives["reason"], gives.get("key"))
    if "delay" in gives:
        assert verdict.delay == timedelta(seconds=gives["delay"])
        assert verdict.not_before == NOW + verdict.delay
    if "avoid" in gives:
        assert list(verdict.avoid_nodes) == gives["avoid"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_explanation_and_the_verdict_say_the_same(case: dict[str, Any]) -> None:
    verdict = decided(case)
    explained = verdict.explanation

    assert (explained.action, explained.reason, explained.not_before, explained.avoid_nodes) == (
        verdict.action,
        verdict.reason,
        verdict.not_before,
        verdict.avoid_nodes,
    )
    assert (explained.decider.key if explained.decider else None) == verdict.rule_key
    assert (explained.delay.duration if explained.delay else timedelta(0)) == verdict.delay
    forbidden = any(not limit.allowed for limit in explained.limits)
    assert not (forbidden and verdict.action == "retry")


def test_a_verdict_to_fail_grants_nothing() -> None:
    (case,) = (case for case in CASES if case["name"] == "at the rule's limit")

    assert decided(case).granted_under is None
    assert decided({**case, "granted": {}}).granted_under == "p/oom"
