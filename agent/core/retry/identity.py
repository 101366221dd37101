"""The key of a rule, under which its retries are counted."""

import hashlib
import json

from agent.core.classify.matchers.registry import AllOf, Matcher
from agent.core.retry.policy import DEFAULT_RULE, RetryPolicy, Rule


def rule_key(policy: RetryPolicy, rule: Rule) -> str:
    """``policy/name``; for an unnamed rule ``policy#hash`` of what it matches and its action. Never its index.

    Limits, backoff, mutation and node avoidance are not part of it, so that editing them keeps the count.
    """
    return f"{policy.name}/{rule.name}" if rule.name is not None else f"{policy.name}#{_digest(rule)}"


def default_key(policy: RetryPolicy) -> str:
    """The key for retries granted by the policy's ``defaultAction``."""
    return f"{policy.name}/{DEFAULT_RULE}"


def is_of(key: str, policy: RetryPolicy) -> bool:
    """Whether a key is that of a rule of the policy, or of its default action."""
    return key.startswith((f"{policy.name}/", f"{policy.name}#"))


def _digest(rule: Rule) -> str:
    meaning = [rule.action, rule.container, rule.include_init, *_meaning(rule.matcher)]
    return hashlib.sha256(json.dumps(meaning, ensure_ascii=True).encode()).hexdigest()[:12]


def _meaning(matcher: Matcher) -> list[object]:
    if isinstance(matcher, AllOf):
        return [AllOf.NAME, sorted((_meaning(part) for part in matcher.matchers), key=json.dumps)]
    return [matcher.NAME, *matcher.meaning()]
