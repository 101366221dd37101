"""The grade of an answer under ``order: evidence``, and what is advised in effect: the table beside this file."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.advised import advised
from agent.core.classify.classifier import compile_rules
from agent.core.classify.grade import BLAMED
from agent.core.classify.proof import SENTENCES
from agent.core.classify.rules import Category, Order, Role, RuleSet, is_weak
from agent.core.evidence import Evidence
from agent.core.failure import Advice, Advised, Classification, Grade, Origin, Proof
from tests.core.classify.drawn import evidences, rule_sets
from tests.core.classify.tables import Row, evidence_of, rows, rule_of
from tests.core.classify.test_weighing import compiled
from tests.core.strategies import classifications

ROWS = rows("grades.yaml")
NOT_OF_THE_MATCHER = ("proof", "role", "origin", "retry")


def answer_to(row: Row, *, order: Order) -> Classification:
    written = row["rule"]
    rule = replace(
        rule_of({key: value for key, value in written.items() if key not in NOT_OF_THE_MATCHER}),
        proof=Proof(written["proof"]) if "proof" in written else None,
        role=Role(written.get("role", "cause")),
    )
    category = Category(
        name="it",
        rules=(rule,),
        origin=Origin(written.get("origin", "user")),
        advice=Advice(written["retry"]) if "retry" in written else None,
    )
    rules = RuleSet(categories=(category,), order=order)
    return compile_rules(rules).classify(evidence_of(row["seen"]))


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_the_grade_where(row: Row) -> None:
    answer = answer_to(row, order=Order.EVIDENCE)

    assert (answer.grade, advised(answer)) == (row["grade"], row.get("advised"))
    assert (answer.proof is None) is (answer.grade is not Grade.PROVEN)
    assert (answer.corroborated, answer.weak) == (row.get("corroborated"), row.get("weak", False))


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_in_file_order_there_is_no_grade(row: Row) -> None:
    answer = answer_to(row, order=Order.FILE)

    assert (answer.grade, answer.proof, advised(answer)) == (None, None, answer.advice)


@given(given=classifications(st.just("x")))
def test_only_a_proof_advises_against_a_retry_or_a_node(given: Classification) -> None:
    tries = (None, Advised.TRY, Advised.TRY_ELSEWHERE)

    assert (advised(given) in tries) or given.grade in (None, Grade.PROVEN)


@given(rules=rule_sets(), evidence=evidences(), proof=st.none() | st.sampled_from(Proof))
def test_what_is_known_follows_from_the_grade(rules: RuleSet, evidence: Evidence, proof: Proof | None) -> None:
    answer = compiled(replace(with_proof(rules, proof), order=Order.EVIDENCE)).classify(evidence)

    blames = answer.matched and answer.origin in BLAMED
    assert (answer.corroborated is None) is not blames
    if answer.grade is Grade.PROVEN:
        assert not answer.weak
        assert answer.corroborated is not False
    if answer.corroborated is False:
        assert answer.weak
    elif answer.weak:
        assert answer.grade is Grade.UNKNOWN


def with_proof(rules: RuleSet, proof: Proof | None) -> RuleSet:
    """The same with this proof of every rule."""
    categories = [
        replace(category, rules=tuple(replace(rule, proof=proof) for rule in category.rules))
        for category in rules.categories
    ]
    return replace(rules, categories=tuple(categories))


@given(rules=rule_sets(), evidence=evidences())
def test_in_file_order_a_match_is_weak_by_its_rule_alone(rules: RuleSet, evidence: Evidence) -> None:
    answer = compiled(rules).classify(evidence)

    if answer.matched:
        first = answer.matches[0]
        rule = next(category for category in rules.categories if category.name == first.category).rules[
            first.rule_index
        ]
        assert answer.weak is is_weak(rule.matcher)
    else:
        assert not answer.weak


def test_every_proof_has_its_sentence() -> None:
    assert set(SENTENCES) == set(Proof)
