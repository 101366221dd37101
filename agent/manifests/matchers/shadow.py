"""Rules that can never decide, because rules before them match whatever they match."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.matcher import Matcher
from agent.core.classify.matchers.text import Engine, Pattern, TextMatcher
from agent.core.classify.rules import Rule
from agent.manifests.matchers.pattern import matches_everything

# A container that exits with 0 has not failed, so no rule matches 0.
_NEVER = 0

_Kept = tuple[str | None, object]


def pattern_of(matcher: object) -> Pattern | None:
    """Return the pattern of a matcher that has one."""
    return matcher.pattern if isinstance(matcher, TextMatcher) else None


def catches_all(pattern: Pattern) -> bool:
    """Return whether the pattern is found in every text."""
    return pattern.engine is Engine.RE2 and matches_everything(pattern.text)


@dataclass(slots=True)
class CoveredCodes:
    """The exit codes that earlier rules match: those in ``listed``, and after a NotIn all but those in ``left``."""

    listed: set[int] = field(default_factory=set)
    left: frozenset[int] | None = None

    def cover(self, operator: Operator, values: frozenset[int]) -> bool:
        """Return whether every code that such a rule matches is matched before."""
        if operator is Operator.IN:
            matched = values - {_NEVER}
            return bool(matched) and all(self._has(code) for code in matched)
        return self.left is not None and all(
            code in values or code in self.listed or code == _NEVER for code in self.left
        )

    def add(self, operator: Operator, values: frozenset[int]) -> None:
        if operator is Operator.IN:
            self.listed |= values
        else:
            self.left = values if self.left is None else self.left & values

    def _has(self, code: int) -> bool:
        return code in self.listed or (self.left is not None and code not in self.left)


class Covered:
    """What the rules added so far match, by container. Asking and adding take time in proportion to the rule."""

    def __init__(self) -> None:
        self._whole: set[_Kept] = set()
        self._codes: dict[str | None, CoveredCodes] = {}
        self._listed: dict[tuple[str | None, type], set[object]] = {}
        self._catch_all: set[_Kept] = set()

    def covers(self, rule: Rule) -> bool:
        """Return whether the rules so far match everything that this one does."""
        return any(self._covers(rule.matcher, container) for container in {None, rule.container})

    def add(self, rule: Rule) -> None:
        matcher, container = rule.matcher, rule.container
        self._whole.update((container, alternative) for alternative in _as_searched(matcher))
        if isinstance(matcher, ExitCodes):
            self._codes.setdefault(container, CoveredCodes()).add(matcher.operator, matcher.values)
        elif listed := _listed(matcher):
            self._listed.setdefault((container, type(matcher)), set()).update(listed)
        elif (pattern := pattern_of(matcher)) and catches_all(pattern):
            self._catch_all.update((container, _kind(alternative)) for alternative in _as_searched(matcher))

    def _covers(self, matcher: object, container: str | None) -> bool:
        if all(
            (container, alternative) in self._whole or (container, _kind(alternative)) in self._catch_all
            for alternative in _as_searched(matcher)
        ):
            return True
        if isinstance(matcher, ExitCodes):
            return container in self._codes and self._codes[container].cover(matcher.operator, matcher.values)
        listed = _listed(matcher)
        return bool(listed) and listed <= self._listed.get((container, type(matcher)), set())


def _as_searched(matcher: object) -> Sequence[object]:
    """Return the matchers of single kinds of text that together match what this one does."""
    if not isinstance(matcher, TextMatcher) or type(matcher) in matcher.kinds():
        return [matcher]
    return [kind(pattern=matcher.pattern) for kind in matcher.kinds()]


def _listed(matcher: object) -> frozenset[object]:
    """Return the alternatives of a matcher that is a list of them."""
    return matcher.listed() if isinstance(matcher, Matcher) else frozenset()


def _kind(matcher: object) -> object:
    """Return what identifies the texts that a matcher searches."""
    return (type(matcher), matcher.narrowed_by) if isinstance(matcher, TextMatcher) else type(matcher)
