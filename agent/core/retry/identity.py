"""The identity of a rule: what its retries are counted under (design 5)."""

import hashlib
import json
from typing import assert_never

from agent.core.retry.matchers import (
    AllOf,
    Category,
    Conditions,
    ExitCodes,
    FailureCategory,
    FailureOrigin,
    Matcher,
    NodeConditions,
    Signals,
    TerminationMessage,
)
from agent.core.retry.policy import DEFAULT_RULE, RetryPolicy, Rule


def rule_key(policy: RetryPolicy, rule: Rule) -> str:
    """``policy/name``; for an unnamed rule ``policy#hash`` of what it matches and its action. Never its index.

    Limits, backoff, mutation and node avoidance are no part of it, so that editing them keeps the count.
    """
    return f"{policy.name}/{rule.name}" if rule.name is not None else f"{policy.name}#{_digest(rule)}"


def default_key(policy: RetryPolicy) -> str:
    """What retries granted by the policy's ``defaultAction`` are counted under."""
    return f"{policy.name}/{DEFAULT_RULE}"


def _digest(rule: Rule) -> str:
    meaning = [rule.action, rule.container, rule.include_init, *_meaning(rule.matcher)]
    return hashlib.sha256(json.dumps(meaning, ensure_ascii=True).encode()).hexdigest()[:12]


def _meaning(matcher: Matcher) -> list[object]:  # noqa: PLR0911 - one return a kind of matcher
    match matcher:
        case ExitCodes(operator=operator, values=values):
            return ["onExitCodes", operator, sorted(values)]
        case Signals(values=values):
            return ["onSignals", sorted(values)]
        case Conditions(names=names):
            return ["onConditions", sorted(set(names))]
        case TerminationMessage(pattern=pattern):
            return ["onTerminationMessage", pattern]
        case FailureCategory(names=names):
            return ["onFailureCategory", sorted(set(names))]
        case Category(category=category, subcategory=subcategory):
            return ["onCategory", category, subcategory]
        case FailureOrigin(origins=origins):
            return ["onOrigin", sorted(set(origins))]
        case NodeConditions(any_of=any_of):
            return ["onNodeConditions", sorted([one.type, one.status, one.reason or ""] for one in any_of)]
        case AllOf(matchers=matchers):
            return ["allOf", sorted((_meaning(part) for part in matchers), key=json.dumps)]
        case _:
            assert_never(matcher)
