import pytest

from agent.core.classify.classifier import compile_rules
from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.matchers.conditions import BARE, Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.namespaces import Namespaces
from agent.core.classify.matchers.node_conditions import NodeCondition, NodeConditions
from agent.core.classify.matchers.node_log import NodeLog
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import AllOf, CategoryMatcher
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.classify.rules import Category, Matcher, Rule, RuleSet, is_weak
from agent.core.evidence import Container, ContainerKind, ContainerState, Event, Evidence, Pod, StateKind

ANY_CODE = ExitCodes(operator=Operator.NOT_IN, values=frozenset({0}))
TEXT = Pattern(text="disk")
STRONG: list[CategoryMatcher] = [
    Conditions(names=("OOMKilled",)),
    Conditions(names=("Error", "OOMKilled")),
    Conditions(names=("DisruptionTarget/EvictionByEvictionAPI",)),
    Conditions(names=("OutOfcpu",)),
    TerminationMessage(pattern=TEXT),
    PodError(pattern=TEXT),
    PodEvents(type="Warning", pattern=TEXT),
    NodeConditions(any_of=(NodeCondition(type="DiskPressure"),)),
    NodeLog(pattern=TEXT),
    LogTail(pattern=TEXT),
]
WEAK: list[CategoryMatcher] = [
    ANY_CODE,
    Signals(values=frozenset({9})),
    Namespaces(operator=Operator.IN, values=frozenset({"ml"})),
    Conditions(names=("ImagePullBackOff",)),
    Conditions(names=("Error", "EndedSilently")),
]


@pytest.mark.parametrize("matcher", [*WEAK, AllOf(matchers=tuple(WEAK))], ids=repr)
def test_what_rests_on_a_code_or_a_bare_reason_is_weak(matcher: Matcher) -> None:
    assert is_weak(matcher)


@pytest.mark.parametrize("matcher", STRONG, ids=repr)
def test_what_knows_the_cause_is_not_and_makes_an_all_of_strong(matcher: CategoryMatcher) -> None:
    assert not is_weak(matcher)
    assert not is_weak(AllOf(matchers=(*WEAK, matcher)))


def test_every_bare_reason_is_a_condition() -> None:
    assert CONDITIONS.keys() >= BARE


def test_the_primary_rule_is_the_one_that_counts() -> None:
    rules = RuleSet(
        categories=(
            Category(name="disk", rules=(Rule(matcher=PodEvents(type="Warning", pattern=TEXT)),)),
            Category(name="code", rules=(Rule(matcher=ANY_CODE),)),
        )
    )
    ended = ContainerState(kind=StateKind.TERMINATED, exit_code=1)
    pod = Pod(containers=(Container(name="main", kind=ContainerKind.APP, state=ended, ended=ended),))
    event = Event(type="Warning", message="disk is gone")
    classifier = compile_rules(rules)

    assert classifier.classify(Evidence(pod=pod)).weak
    assert not classifier.classify(Evidence(pod=pod, events=(event,))).weak
    assert not classifier.classify(Evidence()).weak
