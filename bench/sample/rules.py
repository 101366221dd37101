"""Sample rules: 100 in the style of the shipped file: literals, at most one ``.*``, codes and conditions."""

from random import Random

from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import CategoryMatcher
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.classify.rules import Category, Rule, RuleSet
from bench.sample.pods import WORDS

SUBJECTS = ("CUDA", "NCCL", "NVLink", "checkpoint", "dataset", "Lustre", "registry", "scheduler", "license", "quota")
PROBLEMS = ("out of memory", "connection refused", "no such file", "permission denied", "corrupt header", "timed out")


def rule_set(number: int, *, seed: int) -> RuleSet:
    """This many categories of one rule each."""
    random = Random(seed)
    return RuleSet(
        categories=tuple(
            Category(name=f"category_{index}", rules=(Rule(matcher=_matcher(random, index), subcategory="leaf"),))
            for index in range(number)
        ),
        default_category="uncategorized",
        revision="bench",
    )


def hits(rules: RuleSet) -> tuple[str, ...]:
    """Texts that the rules for termination messages match."""
    return tuple(
        rule.matcher.pattern.text.replace(".*", " then ").replace("\\b", "")
        for category in rules.categories
        for rule in category.rules
        if isinstance(rule.matcher, TerminationMessage)
    )


def _matcher(random: Random, index: int) -> CategoryMatcher:
    kind = index % 20
    if kind == 0:
        return ExitCodes(operator=Operator.IN, values=frozenset({200 + index % 50}))
    if kind == 1:
        return Conditions(names=("Evicted",))
    if kind in {2, 3}:
        return PodEvents(type="Warning", pattern=Pattern(text=_pattern(random, index)), reason="FailedMount")
    if kind in {4, 5, 6}:
        return PodError(pattern=Pattern(text=_pattern(random, index)))
    return TerminationMessage(pattern=Pattern(text=_pattern(random, index)))


def _pattern(random: Random, index: int) -> str:
    subject, problem = random.choice(SUBJECTS), random.choice(PROBLEMS)
    joint = random.choice((": ", ".*", f" {random.choice(WORDS)} "))
    return f"{subject} {index}{joint}{problem}"
