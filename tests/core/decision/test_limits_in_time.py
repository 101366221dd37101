"""``giveUpAfter`` and ``window``: limits in time, of a rule and of a policy, ours in every dialect."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from agent.core.decision.decide import decide
from agent.core.decision.explanation_text import short
from agent.core.decision.verdict import Verdict
from agent.core.history import History
from agent.core.limit import Reason
from agent.core.retry.policy import RetrySettings
from tests.core.retry.builders import NOW, RUN, effective, failure

MINUTE = timedelta(minutes=1)
ON = RetrySettings(enabled=True)
CRASH = failure({"containers": [{"name": "m", "exitCode": 1}]})
OTHER = failure({"containers": [{"name": "m", "exitCode": 2}]})
RULE: dict[str, Any] = {"name": "r", "action": "Retry", "onExitCodes": {"operator": "In", "values": [1]}}
SECOND: dict[str, Any] = {"name": "s", "action": "Retry", "onExitCodes": {"operator": "In", "values": [2]}}
DIALECTS = pytest.mark.parametrize("dialect", ["v1", "v1beta1"])


def course(
    ends: Sequence[float], row: dict[str, Any], *, lasted: timedelta = MINUTE, failures: Sequence[Any] = ()
) -> list[Verdict]:
    """Runs that end so many minutes after now, each of which lasted so long."""
    policies = effective({"retryLimit": 99, **row})
    history, verdicts = History(), []
    for number, minutes in enumerate(ends):
        now: datetime = NOW + minutes * MINUTE
        run = replace(RUN, ended_at=now, lasted=lasted)
        failed = failures[number] if failures else CRASH
        verdicts.append(decide(failed, run=run, history=history, policies=policies, settings=ON, now=now))
        history = history.followed_by(verdicts[-1].granted_under, past=verdicts[-1].past)
    return verdicts


def reasons(verdicts: Sequence[Verdict]) -> list[Reason]:
    return [verdict.reason for verdict in verdicts]


@DIALECTS
def test_no_retry_follows_once_the_time_since_the_first_run_began_is_over(dialect: str) -> None:
    verdicts = course([1, 10, 59, 60], {"rules": [{**RULE, "giveUpAfter": 3600}], "dialect": dialect})

    assert reasons(verdicts) == [Reason.RULE, Reason.RULE, Reason.RULE, Reason.GIVE_UP]
    assert short(verdicts[-1].explanation)[0] == (
        "Fail: policy p, rule 1 r says Retry, but giveUpAfter of rule 1 of policy p is used up (1h of 1h)"
    )


def test_time_between_runs_need_not_count() -> None:
    row = {"rules": [{**RULE, "giveUpAfter": 180, "countWaiting": False}]}

    assert reasons(course([1, 100, 200, 300], row)) == [Reason.RULE, Reason.RULE, Reason.GIVE_UP, Reason.GIVE_UP]


def test_the_time_of_a_policy_holds_for_its_default_action_too() -> None:
    verdicts = course([1, 30], {"defaultAction": "Retry", "giveUpAfter": 600})

    assert reasons(verdicts) == [Reason.DEFAULT_ACTION, Reason.GIVE_UP]


def test_a_run_that_never_started_began_when_it_failed() -> None:
    policies = effective({"defaultAction": "Retry", "giveUpAfter": 600, "retryLimit": 9})
    history, found = History(), []
    for minutes in (0, 9, 10):
        now = NOW + minutes * MINUTE
        verdict = decide(CRASH, run=RUN, history=history, policies=policies, settings=ON, now=now)
        history = history.followed_by(verdict.granted_under, past=verdict.past)
        found.append(verdict.reason)

    assert found == [Reason.DEFAULT_ACTION, Reason.DEFAULT_ACTION, Reason.GIVE_UP]


@DIALECTS
def test_a_window_limits_the_retries_within_its_time(dialect: str) -> None:
    row = {"rules": [{**RULE, "window": {"retries": 2, "per": 600}}], "dialect": dialect}

    verdicts = course([0, 1, 2, 10.5, 10.6], row)

    assert reasons(verdicts) == [Reason.RULE, Reason.RULE, Reason.WINDOW, Reason.RULE, Reason.WINDOW]
    assert "limit: retries granted within 10m: 2 of 2 (window of rule 1 of policy p): forbidden" in short(
        verdicts[2].explanation
    )


def test_the_window_of_a_policy_counts_retries_under_all_its_rules() -> None:
    both = [CRASH, OTHER, CRASH]
    row = {"rules": [RULE, SECOND], "window": {"retries": 2, "per": 600}}

    assert reasons(course([0, 1, 2], row, failures=both)) == [Reason.RULE, Reason.RULE, Reason.WINDOW]
    own = {"rules": [{**RULE, "window": {"retries": 2, "per": 600}}, SECOND]}
    assert reasons(course([0, 1, 2], own, failures=both)) == [Reason.RULE] * 3


def test_a_window_of_no_retries_allows_none() -> None:
    assert reasons(course([0], {"rules": [{**RULE, "window": {"retries": 0, "per": 60}}]})) == [Reason.WINDOW]


def test_no_limit_in_time_is_what_a_retry_is_charged_to() -> None:
    (verdict,) = course([0], {"defaultAction": "Retry", "window": {"retries": 5, "per": 60}, "giveUpAfter": 99})

    assert verdict.explanation.ledger is not None
    assert verdict.explanation.ledger.source == "retryLimit of policy p"
