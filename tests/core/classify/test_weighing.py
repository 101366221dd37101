"""Which rule is primary under ``order: evidence``: the table beside this file, and laws."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from agent.core import evidence as seen
from agent.core.classify.classifier import MAX_MATCHES, Classifier, compile_rules
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.termination_message import TerminationMessage, trust_in_message
from agent.core.classify.matchers.text import Pattern
from agent.core.classify.rules import Category, Order, Reach, Role, Rule, RuleSet
from agent.core.classify.weighing import AFTER_WORDS
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, Pod, StateKind
from agent.core.failure import Classification, DetailKey, Match, Mechanism, Origin, Trust
from agent.patterns import BacktrackingSearches, Limits
from tests.core.classify.drawn import evidences, rule_sets
from tests.core.classify.tables import Row, evidence_of, matcher_of, rows, rule_of

ROWS = rows("weighing.yaml")
UNLIMITED = Limits(search_seconds=5.0, share=1.0, window_seconds=1000)


def compiled(rules: RuleSet) -> Classifier:
    return compile_rules(rules, searches=BacktrackingSearches(clock=lambda: 0.0, limits=UNLIMITED))


def weighed(rules: RuleSet, evidence: Evidence) -> Classification:
    return compiled(replace(rules, order=Order.EVIDENCE)).classify(evidence)


def rules_in(row: Row) -> RuleSet:
    return RuleSet(categories=tuple(_category(name, given) for name, given in row.items()))


def _category(name: str, row: Row) -> Category:
    matcher = {key: value for key, value in row.items() if key not in ("after", "role", "region", "corroboratedBy")}
    rule = replace(
        rule_of(matcher),
        after=frozenset(map(Mechanism, row["after"])) if "after" in row else None,
        role=Role(row.get("role", "cause")),
        region=Reach(row.get("region", "any")),
        corroborated_by=tuple(map(matcher_of, row.get("corroboratedBy", ()))),
    )
    return Category(name=name, rules=(rule,), origin=Origin.INFRA if name.isupper() else Origin.USER)


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_the_primary_rule_where(row: Row) -> None:
    answer = weighed(rules_in(row["rules"]), evidence_of(row["seen"]))

    assert answer.category == row["primary"]
    assert answer.corroborated is row.get("corroborated")
    assert list(answer.categories[1:]) == row.get("others", [])
    assert {hypothesis.match.category: hypothesis.refused for hypothesis in answer.hypotheses} == row.get("refused", {})


def numbered(matches: list[Match]) -> set[tuple[str, int]]:
    return {(match.category, match.rule_index) for match in matches}


@given(rules=rule_sets(), evidence=evidences())
def test_nothing_is_lost_by_weighing(rules: RuleSet, evidence: Evidence) -> None:
    by_file = compiled(rules).classify(evidence)
    answer = weighed(rules, evidence)

    total = len(answer.matches) + answer.matches_left_out + len(answer.hypotheses) + answer.hypotheses_left_out
    assert total == len(by_file.matches) + by_file.matches_left_out
    if total <= MAX_MATCHES:
        refused = [hypothesis.match for hypothesis in answer.hypotheses]
        assert numbered([*answer.matches, *refused]) == numbered(list(by_file.matches))
        assert numbered(list(answer.matches)).isdisjoint(numbered(refused))
    assert answer.timed_out == by_file.timed_out


@given(rules=rule_sets(), evidence=evidences())
def test_the_order_of_the_file_needs_no_mechanism(rules: RuleSet, evidence: Evidence) -> None:
    answer = compiled(rules).classify(evidence)

    assert (answer.mechanism, answer.corroborated, answer.hypotheses, answer.hypotheses_left_out) == (None, None, (), 0)


@given(rules=rule_sets(), evidence=evidences())
def test_what_a_program_wrote_never_explains_what_the_system_did(rules: RuleSet, evidence: Evidence) -> None:
    answer = weighed(rules, evidence)

    if answer.mechanism not in AFTER_WORDS:
        assert not [match for match in answer.matches if match.matcher == LogTail.NAME]
        assert not [match for match in answer.matches if match.matcher == TerminationMessage.NAME and is_words(match)]


def is_words(match: Match) -> bool:
    return match.trust is Trust.USER_TEXT


@given(rules=rule_sets(), evidence=evidences())
def test_text_alone_never_corroborates(rules: RuleSet, evidence: Evidence) -> None:
    silent = changed(evidence, node=None, events=())
    only_texts = replace(
        rules,
        categories=tuple(
            replace(category, rules=tuple(rule for rule in category.rules if is_text(rule.matcher)))
            for category in rules.categories
        ),
    )

    assert weighed(only_texts, silent).corroborated in (None, False) or trusted(only_texts, silent)


@given(evidence=evidences(), named=st.sampled_from([LogTail, TerminationMessage]))
def test_text_that_a_rule_names_does_not_corroborate_either(
    evidence: Evidence, named: type[LogTail | TerminationMessage]
) -> None:
    everything = Pattern(text="(?s).")
    rule = Rule(
        matcher=LogTail(pattern=everything), after=frozenset(Mechanism), corroborated_by=(named(pattern=everything),)
    )
    rules = RuleSet(categories=(Category(name="a", rules=(rule,), origin=Origin.INFRA),))

    assert weighed(rules, evidence).corroborated in (None, False) or runtime_wrote(evidence)


def runtime_wrote(evidence: Evidence) -> bool:
    ends = (container.ended for container in evidence.pod.containers)
    return any(state is not None and state.message and trust_in_message(state) is Trust.SYSTEM for state in ends)


def is_text(matcher: object) -> bool:
    return isinstance(matcher, (LogTail, TerminationMessage))


def trusted(rules: RuleSet, evidence: Evidence) -> bool:
    """The runtime may be the author of a termination message."""
    return any(match.trust is Trust.SYSTEM for match in weighed(rules, evidence).matches)


@given(rules=rule_sets(), evidence=evidences())
def test_it_answers_the_same_again(rules: RuleSet, evidence: Evidence) -> None:
    classifier = compiled(replace(rules, order=Order.EVIDENCE))

    assert classifier.classify(evidence) == classifier.classify(evidence)


def test_of_two_containers_the_one_is_described_whose_text_the_system_wrote() -> None:
    said = ContainerState(kind=StateKind.TERMINATED, message="no such file", exit_code=1)
    refused = changed(said, reason="StartError", exit_code=128)
    containers = tuple(
        Container(name=name, kind=ContainerKind.APP, state=ended, ended=ended)
        for name, ended in (("first", said), ("second", refused))
    )
    rule = Rule(matcher=TerminationMessage(pattern=Pattern(text="no such file")))
    rules = RuleSet(categories=(Category(name="start", rules=(rule,)),))

    (match,) = weighed(rules, Evidence(pod=Pod(phase="Failed", containers=containers))).matches

    assert (match.container, match.trust) == ("second", Trust.SYSTEM)


def test_of_two_places_in_a_log_the_one_in_the_final_region_is_described() -> None:
    ended = ContainerState(kind=StateKind.TERMINATED, reason="Error", exit_code=1)
    main = Container(name="main", kind=ContainerKind.APP, state=ended, ended=ended)
    lines = ["rank 3 is slow", *(f"step {number}" for number in range(30)), "rank 7 is lost"]
    rule = Rule(matcher=LogTail(pattern=Pattern(text=r"rank (?P<resource>\d) is (?:slow|lost)")))
    rules = RuleSet(categories=(Category(name="peer", rules=(rule,)),))
    pod = Pod(phase="Failed", containers=(main,))

    result = weighed(rules, Evidence(pod=pod, log_tails=(seen.LogTail(container="main", text="\n".join(lines)),)))

    assert [match.text for match in result.matches] == ["rank 7 is lost"]
    assert [(detail.key, detail.value) for detail in result.detail] == [(DetailKey.RESOURCE, "7")]
