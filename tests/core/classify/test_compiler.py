"""What cannot be compiled says which rule it is and why; what can is bounded in what it tells."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from agent.core.classify.classifier import MAX_MATCHES, compile_rules
from agent.core.classify.compiler import RulesError
from agent.core.classify.explanation import RuleOutcome
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.registry import AllOf
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Engine, Pattern
from agent.core.classify.pattern import PatternError
from agent.core.classify.rules import Category, Matcher, Rule, RuleSet
from agent.core.classify.search import Answer, Found, NotFound, Search, TimedOut
from agent.core.evidence import Evidence
from agent.core.failure import Classification, Origin
from agent.patterns import BacktrackingSearches, Limits
from tests.core.classify.tables import rules_of


class Slow:
    """An engine that never answers in time, but on texts it was told."""

    def __init__(self, quick: str = "") -> None:
        self.quick = quick
        self.asked: list[str] = []

    def __call__(self, pattern: str) -> Search:
        if pattern == "refused":
            raise PatternError("no such thing")
        return self

    def match(self, text: str) -> Answer:
        return self.search(text)

    def search(self, text: str) -> Answer:
        self.asked.append(text)
        if text == "none":
            return NotFound()
        return Found(start=0, end=1) if text == self.quick else TimedOut(why="took longer than 20 ms")


def backtracking(text: str) -> Pattern:
    return Pattern(text=text, engine=Engine.BACKTRACKING)


@pytest.mark.parametrize(
    ("matcher", "why"),
    [
        (PodError(pattern=Pattern(text="[")), r"gpu/xid rule 0: onPodError: missing \]: \["),
        (AllOf(matchers=(TerminationMessage(pattern=Pattern(text=r"\C")),)), r"gpu/xid rule 0: onTerminationMessage"),
        (Conditions(names=("OOM",)), 'gpu/xid rule 0: unknown condition "OOM"'),
        (PodError(pattern=backtracking("(?=x)")), "gpu/xid rule 0: onPodError: no backtracking engine is available"),
    ],
)
def test_a_fault_names_its_rule(matcher: Matcher, why: str) -> None:
    rules = RuleSet(categories=(Category(name="gpu", rules=(Rule(matcher=matcher, subcategory="xid"),)),))

    with pytest.raises(RulesError, match=why):
        compile_rules(rules)


def test_what_the_other_engine_refuses_names_its_rule_too() -> None:
    rules = rules_of(Rule(matcher=PodError(pattern=backtracking("refused"))))

    with pytest.raises(RulesError, match="it rule 0: onPodError: no such thing"):
        compile_rules(rules, searches=Slow())


@pytest.mark.slow
def test_patterns_too_large_together_name_their_signal() -> None:
    large = (Rule(matcher=PodError(pattern=Pattern(text=rf"x{number}\pL{{400}}"))) for number in range(16))

    with pytest.raises(RulesError, match=r"^onPodError: 16 patterns do not fit in 67108864 bytes together$"):
        compile_rules(rules_of(*large))


def test_no_rules_give_the_default() -> None:
    answer = compile_rules(RuleSet(default_category="other", default_subcategory="sub", revision="r")).classify(
        Evidence()
    )

    assert answer == Classification(category="other", subcategory="sub", revision="r", origin=Origin.UNKNOWN)


def test_of_many_matching_rules_the_first_are_described_and_the_others_counted() -> None:
    many = (Rule(matcher=PodError(pattern=Pattern(text="x"))) for _ in range(MAX_MATCHES + 3))
    answer = compile_rules(rules_of(*many)).classify(Evidence(pod_error="x"))

    assert [match.rule_index for match in answer.matches] == list(range(MAX_MATCHES))
    assert answer.matches_left_out == 3
    assert answer.categories == ("it",)


def test_a_rule_without_an_answer_is_named_and_does_not_match() -> None:
    rules = RuleSet(
        categories=(
            Category(name="a", rules=(Rule(matcher=PodError(pattern=backtracking("x")), subcategory="s"),)),
            Category(name="b", rules=(Rule(matcher=PodError(pattern=Pattern(text="slow"))),)),
        )
    )
    classifier = compile_rules(rules, searches=Slow())
    answer = classifier.classify(Evidence(pod_error="slow"))
    alone = classifier.classify(Evidence(pod_error="late"))

    assert (answer.category, answer.timed_out) == ("b", ("a/s rule 0",))
    assert (alone.category, alone.matched, alone.timed_out) == ("none", False, ("a/s rule 0",))
    assert [rule.outcome for rule in classifier.explain(Evidence(pod_error="slow"))] == [
        RuleOutcome.TIMED_OUT,
        RuleOutcome.MATCHED,
    ]
    assert classifier.explain(Evidence(pod_error="slow"))[0].why == "took longer than 20 ms"


def test_a_rule_that_matches_another_text_has_not_timed_out() -> None:
    rules = rules_of(
        Rule(matcher=AllOf(matchers=(PodError(pattern=backtracking("x")), PodError(pattern=Pattern(text="s")))))
    )
    engine = Slow(quick="slow")

    assert compile_rules(rules, searches=engine).classify(Evidence(pod_error="slow")).timed_out == ()


def test_a_backtracking_matcher_is_searched_only_if_the_others_of_its_rule_match() -> None:
    beside = Conditions(names=("Evicted",))
    rules = rules_of(Rule(matcher=AllOf(matchers=(PodError(pattern=backtracking("x")), beside))))
    engine = Slow()

    assert not compile_rules(rules, searches=engine).classify(Evidence(pod_error="slow")).matched
    assert engine.asked == []


def test_an_empty_text_is_never_searched() -> None:
    engine = Slow()
    compile_rules(rules_of(Rule(matcher=PodError(pattern=backtracking("x")))), searches=engine).classify(Evidence())

    assert engine.asked == []


def test_a_classifier_counts_what_its_sets_missed() -> None:
    classifier = compile_rules(rules_of(Rule(matcher=PodError(pattern=Pattern(text="x")))))
    classifier.classify(Evidence(pod_error="y"))

    assert classifier.mismatches == 0
    (patterns,) = classifier._program.sets
    patterns.mismatches = 2
    assert classifier.mismatches == 2


def test_a_real_engine_that_runs_out_of_time_is_reported() -> None:
    rules = rules_of(Rule(matcher=PodError(pattern=backtracking(r"^(a|aa)+$"))))
    classifier = compile_rules(rules, searches=BacktrackingSearches(clock=lambda: 0.0))

    assert classifier.classify(Evidence(pod_error="a" * 200 + "b")).timed_out == ("it rule 0",)


def test_threads_share_one_classifier() -> None:
    rules = rules_of(
        Rule(matcher=PodError(pattern=Pattern(text=r"x\d+"))), Rule(matcher=PodError(pattern=backtracking(r"(\d)\1")))
    )
    classifier = compile_rules(
        rules, searches=BacktrackingSearches(clock=lambda: 0.0, limits=Limits(share=1.0, search_seconds=10.0))
    )
    seen = [Evidence(pod_error=f"{'x' * (number % 3)}{number}") for number in range(2000)]
    alone = [classifier.classify(evidence) for evidence in seen]

    with ThreadPoolExecutor(max_workers=4) as pool:
        together = list(pool.map(classifier.classify, seen))

    assert together == alone
    assert {answer.matched for answer in alone} == {True, False}
    assert classifier.mismatches == 0
