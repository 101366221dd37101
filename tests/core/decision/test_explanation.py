from typing import Any

import pytest

from agent.core.decision.decide import decide
from agent.core.decision.explanation_text import arithmetic, headline, named, short, whole
from agent.core.decision.verdict import Verdict
from agent.core.history import History
from agent.core.retry.delay import Delay
from agent.core.retry.policy import RetrySettings
from agent.core.units import in_words
from tests.core.retry.builders import NOW, RUN, effective, failure

POLICY: dict[str, Any] = {
    "name": "ml",
    "antiAffinity": {"mode": "node"},
    "rules": [
        {"onExitCodes": {"operator": "In", "values": [137]}, "containerName": "log"},
        {
            "name": "transient",
            "retryLimit": 3,
            "backoff": {"initialDelay": 30, "maxDelay": 300, "multiplier": 2.0},
            "onTerminationMessage": {"pattern": "TRANSIENT.*"},
        },
    ],
}
FAILED = {"containers": [{"name": "main", "exitCode": 1, "message": 'TRANSIENT "disk" \x1b[31m'}]}


def verdict(used: int, *, enabled: bool = True) -> Verdict:
    return decide(
        failure(FAILED),
        run=RUN,
        history=History(granted={"ml/transient": used}),
        policies=effective(POLICY),
        settings=RetrySettings(enabled=enabled),
        now=NOW,
    )


def test_a_retry_is_short_by_default() -> None:
    assert short(verdict(1).explanation) == (
        "Retry in 1m, not on node-1: policy ml, rule 2 transient says Retry",
        'matched: container main: termination message: "TRANSIENT \\"disk\\" \\u001b[31m" (user text)',
        "limit: retries granted under ml/transient: 1 of 3 (retryLimit of the rule): allowed",
        "limit: all retries granted: 1 of 20 (globalMaxRetries): allowed",
    )


def test_the_whole_explanation_adds_rules_that_did_not_match_and_the_arithmetic() -> None:
    explained = verdict(1).explanation

    assert whole(explained)[: len(short(explained))] == short(explained)
    assert whole(explained)[len(short(explained)) :] == (
        "rule 2 of policy ml: transient (onTerminationMessage /TRANSIENT.*/)",
        "not applied: policy ml, rule 1: onExitCodes In [137] in container log: the pod has no container log",
        "delay: 30s * 2^1 = 1m (at most 5m)",
        "not before: 2026-11-21T12:01:00+00:00",
        "antiAffinity node: only the node of this run is avoided",
        "in effect: ml (armadaproject.io/v1)",
        "budget: application",
        "counted by: retryLimit of the rule (2 of 3 with this retry)",
        "mode: policies; counted for job-1",
    )


def test_a_used_up_limit_is_named_in_the_first_line() -> None:
    assert headline(verdict(3).explanation) == (
        "Fail: policy ml, rule 2 transient says Retry, but retryLimit of the rule is used up (3 of 3)"
    )


@pytest.mark.parametrize(
    ("rule", "called"),
    [
        ({"onConditions": ["OOMKilled"]}, "rule 1 OOMKilled"),
        ({"name": "memory", "onConditions": ["OOMKilled"]}, "rule 1 memory"),
        ({"onConditions": ["OOMKilled"], "containerName": "main"}, "rule 1 OOMKilled in container main"),
        ({"onFailureCategory": ["a", "none", "c", "d"]}, "rule 1 a, none and 2 more"),
        ({"onCategory": "none"}, "rule 1 none"),
        ({"onExitCodes": {"operator": "In", "values": [137]}}, "rule 1 onExitCodes In [137]"),
        ({"onOrigin": ["unknown"]}, "rule 1 onOrigin [unknown]"),
        ({"onTerminationMessage": {"pattern": "a*" * 50}}, f"rule 1 onTerminationMessage /{'a*' * 19}..."),
        (
            {"allOf": [{"onConditions": ["OOMKilled"]}, {"onSignals": [9]}]},
            "rule 1 OOMKilled and onSignals [9]",
        ),
    ],
)
def test_a_rule_is_named_by_its_number_and_its_name_else_what_it_matches(rule: dict[str, Any], called: str) -> None:
    (compiled,) = effective({"name": "ml", "rules": [rule]}).policies[0].rules

    assert f"rule {compiled.number} {compiled.label}" == called


def test_the_default_action_is_named_with_its_policy() -> None:
    explained = decide(
        failure({"containers": [{"name": "main", "exitCode": 1}]}),
        run=RUN,
        history=History(),
        policies=effective(POLICY),
        settings=RetrySettings(enabled=True),
        now=NOW,
    ).explanation

    assert headline(explained) == "Fail: no rule matches, and the default action of policy ml says Fail"
    assert explained.decider is not None
    assert named(explained.decider) == "default action of policy ml"


def test_without_policies_the_formula_is_named() -> None:
    explained = verdict(0, enabled=False).explanation

    assert whole(explained) == (
        "Fail: retry policies are off, and only a returned run is retried",
        "mode: legacy; counted for job-1",
    )


@pytest.mark.parametrize("used", [0, 1, 3])
@pytest.mark.parametrize("enabled", [True, False])
def test_every_line_is_one_line(used: int, enabled: bool) -> None:  # noqa: FBT001 - pytest passes by name
    assert all(line and line.isprintable() for line in whole(verdict(used, enabled=enabled).explanation))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0s"),
        (0.5, "0.5s"),
        (45, "45s"),
        (60, "1m"),
        (90, "1m30s"),
        (5400, "1h30m"),
        (31536000, "365d"),
        (1e-9, "0s"),
    ],
)
def test_durations_are_written_as_files_write_them(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


@pytest.mark.parametrize(
    ("number", "initial", "grown", "backoff", "said"),
    [
        (1, 30, 30, 30, "delay: 30s (at most 5m)"),
        (3, 0, 0, 0, "delay: 0s (at most 5m)"),
        (3, 30, 120, 120, "delay: 30s * 2^2 = 2m (at most 5m)"),
        (6, 30, 960, 300, "delay: 5m, the longest (30s * 2^5 = 16m)"),
        (9_000, 30, None, 300, "delay: 5m, the longest (30s * 2^8999 = too long)"),
        (1, 600, 600, 300, "delay: 5m, the longest (10m)"),
    ],
)
def test_a_delay_is_written_as_somebody_computes_it(
    number: int, initial: float, grown: float | None, backoff: float, said: str
) -> None:
    delay = Delay(
        number=number,
        initial_seconds=initial,
        multiplier=2,
        maximum_seconds=300,
        grown_seconds=grown,
        backoff_seconds=backoff,
        seconds=backoff,
    )

    assert arithmetic(delay) == said
