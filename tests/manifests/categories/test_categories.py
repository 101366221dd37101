import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify import rules as r
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.node_conditions import NodeCondition, NodeConditions
from agent.core.classify.matchers.node_log import NodeLog
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import AllOf
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Engine, Pattern
from agent.core.failure import Advice, CategoryAction, Origin
from agent.manifests.categories.packs import lint_categories, load_categories

SEED = """
errorCategories:
- name: cuda_error
  rules:
  - onTerminationMessage: { pattern: ".*(CUDA error|Xid error).*" }
  - onExitCodes: { operator: In, values: [74, 75] }
- name: infiniband_error
  rules:
  - onExitCodes: { operator: In, values: [42, 43] }
  - onTerminationMessage: { pattern: ".*InfiniBand.*link down.*" }
- name: oom
  rules:
  - onConditions: [OOMKilled]
  - onExitCodes: { operator: In, values: [137] }
- name: sidecar_crash
  rules:
  - containerName: istio-proxy
    onExitCodes: { operator: NotIn, values: [0] }
"""


def one_rule(matcher: dict[str, Any]) -> r.Rule:
    text = json.dumps({"errorCategories": [{"name": "a", "rules": [matcher]}]})
    return load_categories(text, file="f.yaml").categories[0].rules[0]


def test_codes_of_windows_are_read_as_a_pod_holds_them() -> None:
    listed = [3221225477, -1073741819, 2**31, 2**31 - 1, 2**32 - 1, 2**32, 137]
    rule = one_rule({"onExitCodes": {"operator": "In", "values": listed}})

    held = frozenset({-1073741819, -(2**31), 2**31 - 1, -1, 2**32, 137})
    assert rule.matcher == ExitCodes(operator=Operator.IN, values=held)


def test_the_proposals_example_is_read_as_it_is_and_without_findings() -> None:
    rules = load_categories(SEED, file="seed.yaml")
    assert lint_categories(SEED, file="seed.yaml") == ()
    assert [category.name for category in rules.categories] == [
        "cuda_error",
        "infiniband_error",
        "oom",
        "sidecar_crash",
    ]
    assert rules.default_category == "none"
    assert rules.categories[3].rules == (
        r.Rule(
            matcher=ExitCodes(operator=Operator.NOT_IN, values=frozenset({0})),
            name=rules.categories[3].rules[0].name,
            container="istio-proxy",
        ),
    )


@pytest.mark.parametrize(
    ("written", "matcher"),
    [
        (
            {"onExitCodes": {"operator": "In", "values": [1, 1, 2]}},
            ExitCodes(operator=Operator.IN, values=frozenset({1, 2})),
        ),
        (
            {"onTerminationMessage": {"pattern": "x"}},
            TerminationMessage(pattern=Pattern(text="x")),
        ),
        ({"onConditions": ["Evicted", "OOMKilled"]}, Conditions(names=("Evicted", "OOMKilled"))),
        ({"onConditions": ["OutOfnvidia.com/gpu"]}, Conditions(names=("OutOfnvidia.com/gpu",))),
        ({"onPodError": {"pattern": "x"}}, PodError(pattern=Pattern(text="x"))),
        (
            {"onPodEvents": {"regexp": "x", "type": "Warning", "reason": "Failed"}},
            PodEvents(type="Warning", reason="Failed", pattern=Pattern(text="x")),
        ),
        (
            {"onNodeConditions": "MemoryPressure"},
            NodeConditions(any_of=(NodeCondition(type="MemoryPressure"),)),
        ),
        (
            {"onNodeConditions": {"type": "Ready", "status": False, "reason": "Gone"}},
            NodeConditions(any_of=(NodeCondition(type="Ready", status="False", reason="Gone"),)),
        ),
        (
            {"onNodeConditions": ["DiskPressure", {"type": "Ready", "status": "Unknown"}]},
            NodeConditions(any_of=(NodeCondition(type="DiskPressure"), NodeCondition(type="Ready", status="Unknown"))),
        ),
        (
            {"onNodeLog": {"pattern": "x(?!y)", "engine": "backtracking"}},
            NodeLog(pattern=Pattern(text="x(?!y)", engine=Engine.BACKTRACKING)),
        ),
        ({"onLogTail": {"pattern": "x"}}, LogTail(pattern=Pattern(text="x"))),
        ({"onSignals": ["SIGKILL", 9, 15]}, Signals(values=frozenset({9, 15}))),
        (
            {"allOf": [{"onSignals": [9]}, {"onPodError": {"pattern": "x"}}]},
            AllOf(matchers=(Signals(values=frozenset({9})), PodError(pattern=Pattern(text="x")))),
        ),
        ({"onSignals": [9], "onConditions": [], "onPodError": None}, Signals(values=frozenset({9}))),
    ],
)
def test_each_matcher_is_compiled(written: dict[str, Any], matcher: r.Matcher) -> None:
    assert one_rule(written).matcher == matcher


