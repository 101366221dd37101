"""The verdict to expect is the one that a scheduler reaches, failure after failure."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.decision.foresee import foresee
from agent.core.decision.scenario import Scenario, ScenarioStep, play
from agent.core.retry.policy import RetrySettings
from tests.core.retry.builders import RUN, effective, failure

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
SETTINGS = RetrySettings(enabled=True, global_max_retries=4)
OOM = failure({"containers": [{"name": "main", "exitCode": 137, "reason": "OOMKilled"}]})
RULE = {"name": "oom", "onConditions": ["OOMKilled"], "backoff": {"initialDelay": 10}}
POLICIES = {
    "rule": effective({"name": "p", "rules": [RULE | {"retryLimit": 2}]}),
    "policy": effective({"name": "p", "retryLimit": 3, "rules": [RULE]}),
    "budget": effective({"name": "p", "budgets": {"oom": 1}, "rules": [RULE]}),
    "cap": effective({"name": "p", "rules": [RULE]}),
    "default": effective({"name": "p", "defaultAction": "Retry", "rules": []}),
    "none": effective(),
}


@pytest.mark.parametrize("name", POLICIES)
@given(earlier=st.integers(0, 7))
def test_earlier_failures_count_as_if_they_had_been_decided(name: str, earlier: int) -> None:
    policies = POLICIES[name]
    known = {compiled.policy.name: compiled for compiled in policies.policies}
    step = ScenarioStep(failures=(OOM,), runs=(RUN,), times=earlier + 1)
    scenario = Scenario(name="alike", steps=(step,), settings=SETTINGS, starts_at=NOW)
    *_, last = play(scenario, known)

    found = foresee(OOM, run=RUN, earlier=earlier, policies=policies, settings=SETTINGS, now=NOW)

    assert (found.action, found.reason, found.delay) == (last.verdict.action, last.verdict.reason, last.verdict.delay)


def test_a_window_counts_no_failure_whose_time_is_not_known() -> None:
    policies = effective({"name": "p", "rules": [RULE | {"window": {"retries": 1, "per": 3600}}]})
    found = foresee(OOM, run=RUN, earlier=3, policies=policies, settings=SETTINGS, now=NOW)

    assert found.action.value == "retry"
