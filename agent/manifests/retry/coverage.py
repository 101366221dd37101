"""What the earlier rules of a retry policy match, to find rules that no failure can reach."""

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes
from agent.core.classify.matchers.matcher import FailureMatcher, PolicyMatcher
from agent.core.classify.matchers.origin import FailureOrigin
from agent.core.classify.matchers.registry import AllOf, Matcher, RetryMatcher, parts
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.signs import Scope
from agent.core.failure import Origin
from agent.core.retry.policy import Rule
from agent.manifests.matchers.pattern import matches_everything
from agent.manifests.matchers.shadow import CoveredCodes

_Scope = tuple[str | None, bool]
_ANY_MESSAGE = (TerminationMessage, "")


class CoveredFailures:
    """The failures that earlier rules match. Asking and adding take time in proportion to the rule."""

    def __init__(self) -> None:
        self._seen: set[tuple[_Scope, object]] = set()
        self._codes: dict[_Scope, CoveredCodes] = {}
        self._everything = False

    def covers(self, rule: Rule) -> bool:
        """Return whether the rules so far match everything that this one does.

        An ``allOf`` is covered where one of its parts is. A rule without a container is about the first
        container that failed, so it covers a rule that names one only in what belongs to the pod.
        """
        return self._everything or any(self._part(rule, part) for part in parts(rule.matcher))

    def add(self, rule: Rule) -> None:
        matcher, scope = rule.matcher, (rule.container, rule.include_init)
        self._everything = self._everything or _is_everything(matcher)
        if isinstance(matcher, ExitCodes):
            self._codes.setdefault(scope, CoveredCodes()).add(matcher.operator, matcher.values)
        elif isinstance(matcher, AllOf):
            self._seen.add((scope, matcher))
        else:
            self._seen.update((scope, alternative) for alternative in _alternatives(matcher))

    def _part(self, rule: Rule, part: RetryMatcher) -> bool:
        scope = (rule.container, rule.include_init)
        if (scope, rule.matcher) in self._seen:
            return True
        if isinstance(part, ExitCodes):
            return scope in self._codes and self._codes[scope].cover(part.operator, part.values)
        if isinstance(part, TerminationMessage) and (scope, _ANY_MESSAGE) in self._seen:
            return True
        return all(self._alternative(scope, part, alternative) for alternative in _alternatives(part))

    def _alternative(self, scope: _Scope, part: RetryMatcher, alternative: object) -> bool:
        return any(
            (place, same) in self._seen
            for place in _wider_scopes(scope, part, alternative)
            for same in (alternative, *_wider(alternative))
        )


def _alternatives(matcher: RetryMatcher) -> tuple[object, ...]:
    """Return the alternatives of a matcher that is a list of them, else the matcher itself."""
    if isinstance(matcher, TerminationMessage) and matches_everything(matcher.pattern.text):
        return (_ANY_MESSAGE,)
    return matcher.alternatives()


def _wider(alternative: object) -> tuple[object, ...]:
    """Return what also matches all that an alternative does."""
    return alternative.covering() if isinstance(alternative, PolicyMatcher) else ()


def _wider_scopes(scope: _Scope, part: RetryMatcher, alternative: object) -> set[_Scope]:
    container, include_init = scope
    if isinstance(part, FailureMatcher) or _is_pod_level(alternative):
        return {(container, include_init), (None, False), (None, True), (container, not include_init)}
    return {scope}


def _is_pod_level(alternative: object) -> bool:
    match alternative:
        case (kind, str() as name) if kind is Conditions:
            return CONDITIONS[name].scope is Scope.POD
        case _:
            return False


def _is_everything(matcher: Matcher) -> bool:
    return isinstance(matcher, FailureOrigin) and set(matcher.origins) == set(Origin)