def test_what_a_rule_and_a_category_say_is_kept() -> None:
    text = """
errorCategories:
  defaultCategory: other
  defaultSubcategory: unknown
  categories:
  - name: a
    action: Delete
    origin: infra
    retry: elsewhere
    rules:
    - {onSignals: [9], subcategory: s, hint: "do\\nthis", origin: user, retry: never, containerName: c}
  - {name: b, action: "", rules: [{onSignals: [15], containerName: "", subcategory: ""}]}
"""
    rules = load_categories(text, file="f.yaml")
    first, second = rules.categories
    assert (rules.default_category, rules.default_subcategory) == ("other", "unknown")
    assert (first.action, first.origin, first.advice) == (CategoryAction.DELETE, Origin.INFRA, Advice.ELSEWHERE)
    rule = first.rules[0]
    assert (rule.subcategory, rule.hint, rule.container) == ("s", "do\nthis", "c")
    assert (rule.origin, rule.advice) == (Origin.USER, Advice.NEVER)
    assert (second.action, second.rules[0].container) == (CategoryAction.RETAIN, None)


def test_a_disabled_block_has_nothing_in_effect() -> None:
    text = "errorCategories: {enabled: false, defaultCategory: x, categories: [{name: a, rules: [{onSignals: [9]}]}]}"
    rules = load_categories(text, file="f.yaml")
    assert (rules.categories, rules.default_category) == ((), "none")


def test_an_executors_configuration_is_read_for_its_block_only() -> None:
    text = "application: {clusterId: c, errorCategories: {enabled: true}}\nkubernetes: {impersonateUsers: true}\n"
    assert load_categories(text, file="f.yaml").categories == ()


REVISION = load_categories(SEED, file="f.yaml").revision


@pytest.mark.parametrize(
    "same",
    [
        SEED.replace("[74, 75]", "[75, 74, 74]"),
        SEED.replace("- name: oom", "# out of memory\n- action: Retain\n  name: oom"),
        SEED.replace('pattern: ".*InfiniBand.*link down.*"', "pattern: .*InfiniBand.*link down.*, engine: re2"),
        json.dumps({"errorCategories": {"categories": yaml.safe_load(SEED)["errorCategories"]}}),
    ],
)
def test_the_revision_is_that_of_the_meaning(same: str) -> None:
    assert load_categories(same, file="g.yaml").revision == REVISION


@pytest.mark.parametrize(
    ("old", "new"),
    [("In,", "NotIn,"), ("137", "138"), ("oom", "mem"), ("istio-proxy", "envoy"), ("CUDA", "cuda")],
)
def test_another_meaning_has_another_revision(old: str, new: str) -> None:
    other = SEED.replace(old, new, 1)
    assert load_categories(other, file="f.yaml").revision != REVISION


@given(names=st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), min_size=2, unique=True), data=st.data())
def test_the_order_of_categories_is_part_of_the_meaning(names: list[str], data: st.DataObject) -> None:
    def revision(order: list[str]) -> str:
        written = [{"name": name, "rules": [{"onSignals": [9]}]} for name in order]
        return load_categories(json.dumps({"errorCategories": written}), file="f").revision

    shuffled = data.draw(st.permutations(names))
    assert (revision(shuffled) == revision(names)) == (shuffled == names)
