"""What is wrong with a resource only together with others: what a queue names, and what is still named."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.matchers.registry import RetryMatcher, parts
from agent.core.failure import NO_CATEGORY
from agent.core.queue import Queue
from agent.core.retry.policy import RetryPolicy
from agent.core.summary.internal import INTERNAL_CATEGORY
from agent.documents.problem import nearest

_GIVEN: Final = frozenset({NO_CATEGORY, INTERNAL_CATEGORY})
"""The categories that the system gives by itself."""


def queue_problem(queue: Queue, policies: Mapping[str, RetryPolicy]) -> str | None:
    """Why a queue cannot be used with these policies; ``None`` if it can."""
    unknown = [name for name in queue.policies if name not in policies]
    if unknown:
        known = ", ".join(sorted(policies)) or "none"
        return f"queue {queue.name}: retry policies do not exist: {', '.join(unknown)}; there are: {known}"
    return _mixed(queue, policies)


def policy_problem(policy: RetryPolicy, policies: Mapping[str, RetryPolicy], queues: Iterable[Queue]) -> str | None:
    """Why a policy cannot become what it is here, with the queues that name it; ``None`` if it can."""
    after = {**policies, policy.name: policy}
    return next((problem for queue in using(policy.name, queues) if (problem := _mixed(queue, after))), None)


def unknown_categories(policy: RetryPolicy, clusters: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """A sentence for each category that a policy names and the rules of no cluster give, in the order of its rules.

    Nothing is known before any cluster has reported its rules.
    """
    if clusters:
        known = frozenset[str]().union(*clusters.values())
        yield from (f"the rules of no cluster give a category {named}" for named in strange_categories(policy, known))


def strange_categories(policy: RetryPolicy, known: frozenset[str]) -> Iterator[str]:
    """Each category that a policy names and is not known, with the nearest that is, in the order of its rules."""
    named = dict.fromkeys(name for rule in policy.rules for part in parts(rule.matcher) for name in _names(part))
    known |= _GIVEN
    for name in named:
        if name not in known:
            hint = nearest(name, sorted(known))
            yield f"{name}{hint and f'; {hint}'}"


def _names(part: RetryMatcher) -> tuple[str, ...]:
    if isinstance(part, Category):
        return (part.category,)
    return part.names if isinstance(part, FailureCategory) else ()


def using(policy: str, queues: Iterable[Queue]) -> list[Queue]:
    """The queues that name a policy, by name."""
    return sorted((queue for queue in queues if policy in queue.policies), key=lambda queue: queue.name)


def _mixed(queue: Queue, policies: Mapping[str, RetryPolicy]) -> str | None:
    named = [policies[name] for name in queue.policies if name in policies]
    other = next((policy for policy in named if policy.dialect != named[0].dialect), None)
    if other is None:
        return None
    return (
        f"queue {queue.name}: policy {other.name} ({other.dialect.name}) counts retries differently from "
        f"{named[0].name} ({named[0].dialect.name}); the policies of a queue must have one dialect"
    )
