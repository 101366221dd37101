"""The classifier and a plain loop over the rules agree, whatever the rules and the evidence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.core.classify.classifier import MAX_MATCHES, Classifier, compile_checked, compile_rules
from agent.core.classify.explanation import RuleOutcome
from agent.core.classify.rules import RuleSet
from agent.core.evidence import Evidence
from agent.core.failure import Origin
from agent.patterns import BacktrackingSearches, Limits
from tests.core.classify.drawn import evidences, rule_sets
from tests.core.classify.plain_loop import matching

UNLIMITED = Limits(search_seconds=5.0, share=1.0, window_seconds=1000)


def compiled(rules: RuleSet) -> Classifier:
    return compile_rules(rules, searches=BacktrackingSearches(clock=lambda: 0.0, limits=UNLIMITED))


@pytest.mark.slow
@given(rules=rule_sets(), seen=st.lists(evidences(), min_size=1, max_size=4))
def test_it_finds_what_a_plain_loop_finds(rules: RuleSet, seen: list[Evidence]) -> None:
    classifier = compiled(rules)

    for evidence in seen:
        given_answer = classifier.classify(evidence)
        expected = matching(rules, evidence)
        assert [(match.category, match.rule_index) for match in given_answer.matches] == expected[:MAX_MATCHES]
        assert given_answer.matches_left_out == max(0, len(expected) - MAX_MATCHES)
        assert given_answer.categories == tuple(dict.fromkeys(category for category, _ in expected))


@given(rules=rule_sets(), evidence=evidences())
def test_the_first_rule_that_matches_gives_the_answer(rules: RuleSet, evidence: Evidence) -> None:
    answer = compiled(rules).classify(evidence)
    expected = matching(rules, evidence)

    assert answer.revision == rules.revision
    assert answer.matched == bool(expected)
    if not expected:
        assert (answer.category, answer.subcategory) == (rules.default_category, rules.default_subcategory)
        assert (answer.origin, answer.advice, answer.hint, answer.categories) == (Origin.UNKNOWN, None, "", ())
        return
    name, index = expected[0]
    category = next(category for category in rules.categories if category.name == name)
    rule = category.rules[index]
    assert (answer.category, answer.subcategory, answer.hint) == (name, rule.subcategory, rule.hint)
    assert answer.origin == (rule.origin or category.origin or Origin.UNKNOWN)
    assert answer.advice == (rule.advice or category.advice)
    assert answer.action == category.action


@given(rules=rule_sets(), seen=st.lists(evidences(), min_size=1, max_size=4))
def test_it_is_the_same_whenever_patterns_are_compiled(rules: RuleSet, seen: list[Evidence]) -> None:
    searches = BacktrackingSearches(clock=lambda: 0.0, limits=UNLIMITED)
    at_once, late = compile_rules(rules, searches=searches), compile_checked(rules, searches=searches)

    for evidence in seen:
        assert late.classify(evidence) == at_once.classify(evidence)
        assert late.explain(evidence) == at_once.explain(evidence)


@pytest.mark.slow
@given(rules=rule_sets(), evidence=evidences())
def test_the_explanation_looks_at_every_rule_and_agrees(rules: RuleSet, evidence: Evidence) -> None:
    considered = compiled(rules).explain(evidence)

    every = [(category.name, index) for category in rules.categories for index in range(len(category.rules))]
    assert [(rule.category, rule.rule_index) for rule in considered] == every
    found = [(rule.category, rule.rule_index) for rule in considered if rule.outcome is RuleOutcome.MATCHED]
    assert found == matching(rules, evidence)
    assert all(rule.why for rule in considered)
    assert all((rule.match is not None) == (rule.outcome is RuleOutcome.MATCHED) for rule in considered)


@given(rules=rule_sets(), evidence=evidences())
def test_what_matched_was_there_to_be_seen(rules: RuleSet, evidence: Evidence) -> None:
    said = [evidence.pod_error, *(event.message for event in evidence.events)]
    said += [container.ended.message for container in evidence.pod.containers if container.ended is not None]
    said += [tail.text for tail in evidence.log_tails]
    said += evidence.node.log_lines if evidence.node is not None else ()

    for match in compiled(rules).classify(evidence).matches:
        assert match.where
        if match.matcher in ("onTerminationMessage", "onPodError", "onPodEvents", "onNodeLog", "onLogTail"):
            assert any(match.text in text for text in said)


@pytest.mark.long
@settings(max_examples=20_000)
@given(rules=rule_sets(), evidence=evidences())
def test_it_finds_what_a_plain_loop_finds_at_length(rules: RuleSet, evidence: Evidence) -> None:
    answer = compiled(rules).classify(evidence)

    assert [(match.category, match.rule_index) for match in answer.matches] == matching(rules, evidence)[:MAX_MATCHES]
