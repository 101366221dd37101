"""What is said of a verdict for what comes next."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from agent.core.decision.decide import decide
from agent.core.decision.explanation import Explanation
from agent.core.decision.next_step import granted, next_run, next_step, retries
from agent.core.evidence import ContainerMemory
from agent.core.history import History
from agent.core.retry.choices import Strength
from agent.core.retry.policy import RetrySettings
from tests.core.retry.builders import NOW, RUN, effective, failure

POLICY: dict[str, Any] = {
    "name": "demo",
    "defaultAction": "Fail",
    "rules": [
        {
            "name": "OOMKilled",
            "retryLimit": 2,
            "backoff": {"initialDelay": 300},
            "antiAffinity": {"mode": "node"},
            "memory": {"factor": 2.0},
            "onConditions": ["OOMKilled"],
        },
    ],
}
OOM = failure(
    {
        "categories": ["memory"],
        "culprit": "main",
        "containers": [{"name": "main", "exitCode": 137, "reason": "OOMKilled"}],
    }
)
OTHER = failure({"categories": ["app"], "containers": [{"name": "main", "exitCode": 1}]})


def explained(used: int, *, enabled: bool = True) -> Explanation:
    return decide(
        OOM,
        run=replace(RUN, memory=(ContainerMemory(name="main", limit=1 << 30),)),
        history=History(granted={"demo/OOMKilled": used}),
        policies=effective(POLICY),
        settings=RetrySettings(enabled=enabled),
        now=NOW,
    ).explanation


@pytest.mark.parametrize(
    ("used", "said"),
    [
        (0, "1 of 2 used (policy demo, rule 1 OOMKilled): 1 left; 1 of 20 used (globalMaxRetries): 19 left"),
        (1, "2 of 2 used (policy demo, rule 1 OOMKilled): 0 left; 2 of 20 used (globalMaxRetries): 18 left"),
        (2, "2 of 2 used (policy demo, rule 1 OOMKilled): no more"),
    ],
)
def test_retries_used_and_left_name_policy_and_rule(used: int, said: str) -> None:
    assert retries(explained(used)) == said


def test_a_default_action_is_named() -> None:
    verdict = decide(
        OTHER, run=RUN, history=History(), policies=effective(POLICY), settings=RetrySettings(enabled=True), now=NOW
    )

    assert retries(verdict.explanation) == "no more: no rule matches, and the default action of policy demo says Fail"


def test_without_policies_the_formula_says_why() -> None:
    said = "no more: retry policies are off, and only a returned run is retried"

    assert retries(explained(0, enabled=False)) == said


def test_what_the_next_run_gets() -> None:
    explanation = explained(0)

    assert next_run(explanation) == ["not on node-1", "with more memory for main (1Gi -> 2Gi)"]
    many = structs.replace(explanation, avoid_nodes=("a", "b", "c"), avoid_strength=Strength.PREFERRED, time_factor=2.0)
    assert next_run(many)[0] == "rather not on any of 3 nodes"
    assert next_run(many)[-1] == "for up to 2 times as long"


def test_a_granted_retry_says_when_where_and_with_what() -> None:
    terms = "not on node-1, with more memory for main (1Gi -> 2Gi)"

    assert granted(explained(0)) == f"retry, 5m after it failed, {terms}"


@pytest.mark.parametrize(
    ("controller", "said"),
    [
        ("", "nothing starts bare pods; start it again yourself, e.g. kubectl replace --force -f POD.yaml"),
        ("Job a", "the Job controller makes another pod, unless backoffLimit or podFailurePolicy of Job a forbids it"),
        (None, "whoever made the pod has to start it again; the scheduler starts only jobs that were submitted to it"),
    ],
)
def test_a_granted_retry_says_who_starts_it(controller: str | None, said: str) -> None:
    assert next_step(OOM, explained(0), controller=controller) == said


def test_before_a_verdict_it_is_said_that_there_is_none() -> None:
    assert next_step(OOM, None, controller="").endswith("; a retry is not decided yet")
