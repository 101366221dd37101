"""Rules that ask for events of a type that is not watched: they could never match."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent.core.classify.rules import AllOf, PodEvents, Rule, RuleSet
from agent.documents.checked import Finder, Steps
from agent.documents.node import Node
from agent.documents.problem import Severity
from agent.documents.source import Fault

ALL_TYPES: Final = frozenset({"Normal", "Warning"})
"""The types that events have."""


def unseen_events(
    rules: RuleSet, root: Node, *, at: Steps, listed: Steps, event_types: frozenset[str]
) -> Iterator[Fault]:
    """Give an error for each rule on events of a type that is not among ``event_types``.

    ``at`` is the path of the root in its document, ``listed`` that of the categories below it.
    """
    finder = Finder(root=root, at=at)
    for number, category in enumerate(rules.categories):
        for index, rule in enumerate(category.rules):
            yield from _of_rule(rule, finder, at=(*listed, number, "rules", index), event_types=event_types)


def _of_rule(rule: Rule, finder: Finder, *, at: Steps, event_types: frozenset[str]) -> Iterator[Fault]:
    joined = isinstance(rule.matcher, AllOf)
    parts = rule.matcher.matchers if isinstance(rule.matcher, AllOf) else (rule.matcher,)
    for number, part in enumerate(parts):
        if isinstance(part, PodEvents) and part.type not in event_types:
            message = f"{part.type} events are not watched, so this rule can never match"
            place = (*at, *(("allOf", number) if joined else ()), "onPodEvents", "type")
            hint = "set watch.normalEvents to true in the settings of the agent, or delete the rule"
            yield replace(finder.finding("unseen-events", message, at=place, hint=hint), severity=Severity.ERROR)
