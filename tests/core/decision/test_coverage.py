"""Why a rule was never used, by the table beside this file."""

from pathlib import Path
from typing import Any

import pytest

from agent.core.decision.coverage import coverage_of
from agent.core.decision.scenario import Scenario, ScenarioStep, play
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts
from tests.core.retry.builders import NOW, compiled, failure
from tests.tables import table

ROWS: list[dict[str, Any]] = table(Path(__file__).parent / "coverage.yaml")


def scenario(row: dict[str, Any]) -> Scenario:
    steps = tuple(
        ScenarioStep(
            failures=(failure({"containers": [{"name": "main", **container}]}),), runs=(RunFacts(lineage="job"),)
        )
        for container in row["failures"]
    )
    return Scenario(
        name=row["name"],
        steps=steps,
        queue=row.get("queue"),
        annotation=row.get("annotation"),
        settings=RetrySettings(enabled=row.get("enabled", True)),
        starts_at=NOW,
    )


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_a_rule_that_never_decided_is_reported_with_the_reason(row: dict[str, Any]) -> None:
    policies = {policy.policy.name: policy for policy in compiled(*row["policies"])}
    found = coverage_of(policies, list(play(scenario(row), policies)))

    assert {f"rule {unused.rule.number} {unused.rule.label}": unused.why for unused in found.unused} == row["never"]
    assert found.used + len(found.unused) == sum(len(policy.rules) for policy in policies.values())
