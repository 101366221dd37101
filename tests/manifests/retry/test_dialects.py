"""Both dialects of retry policies: what is read, what is refused, and what shows only beside other documents."""

from datetime import timedelta

import pytest

from agent.core.classify.matchers.category import Category
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.node_conditions import NodeCondition, NodeConditions
from agent.core.classify.matchers.origin import FailureOrigin
from agent.core.classify.matchers.registry import AllOf
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.failure import Origin
from agent.core.limit import Charge
from agent.core.retry import choices as c
from agent.core.retry import policy as p
from agent.core.retry.dialect import V1BETA1
from agent.core.retry.growth import MemoryGrowth
from agent.documents.problem import ManifestError
from agent.manifests.categories.packs import load_categories
from agent.manifests.crosscheck import known_categories, mixed_dialects, unknown_categories
from agent.manifests.lint import compose, lint, lint_documents
from agent.manifests.retry.armada import RetryAction, read_action, write_action
from agent.manifests.retry.load import load_retry_policies, load_retry_policy
from agent.manifests.retry.scenario import load_scenarios

V1 = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec:\n"
EMPTY = "{resources: {memory: {}}}"
BETA = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p\n"


def test_what_is_ours_is_read() -> None:
    spec = """  mode: shadow
  usableByAnnotation: false
  budgets: {oom: 2, neverStarted: 0}
  backoff: {jitter: 0.5, resetAfter: 1h}
  antiAffinity: {mode: node, strength: preferred, scope: all, expireAfter: 2h, maxNodes: 3}
  rules:
  - {action: Retry, charge: infra, onOrigin: [infra, platform], mutate: {resources: {memory: {static: 1Gi, max: 8Gi}}}}
  - {action: Retry, onSignals: [SIGBUS, 24]}
  - {action: Retry, onNodeConditions: Ready}
  - {action: Retry, allOf: [{onExitCodes: {operator: In, values: [1]}}, {onTerminationMessage: {pattern: x}}]}
"""
    policy = load_retry_policy(V1 + spec, file="f.yaml")
    assert (policy.mode, policy.usable_by_annotation) == (c.PolicyMode.SHADOW, False)
    assert policy.budgets == {Charge.OOM: 2, Charge.NEVER_STARTED: 0}
    assert policy.backoff == p.BackoffPolicy(jitter=0.5, reset_after=timedelta(hours=1))
    assert policy.anti_affinity == p.AntiAffinity(
        mode=c.Avoidance.NODE,
        strength=c.Strength.PREFERRED,
        scope=c.AvoidScope.ALL,
        expire_after=timedelta(hours=2),
        max_nodes=3,
    )
    assert (policy.rules[0].charge, policy.rules[0].memory) == (
        Charge.INFRA,
        MemoryGrowth(static=1 << 30, ceiling=8 << 30),
    )
    assert [rule.matcher for rule in policy.rules] == [
        FailureOrigin(origins=(Origin.INFRA, Origin.PLATFORM)),
        Signals(values=frozenset({7, 24})),
        NodeConditions(any_of=(NodeCondition(type="Ready"),)),
        AllOf(
            matchers=(
                ExitCodes(operator=Operator.IN, values=frozenset({1})),
                TerminationMessage(pattern=Pattern(text="x")),
            )
        ),
    ]


