"""Findings about a retry policy that works, but perhaps not as meant."""

from collections.abc import Iterator

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.signs import Scope
from agent.core.retry.policy import (
    Action,
    Backoff,
    Category,
    Conditions,
    ExitCodes,
    FailureCategory,
    RetryPolicy,
    Rule,
    TerminationMessage,
)
from agent.manifests.exit_codes import exit_code_findings
from agent.manifests.finding import Finder, Steps
from agent.manifests.node import Node
from agent.manifests.pattern import is_costly, matches_everything
from agent.manifests.source import Fault

_ONLY_FOR_RETRIES = ("retryLimit", "backoff", "antiAffinity")


def findings(policy: RetryPolicy, root: Node) -> Iterator[Fault]:
    """Give the findings about a document that compiles to this policy."""
    finder = Finder(root=root)
    yield from _backoff(policy.backoff, finder, at=("spec", "backoff"))
    covered = _Covered()
    for number, rule in enumerate(policy.rules):
        at: Steps = ("spec", "rules", number)
        if covered.covers(rule):
            message = "the rules before it match all that this one matches, and the first that matches speaks"
            yield finder.finding("duplicate-rule", message, at=at, hint="delete it, or move it up")
        covered.add(rule)
        yield from _rule(rule, finder, at=at)


def _rule(rule: Rule, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    yield from _backoff(rule.backoff, finder, at=(*at, "backoff"))
    if rule.action is Action.FAIL:
        for name in _ONLY_FOR_RETRIES:
            if finder.has((*at, name)):
                yield finder.finding("no-effect", f"`{name}` has no effect: the action is Fail", at=(*at, name))
    elif rule.retry_limit == 0:
        message = "a limit of 0 allows no retry, so this rule never retries"
        yield finder.finding("never-retries", message, at=(*at, "retryLimit"), hint="write `action: Fail`")
    yield from _matcher(rule, finder, at=at)


def _matcher(rule: Rule, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    matcher = rule.matcher
    if isinstance(matcher, ExitCodes):
        yield from exit_code_findings(matcher.operator, finder, at=(*at, "onExitCodes"))
    if isinstance(matcher, TerminationMessage):
        place = (*at, "onTerminationMessage", "pattern")
        if matches_everything(matcher.pattern):
            yield finder.finding("matches-everything", "the pattern is found in every text", at=place)
        if is_costly(matcher.pattern):
            yield finder.finding("costly-pattern", "`.*` over line ends in mid-pattern is slow", at=place)
    if isinstance(matcher, Conditions) and rule.container is not None and _only_of_pods(matcher):
        message = "no effect: what this rule looks at belongs to no container"
        yield finder.finding("container-name-ignored", message, at=(*at, "containerName"))


def _only_of_pods(matcher: Conditions) -> bool:
    return all(CONDITIONS[name].scope is Scope.POD for name in matcher.names)


def _backoff(backoff: Backoff, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    if backoff.initial is not None and backoff.maximum is not None and backoff.maximum < backoff.initial:
        message = "`maxDelay` is shorter than `initialDelay`, so every delay is `maxDelay`"
        yield finder.finding("max-below-initial", message, at=(*at, "maxDelay"))


class _Covered:
    """What the rules seen so far match, by container and whether init containers count."""

    def __init__(self) -> None:
        self._seen: set[tuple[str | None, bool, object]] = set()

    def covers(self, rule: Rule) -> bool:
        return any(
            all(
                (container, rule.include_init, one) in self._seen or self._by_category(container, rule, one)
                for one in _parts(rule)
            )
            for container in {None, rule.container}
        )

    def add(self, rule: Rule) -> None:
        self._seen.update((rule.container, rule.include_init, one) for one in _parts(rule))

    def _by_category(self, container: str | None, rule: Rule, part: object) -> bool:
        """Return whether an ``onCategory`` is covered by one without subcategory, or by ``onFailureCategory``."""
        if not isinstance(part, Category):
            return False
        wider = (Category(category=part.category), (FailureCategory, part.category))
        return any((container, rule.include_init, one) in self._seen for one in wider)


def _parts(rule: Rule) -> tuple[object, ...]:
    """Return the alternatives of a matcher that is a list of them, else the matcher."""
    if isinstance(rule.matcher, Conditions | FailureCategory):
        return tuple((type(rule.matcher), name) for name in rule.matcher.names)
    return (rule.matcher,)
