from datetime import timedelta

import pytest

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.retry import choices as c
from agent.core.retry import policy as p
from agent.documents.problem import Severity
from agent.manifests.lint import lint
from agent.manifests.retry.load import load_retry_policy

SEED = """
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata:
  name: ml-training
spec:
  retryLimit: 5
  defaultAction: Fail
  backoff:
    initialDelay: 0s
  antiAffinity:
    mode: none
  rules:
  - action: Retry
    onConditions:
    - Preempted
    - Evicted
    antiAffinity:
      mode: node
  - action: Retry
    onConditions:
    - OOMKilled
    retryLimit: 3
  - action: Retry
    onExitCodes:
      operator: In
      values: [137]
  - action: Retry
    onFailureCategory: [cuda_error, infiniband_error]
"""

HEADER = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n"


def test_the_proposals_example_is_read_as_it_is_and_without_findings() -> None:
    assert lint(SEED, file="f.yaml") == ()
    retry = c.Action.RETRY
    assert load_retry_policy(SEED, file="f.yaml") == p.RetryPolicy(
        name="ml-training",
        retry_limit=5,
        default_action=c.Action.FAIL,
        backoff=p.BackoffPolicy(initial=timedelta(0)),
        anti_affinity=p.AntiAffinity(mode=c.Avoidance.NONE),
        rules=(
            p.Rule(
                action=retry,
                matcher=Conditions(names=("Preempted", "Evicted")),
                anti_affinity=p.AntiAffinity(mode=c.Avoidance.NODE),
            ),
            p.Rule(action=retry, matcher=Conditions(names=("OOMKilled",)), retry_limit=3),
            p.Rule(action=retry, matcher=ExitCodes(operator=Operator.IN, values=frozenset({137}))),
            p.Rule(action=retry, matcher=FailureCategory(names=("cuda_error", "infiniband_error"))),
        ),
    )


def test_every_field_of_a_rule_is_kept() -> None:
    text = f"""{HEADER}  rules:
  - {{action: Fail, name: r, containerName: main, includeInitContainers: true, onTerminationMessage: {{pattern: x}}}}
  - {{action: Retry, onCategory: a, onSubcategory: b, retryLimit: 0, antiAffinity: {{mode: node}},
     backoff: {{initialDelay: 1h30m, maxDelay: 1500ms, multiplier: 3}}}}
"""
    policy = load_retry_policy(text, file="f.yaml")
    assert (policy.default_action, policy.retry_limit, policy.backoff) == (None, None, p.BackoffPolicy())
    assert policy.rules == (
        p.Rule(
            action=c.Action.FAIL,
            name="r",
            container="main",
            include_init=True,
            matcher=TerminationMessage(pattern=Pattern(text="x")),
        ),
        p.Rule(
            action=c.Action.RETRY,
            matcher=Category(category="a", subcategory="b"),
            retry_limit=0,
            anti_affinity=p.AntiAffinity(mode=c.Avoidance.NODE),
            backoff=p.BackoffPolicy(initial=timedelta(minutes=90), maximum=timedelta(milliseconds=1500), multiplier=3),
        ),
    )


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("rules: [{action: Retry, retryLimit: 0, onCategory: a}]", ["never-retries spec.rules[0].retryLimit"]),
        ("rules: [{action: Fail, retryLimit: 1, onCategory: a}]", ["no-effect spec.rules[0].retryLimit"]),
        ("backoff: {initialDelay: 2m, maxDelay: 1m}", ["max-below-initial spec.backoff.maxDelay"]),
        (
            """rules: [{action: Retry, onFailureCategory: [a, b]}, {action: Fail, onCategory: b},
            {action: Fail, onCategory: c, onSubcategory: x}, {action: Fail, onCategory: c},
            {action: Fail, onCategory: c, onSubcategory: y}]""",
            ["duplicate-rule spec.rules[1]", "duplicate-rule spec.rules[4]"],
        ),
        (
            "rules: [{action: Fail, containerName: x, onConditions: [Evicted]}]",
            ["container-name-ignored spec.rules[0].containerName"],
        ),
        (
            "rules: [{action: Fail, onTerminationMessage: {pattern: ''}}]",
            ["matches-everything spec.rules[0].onTerminationMessage.pattern"],
        ),
        (
            "rules: [{action: Fail, onExitCodes: {operator: In, values: [0]}}]",
            ["never-matches spec.rules[0].onExitCodes.values[0]"],
        ),
        (
            """rules: [{action: Fail, onConditions: [Evicted]}, {action: Retry, onConditions: [OOMKilled]},
            {action: Retry, onConditions: [OOMKilled, Evicted]}]""",
            ["duplicate-rule spec.rules[2]"],
        ),
    ],
)
def test_findings_about_policies_that_work(spec: str, told: list[str]) -> None:
    problems = lint(f"{HEADER}  {spec}\n", file="f.yaml")
    assert [f"{problem.code} {problem.path}" for problem in problems] == told
    assert all(problem.severity is Severity.WARNING for problem in problems)
