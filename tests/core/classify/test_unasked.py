"""Answers without logs and backtracking searches: one that is settled is the answer with them, whatever they say."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from agent.core.classify.classifier import compile_rules
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.classify.rules import Category, Order, Reach, Role, Rule, RuleSet
from agent.core.classify.search import Answer, Found, NotFound, Search, TimedOut
from agent.core.evidence import ContainerState, Evidence, LogTail
from agent.core.failure import Classification, Mechanism, Proof, Trust
from tests.core.classify.drawn import NAMES, evidences, rule_sets
from tests.core.classify.tables import Row, evidence_of, rows, rule_of

ROWS = rows("unasked.yaml")
TEXTS = ("x", "CUDA error", "Xid 79\n7", "killed", "connection refused", "retrying in 5s\nCUDA error", "é 7\n" * 12)
QUOTA = "exceeded quota: q, requested: limits.cpu=4, used: limits.cpu=1, limited: limits.cpu=2"


ENDS = Category(
    name="ends",
    rules=(
        Rule(matcher=Conditions(names=("Evicted", "OutOf*", "OOMKilled", "StateLost")), proof=Proof.DISRUPTED),
        Rule(matcher=TerminationMessage(pattern=Pattern(text="killed|CUDA")), proof=Proof.CODE),
        Rule(matcher=ExitCodes(operator=Operator.NOT_IN, values=frozenset({0}))),
    ),
)
"""Rules of which one matches most of what is drawn."""


@dataclass(frozen=True)
class ArbitrarySearches:
    """An engine with any answers: by what it is asked, and a seed."""

    seed: int

    def __call__(self, pattern: str) -> Search:
        return ArbitrarySearch(pattern, self.seed)


@dataclass(frozen=True)
class ArbitrarySearch:
    pattern: str
    seed: int

    def search(self, text: str) -> Answer:
        if not text:
            return NotFound()
        drawn = hash((self.pattern, self.seed, text)) % 3
        return (Found(start=0, end=len(text)), NotFound(), TimedOut(why="took too long"))[drawn]

    def match(self, text: str) -> Answer:
        return self.search(text)


def rules_in(row: Row) -> RuleSet:
    categories = tuple(_category(name, given) for name, given in row["rules"].items())
    return RuleSet(categories=categories, order=Order(row.get("order", "evidence")))


def _category(name: str, row: Row) -> Category:
    rule = replace(
        rule_of({key: value for key, value in row.items() if key != "after"}),
        after=frozenset(map(Mechanism, row["after"])) if "after" in row else None,
        proof=Proof.NODE if name.isupper() else None,
    )
    return Category(name=name, rules=(rule,))


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_the_answer_is_settled_where(row: Row) -> None:
    classifier = compile_rules(rules_in(row), searches=ArbitrarySearches(0))

    assert classifier.classify_early(evidence_of(row["seen"]), logs=row.get("logs", ())).settled is row["settled"]


@st.composite
def proven_rule_sets(draw: st.DrawFn, order: Order) -> RuleSet:
    """Rules of which many have proofs, and some of what else matters when they are weighed."""
    drawn = draw(rule_sets())
    categories = [
        replace(
            category,
            rules=tuple(
                replace(
                    rule,
                    proof=draw(st.sampled_from((None, *Proof))),
                    role=draw(st.sampled_from((Role.CAUSE, Role.CAUSE, Role.WRAPPER))),
                    region=draw(st.sampled_from(Reach)),
                    after=draw(st.none() | st.frozensets(st.sampled_from(Mechanism), min_size=1)),
                )
                for rule in category.rules
            ),
        )
        for category in drawn.categories
    ]
    place = draw(st.integers(0, len(categories)))
    return replace(drawn, categories=(*categories[:place], ENDS, *categories[place:]), order=order)


@st.composite
def timed_evidences(draw: st.DrawFn) -> Evidence:
    """Evidence of which mostly several containers ended, one after the other."""
    evidence = draw(evidences())
    containers = tuple(
        changed(container, injected=draw(st.sampled_from((None, False, True))), ended=_at(container.ended, draw))
        for container in evidence.pod.containers
    )
    return changed(evidence, pod=changed(evidence.pod, containers=containers))


def _at(ended: ContainerState | None, draw: st.DrawFn) -> ContainerState | None:
    second = draw(st.integers(0, 2))
    return None if ended is None else changed(ended, finished_at=datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC))


log_tails = st.lists(
    st.builds(LogTail, container=st.sampled_from(NAMES), text=st.sampled_from((*TEXTS, QUOTA))),
    max_size=3,
    unique_by=lambda tail: tail.container,
).map(tuple)


def decided(answer: Classification) -> tuple[object, ...]:
    """All of an answer from which conditions follow."""
    first = answer.matches[0]
    return (first.category, first.rule_index, answer.origin, answer.advice, answer.grade, answer.proof)


def compare(
    rules: RuleSet, evidence: Evidence, tails: tuple[LogTail, ...], readable: frozenset[str], seed: int
) -> bool:
    """Compare the early answer with the full one. Returns whether it is settled."""
    classifier = compile_rules(rules, searches=ArbitrarySearches(seed))
    early = classifier.classify_early(changed(evidence, log_tails=()), logs=readable)
    full = classifier.classify(changed(evidence, log_tails=tails))
    if early.settled:
        assert decided(full) == decided(early.given)
        if early.given.matches[0].trust is Trust.SYSTEM:
            assert full.matches[0].trust is Trust.SYSTEM
    return early.settled


@pytest.mark.slow
@settings(max_examples=300)
@pytest.mark.parametrize("order", Order)
@given(data=st.data(), evidence=timed_evidences(), tails=log_tails, seed=st.integers(0, 50))
def test_what_is_settled_stays(
    order: Order, data: st.DataObject, evidence: Evidence, tails: tuple[LogTail, ...], seed: int
) -> None:
    rules = data.draw(proven_rule_sets(order))
    more = data.draw(st.frozensets(st.sampled_from(NAMES)))
    readable = more | {tail.container for tail in tails}

    event(f"settled: {compare(rules, evidence, tails, readable, seed)}, logs: {bool(readable)}")
