"""Which rules came nearest to a match, by example; and what holds of all."""

import pytest
from hypothesis import given

from agent.core.classify.classifier import compile_rules
from agent.core.classify.explanation import RuleOutcome, relevant_rules
from agent.core.classify.rules import RuleSet
from agent.core.evidence import Evidence
from agent.patterns import BacktrackingSearches
from tests.core.classify.drawn import evidences, rule_sets
from tests.core.classify.tables import Row, evidence_of, rows, rule_of, rules_of

ROWS = rows("nearness.yaml")


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_the_nearest_rules_that_did_not_match(row: Row) -> None:
    classifier = compile_rules(rules_of(*(rule_of(rule) for rule in row["rules"])))
    chosen = relevant_rules(classifier.explain(evidence_of(row)), matched=9, nearest=9)

    assert [rule.subcategory for rule in chosen.nearest] == row["nearest"]


@given(rules=rule_sets(), evidence=evidences())
def test_only_a_match_or_a_search_without_an_end_is_nearest_of_all(rules: RuleSet, evidence: Evidence) -> None:
    classifier = compile_rules(rules, searches=BacktrackingSearches(clock=lambda: 0.0))

    for rule in classifier.explain(evidence):
        assert 0 <= rule.nearness <= 1
        assert (rule.nearness == 1) == (rule.outcome is not RuleOutcome.NOT_MATCHED)


@given(rules=rule_sets(), evidence=evidences())
def test_the_most_relevant_rules_are_bounded_and_the_rest_is_counted(rules: RuleSet, evidence: Evidence) -> None:
    considered = compile_rules(rules, searches=BacktrackingSearches(clock=lambda: 0.0)).explain(evidence)
    chosen = relevant_rules(considered, matched=2, nearest=3)

    assert len(chosen.nearest) <= 3
    assert len(chosen.matched) + chosen.left_out == sum(rule.outcome is RuleOutcome.MATCHED for rule in considered)
