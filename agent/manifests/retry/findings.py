"""Findings about a retry policy that works, but possibly not as intended."""

from collections.abc import Iterator

from agent.core.classify.matchers.registry import RetryMatcher, parts
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.retry.choices import Action
from agent.core.retry.policy import AntiAffinity, BackoffPolicy, RetryPolicy, RetrySettings, Rule
from agent.documents.checked import Finder, Steps
from agent.documents.node import Node
from agent.documents.source import Fault
from agent.manifests.matchers.pattern import is_costly, matches_everything
from agent.manifests.matchers.written import findings_of
from agent.manifests.retry.coverage import CoveredFailures
from agent.manifests.retry.shapes import SINGLE_MATCHERS

_ONLY_FOR_RETRIES = ("retryLimit", "backoff", "antiAffinity", "mutate", "charge")
_CAP = RetrySettings().global_max_retries or 0


def findings(policy: RetryPolicy, root: Node, *, at: Steps) -> Iterator[Fault]:
    """Yield the findings about a document that compiles to this policy; ``at`` is the path of its fields."""
    finder = Finder(root=root)
    yield from _backoff(policy.backoff, finder, at=(*at, "backoff"))
    yield from _anti_affinity(policy.anti_affinity, finder, at=(*at, "antiAffinity"))
    yield from _limits(policy, finder, at=at)
    covered = CoveredFailures()
    for number, rule in enumerate(policy.rules):
        place: Steps = (*at, "rules", number)
        if covered.covers(rule):
            message = "earlier rules match everything that this one matches, and the first rule that matches decides"
            yield finder.finding("duplicate-rule", message, at=place, hint="delete it, or move it up")
        covered.add(rule)
        yield from _rule(rule, finder, at=place)


def _limits(policy: RetryPolicy, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    """Yield the limits that can never be the one that stops a job."""
    yield from _above_cap(policy.retry_limit, finder, at=(*at, "retryLimit"))
    for charge, most in policy.budgets.items():
        yield from _above_cap(most, finder, at=(*at, "budgets", charge.value))
    held = any(rule.action is Action.RETRY and rule.retry_limit is None for rule in policy.rules)
    if policy.rules and finder.has((*at, "retryLimit")) and not held and policy.default_action is not Action.RETRY:
        message = "this limit applies to no retry: every rule that retries has its own, and `defaultAction` is Fail"
        yield finder.finding("limit-never-binds", message, at=(*at, "retryLimit"))
    for number, rule in enumerate(policy.rules):
        budget = None if rule.charge is None else policy.budgets.get(rule.charge)
        if budget is not None and rule.retry_limit is not None and budget < rule.retry_limit:
            message = f"the budget {rule.charge} of {budget} is used up before this limit"
            yield finder.finding("limit-never-binds", message, at=(*at, "rules", number, "retryLimit"))


def _above_cap(limit: int | None, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    if limit is not None and limit > _CAP:
        message = f"this limit is above `globalMaxRetries` ({_CAP} by default), so it is never reached"
        yield finder.finding("limit-never-binds", message, at=at)


def _rule(rule: Rule, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    yield from _backoff(rule.backoff, finder, at=(*at, "backoff"))
    yield from _anti_affinity(rule.anti_affinity, finder, at=(*at, "antiAffinity"))
    if rule.action is Action.FAIL:
        for name in _ONLY_FOR_RETRIES:
            if finder.has((*at, name)):
                yield finder.finding("no-effect", f"`{name}` has no effect: the action is Fail", at=(*at, name))
    elif rule.retry_limit == 0:
        message = "a limit of 0 allows no retry, so this rule never retries"
        yield finder.finding("never-retries", message, at=(*at, "retryLimit"), hint="write `action: Fail`")
    else:
        yield from _above_cap(rule.retry_limit, finder, at=(*at, "retryLimit"))
    matchers = parts(rule.matcher)
    if rule.container is not None and all(matcher.is_pod_level for matcher in matchers):
        message = "no effect: this rule matches on the pod, not on a container"
        yield finder.finding("container-name-ignored", message, at=(*at, "containerName"))
    several = finder.has((*at, "allOf"))
    if several and len(matchers) == 1:
        message = "`allOf` with one part is the same as that part alone"
        yield finder.finding("all-of-one", message, at=(*at, "allOf"), hint="write the matcher by itself")
    for number, matcher in enumerate(matchers):
        yield from _matcher(matcher, finder, at=(*at, "allOf", number) if several else at)


def _matcher(matcher: RetryMatcher, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    yield from findings_of(matcher, SINGLE_MATCHERS, finder, at=at)
    if isinstance(matcher, TerminationMessage):
        place = (*at, "onTerminationMessage", "pattern")
        if matches_everything(matcher.pattern.text):
            yield finder.finding("matches-everything", "the pattern is found in every text", at=place)
        if is_costly(matcher.pattern.text):
            yield finder.finding(
                "costly-pattern", "`.*` across lines in the middle of a pattern is slow to search for", at=place
            )


def _backoff(backoff: BackoffPolicy, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    if backoff.initial is not None and backoff.maximum is not None and backoff.maximum < backoff.initial:
        message = "`maxDelay` is shorter than `initialDelay`, so every delay is `maxDelay`"
        yield finder.finding("max-below-initial", message, at=(*at, "maxDelay"))


def _anti_affinity(wanted: AntiAffinity, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    for name in ("expireAfter", "maxNodes"):
        if finder.has((*at, name)) and wanted.scope is None:
            message = f"`{name}` applies to earlier nodes, which are avoided only with `scope: all`"
            yield finder.finding("no-effect", message, at=(*at, name), hint="write `scope: all`")
