"""Law: a rule is called covered exactly if the rules before it match every code that it matches.

One that matches nothing is left out: it has a finding of its own.
"""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.output import Output
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.classify.rules import Rule
from agent.manifests.matchers.shadow import Covered

CODES = range(1, 8)
BEYOND = 99
"""A code that no drawn list names: it stands for all the others."""

MATCHERS = st.builds(
    ExitCodes, operator=st.sampled_from(Operator), values=st.frozensets(st.integers(0, 7), min_size=1, max_size=4)
)
RULES = st.builds(Rule, matcher=MATCHERS, container=st.sampled_from([None, "a", "b"]))


def matched(rule: Rule) -> set[tuple[str, int]]:
    """Return which container and code the rule matches, by asking about each."""
    assert isinstance(rule.matcher, ExitCodes)
    listed = rule.matcher.operator is Operator.IN
    return {
        (container, code)
        for container in ("a", "b", "other")
        for code in (*CODES, BEYOND)
        if (code in rule.matcher.values) == listed and rule.container in (None, container)
    }


def covered(before: Sequence[Rule], rule: Rule) -> bool:
    seen = Covered()
    for earlier in before:
        seen.add(earlier)
    return seen.covers(rule)


@given(before=st.lists(RULES, max_size=4), rule=RULES)
def test_a_rule_that_is_called_covered_matches_nothing_new(before: list[Rule], rule: Rule) -> None:
    if covered(before, rule):
        assert matched(rule) <= set[tuple[str, int]]().union(*map(matched, before))


@given(before=st.lists(RULES.filter(lambda rule: rule.container is None), max_size=4), rule=RULES.filter(matched))
def test_every_covered_rule_for_any_container_is_called_covered(before: list[Rule], rule: Rule) -> None:
    known = set[tuple[str, int]]().union(*map(matched, before))
    assert covered(before, rule) == (matched(rule) <= known)


@given(names=st.lists(st.sampled_from("abcd"), min_size=1), before=st.lists(st.sampled_from("abcd")))
def test_conditions_are_covered_one_by_one(names: list[str], before: list[str]) -> None:
    rule = Rule(matcher=Conditions(names=tuple(names)))
    assert covered([Rule(matcher=Conditions(names=(name,))) for name in before], rule) == (set(names) <= set(before))


def test_a_pattern_for_output_covers_messages_and_logs_and_both_cover_it() -> None:
    pattern = Pattern(text="lost")
    message, log, output = (Rule(matcher=kind(pattern=pattern)) for kind in (TerminationMessage, LogTail, Output))

    assert covered([output], message)
    assert covered([output], log)
    assert covered([message, log], output)
    assert not covered([message], output)
