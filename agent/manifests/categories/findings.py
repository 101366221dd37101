"""Findings about error categories that work, but possibly not as intended."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import AllOf, CategoryMatcher
from agent.core.classify.matchers.text import Engine, Pattern
from agent.core.classify.pattern import compile_pattern
from agent.core.classify.rules import Rule, RuleSet, parts
from agent.core.failure import NO_CATEGORY, DetailKey
from agent.documents.checked import Finder, Steps
from agent.documents.node import Node, Scalar
from agent.documents.problem import Severity, quote
from agent.documents.source import Fault
from agent.manifests.categories.shadows import shadows
from agent.manifests.categories.shapes import MATCHERS
from agent.manifests.matchers.loose import loose_line
from agent.manifests.matchers.pattern import counts_far, is_costly
from agent.manifests.matchers.shadow import catches_all, pattern_of
from agent.manifests.matchers.written import findings_of, pattern_fields

INTERNAL = "internal"
"""The category of what the system itself decides."""

ALL_TYPES: Final = frozenset({"Normal", "Warning"})
"""The types that events have."""

_HIGHEST_CODE = 255
_PATTERNS = pattern_fields(MATCHERS)


def findings(rules: RuleSet, root: Node, *, at: Steps, listed: Steps) -> Iterator[Fault]:
    """Yield the findings about a file that compiles to these rules.

    ``at`` is the path of the root in its document, ``listed`` that of the categories below it.
    """
    finder = Finder(root=root, at=at)
    yield from _block(rules, finder, at=listed[:1])
    yield from shadows(rules, finder, listed=listed)
    for number, category in enumerate(rules.categories):
        place = (*listed, number)
        yield from _reserved(category.name, finder, at=(*place, "name"))
        for index, rule in enumerate(category.rules):
            yield from _rule(rule, finder, at=(*place, "rules", index))


def _block(rules: RuleSet, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    enabled = finder.get((*at, "enabled"))
    if isinstance(enabled, Scalar) and enabled.value is False:
        message = "no rule of this file is in effect"
        yield finder.finding("disabled", message, at=(*at, "enabled"), hint="write true, or leave it out")
    elif not rules.categories:
        yield finder.finding("no-categories", "there are no categories, so nothing is classified", at=at)
    yield from _reserved(rules.default_category, finder, at=(*at, "defaultCategory"))
    if rules.default_subcategory and rules.default_category == NO_CATEGORY:
        message = "a default subcategory without a default category"
        yield finder.finding("no-default-category", message, at=(*at, "defaultSubcategory"))


def _reserved(name: str, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    written = finder.get(at) is not None
    if written and name in (INTERNAL, NO_CATEGORY):
        message = f"the name {quote(name)} is reserved for failures that no rule decides"
        yield finder.finding("reserved-name", message, at=at, hint="choose another name")


_KEYS = tuple(key.value for key in DetailKey)


def _rule(rule: Rule, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    if rule.container is not None and all(part.is_pod_level for part in parts(rule.matcher)):
        message = "no effect: this rule matches on the pod, not on a container"
        yield finder.finding("container-name-ignored", message, at=(*at, "containerName"))
    if isinstance(rule.matcher, AllOf):
        if len(rule.matcher.matchers) == 1:
            message = "`allOf` with one part is the same as that part alone"
            yield finder.finding("all-of-one", message, at=(*at, "allOf"), hint="write the matcher by itself")
        for number, part in enumerate(rule.matcher.matchers):
            yield from _matcher(part, finder, at=(*at, "allOf", number))
    else:
        yield from _matcher(rule.matcher, finder, at=at)
    for number, part in enumerate(rule.corroborated_by):
        yield from _matcher(part, finder, at=(*at, "corroboratedBy", number))


def _matcher(matcher: CategoryMatcher, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    yield from findings_of(matcher, MATCHERS, finder, at=at)
    yield from _pattern(matcher, finder, at=at)


def _pattern(matcher: CategoryMatcher, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    pattern = pattern_of(matcher)
    name = next((name for name in _PATTERNS if finder.get((*at, name)) is not None), None)
    if pattern is None or name is None:
        return
    place = (*at, name, _PATTERNS[name])
    narrowed = isinstance(matcher, PodEvents) and matcher.reason is not None
    if catches_all(pattern) and not narrowed:
        yield finder.finding("matches-everything", "the pattern is found in every text", at=place)
    elif not narrowed and pattern.engine is Engine.RE2 and (line := loose_line(pattern.text)) is not None:
        message = f"the pattern is also found in {quote(line)}"
        hint = "begin and end words with \\b, and keep gaps short, such as [^\\n]{0,15}"
        yield finder.finding("loose-pattern", message, at=place, hint=hint)
    yield from _groups(pattern, finder, at=place)
    if is_costly(pattern.text):
        message = "`.*` across lines in the middle of a pattern is slow to search for"
        yield finder.finding("costly-pattern", message, at=place, hint="use two rules, or `allOf`, or [^\\n]*")
    if pattern.engine is Engine.RE2 and counts_far(pattern.text):
        message = "counting this far is slow to search for, together with other rules"
        hint = "write [^\\n]* between words that only this component writes, or count to less than 20"
        yield finder.finding("counted-gap", message, at=place, hint=hint)


def _groups(pattern: Pattern, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    """Yield a finding for each named group that gives no detail."""
    if pattern.engine is Engine.BACKTRACKING:
        return
    for name in compile_pattern(pattern.text).groupindex:
        if name not in _KEYS:
            hint = f"name it {', '.join(_KEYS[:-1])} or {_KEYS[-1]}, or write (?: instead of (?P<{name}>"
            yield finder.finding("unknown-detail", f"no detail is called {quote(name)}", at=at, hint=hint)


def unseen_events(
    rules: RuleSet, root: Node, *, at: Steps, listed: Steps, event_types: frozenset[str]
) -> Iterator[Fault]:
    """Yield an error for each rule on events of a type that is not among ``event_types``.

    ``at`` is the path of the root in its document, ``listed`` that of the categories below it.
    """
    finder = Finder(root=root, at=at)
    for number, category in enumerate(rules.categories):
        for index, rule in enumerate(category.rules):
            yield from _unseen_in_rule(rule, finder, at=(*listed, number, "rules", index), event_types=event_types)


def _unseen_in_rule(rule: Rule, finder: Finder, *, at: Steps, event_types: frozenset[str]) -> Iterator[Fault]:
    joined = isinstance(rule.matcher, AllOf)
    for number, part in enumerate(parts(rule.matcher)):
        place = (*at, "allOf", number) if joined else at
        yield from _unseen(part, finder, at=place, event_types=event_types, so="this rule can never match")
    for number, part in enumerate(rule.corroborated_by):
        place = (*at, "corroboratedBy", number)
        yield from _unseen(part, finder, at=place, event_types=event_types, so="this can never corroborate")


def _unseen(
    part: CategoryMatcher, finder: Finder, *, at: Steps, event_types: frozenset[str], so: str
) -> Iterator[Fault]:
    if isinstance(part, PodEvents) and part.type not in event_types:
        message = f"{part.type} events are not watched, so {so}"
        hint = "set watch.normalEvents to true in the settings of the agent, or delete it"
        found = finder.finding("unseen-events", message, at=(*at, "onPodEvents", "type"), hint=hint)
        yield replace(found, severity=Severity.ERROR)