def test_armadas_is_read_as_armada_reads_it() -> None:
    rules = "rules: [{action: 2, onCategory: oom, mutate: {affinity: {avoidSameNode: true}}}]\n"
    policy = load_retry_policy(f"{BETA}defaultAction: fail\n{rules}", file="f.yaml")

    assert (policy.dialect, policy.retry_limit, policy.default_action) == (V1BETA1, 0, c.Action.FAIL)
    (rule,) = policy.rules
    assert (rule.action, rule.matcher) == (c.Action.RETRY, Category(category="oom"))
    assert (rule.anti_affinity.scope, rule.anti_affinity.exhausted) == (c.AvoidScope.ALL, c.Exhausted.FAIL)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{BETA}retry_limit: 5\ndefaultAction: Retry\n", "unknown-field 4:1 retry_limit"),
        (BETA, "missing-field 1:1 defaultAction"),
        (f"{BETA}defaultAction: RETRY_ACTION_UNSPECIFIED\n", "unknown-value 4:16 defaultAction"),
        (f"{BETA}defaultAction: Fail\nrules: [null]\n", "wrong-type 5:9 rules[0]"),
        (f"{BETA}defaultAction: Fail\nrules: [{{action: Retry, onConditions: [OOMKilled]}}]\n", "missing-field"),
        (
            f"{BETA}defaultAction: Fail\nrules: [{{action: 2, onCategory: a, mutate: {EMPTY}}}]\n",
            "one-amount 5:65 rules[0].mutate.resources.memory",
        ),
        (f"{V1}  rules: [{{action: Retry, allOf: [{{onCategory: a, onOrigin: [infra]}}]}}]\n", "several-matchers"),
        (f"{V1}  budgets: {{memory: 1}}\n", "unknown-field 5:13 spec.budgets.memory"),
        (f"{V1}  backoff: {{jitter: 2}}\n", "out-of-range 5:21 spec.backoff.jitter"),
        (
            f"{V1}  rules: [{{action: Retry, onCategory: a, mutate: {{resources: {{memory: {{factor: 1.5}}}}}}}}]\n",
            "missing-field",
        ),
    ],
)
def test_faults_have_their_place(text: str, told: str) -> None:
    problems = [
        f"{problem.code} {problem.line}:{problem.column} {problem.path}" for problem in lint(text, file="f.yaml")
    ]

    assert any(problem.startswith(told) for problem in problems), problems


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("retryLimit: 21", ["limit-never-binds spec.retryLimit"]),
        ("budgets: {oom: 99}", ["limit-never-binds spec.budgets.oom"]),
        (
            "retryLimit: 5\n  rules: [{action: Retry, retryLimit: 3, onCategory: a}]",
            ["limit-never-binds spec.retryLimit"],
        ),
        ("retryLimit: 5\n  defaultAction: Retry\n  rules: [{action: Retry, retryLimit: 3, onCategory: a}]", []),
        (
            "budgets: {oom: 1}\n  rules: [{action: Retry, charge: oom, retryLimit: 3, onCategory: a}]",
            ["limit-never-binds spec.rules[0].retryLimit"],
        ),
        (
            "rules: [{action: Fail, onOrigin: [infra, platform, user, unknown]}, {action: Retry, onCategory: a}]",
            ["duplicate-rule spec.rules[1]"],
        ),
        (
            """rules: [{action: Fail, onExitCodes: {operator: NotIn, values: [1]}},
          {action: Retry, onExitCodes: {operator: In, values: [2, 3]}},
          {action: Retry, containerName: x, onExitCodes: {operator: In, values: [2]}}]""",
            ["duplicate-rule spec.rules[1]"],
        ),
        (
            """rules: [{action: Fail, onSignals: [9]},
          {action: Retry, allOf: [{onSignals: [SIGKILL]}, {onOrigin: [infra]}]}]""",
            ["duplicate-rule spec.rules[1]"],
        ),
        ("antiAffinity: {mode: node, maxNodes: 2}", ["no-effect spec.antiAffinity.maxNodes"]),
        ("rules: [{action: Fail, charge: oom, onCategory: a}]", ["no-effect spec.rules[0].charge"]),
    ],
)
def test_findings(spec: str, told: list[str]) -> None:
    assert [f"{problem.code} {problem.path}" for problem in lint(f"{V1}  {spec}\n", file="f.yaml")] == told


def test_categories_that_no_rule_file_has_are_found() -> None:
    rules = load_categories(
        "errorCategories: [{name: gpu, rules: [{onSignals: [9], subcategory: xid}]}]", file="c.yaml"
    )
    text = f"""{V1}  rules:
  - {{action: Retry, onFailureCategory: [gpu, gpuu, none]}}
  - {{action: Retry, onCategory: gpu, onSubcategory: xidd}}
  - {{action: Retry, allOf: [{{onCategory: nope}}, {{onOrigin: [infra]}}]}}
  - {{action: Retry, onCategory: internal, onSubcategory: lease-expired}}
"""
    (document,) = lint_documents(compose(text, file="f.yaml")).policies
    found = unknown_categories(document, known_categories([rules]))
    assert [f"{problem.code} {problem.line}:{problem.column} {problem.path}" for problem in found] == [
        "unknown-category 6:46 spec.rules[0].onFailureCategory[1]",
        "unknown-subcategory 7:53 spec.rules[1].onSubcategory",
        "unknown-category 8:42 spec.rules[2].allOf[0].onCategory",
    ]


def test_a_mix_of_dialects_is_refused() -> None:
    text = f"{V1}  defaultAction: Fail\n---\n{BETA}defaultAction: Fail\n"
    (fault,) = mixed_dialects(lint_documents(compose(text, file="f.yaml")).policies)

    assert (fault.code, fault.line, fault.severity) == ("mixed-dialects", 7, "error")
    assert len(load_retry_policies(text, file="f.yaml")) == 2


@pytest.mark.parametrize(
    ("written", "action"),
    [("Fail", 1), ("rEtRy", 2), ("RETRY_ACTION_FAIL", 1), ("RETRY_ACTION_UNSPECIFIED", 0), (1, 1), (2, 2)],
)
def test_actions_are_read(written: object, action: int) -> None:
    assert read_action(written) is RetryAction(action)


@pytest.mark.parametrize("written", ["BANANAS", "", 0, 99, True, None, {}, "retry_action_fail", 1.0])
def test_what_is_no_action_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match="unknown action"):
        read_action(written)


def test_actions_are_written() -> None:
    assert [write_action(number) for number in (0, 1, 2)] == ["Unspecified", "Fail", "Retry"]
    with pytest.raises(ValueError, match="99"):
        write_action(99)


def test_faults_of_a_scenario_have_their_place() -> None:
    first = "name: s\nnodes: [{allocatable: {memory: much}, ready: 1}]\nfailures: [{times: 1}]\n"
    text = f"{first}---\nname: t\nfailures: []\n"
    with pytest.raises(ManifestError) as raised:
        load_scenarios(text, file="s.yaml")
    assert [(problem.code, problem.line) for problem in raised.value.problems] == [
        ("invalid-quantity", 2),
        ("empty", 6),
    ]
