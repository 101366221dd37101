"""A policy made ready to be asked: its patterns compiled once, its rules' identities known."""

from dataclasses import dataclass

from agent.core.classify.pattern import Regex, compile_pattern
from agent.core.retry.identity import default_key, rule_key
from agent.core.retry.policy import RetryPolicy, Rule, TerminationMessage
from agent.core.retry.wording import describe


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRule:
    """A rule with its key and its words; ``regex`` is there where the matcher is a pattern."""

    rule: Rule
    key: str
    words: str
    regex: Regex | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledPolicy:
    """A policy, its rules in file order, and what retries by its ``defaultAction`` are counted under."""

    policy: RetryPolicy
    rules: tuple[CompiledRule, ...]
    default_key: str


def compile_policy(policy: RetryPolicy) -> CompiledPolicy:
    """Compile every pattern. Raises ``PatternError`` for one that is no RE2; files are checked before."""
    rules = tuple(
        CompiledRule(rule=rule, key=rule_key(policy, rule), words=describe(rule), regex=_compile(rule))
        for rule in policy.rules
    )
    return CompiledPolicy(policy=policy, rules=rules, default_key=default_key(policy))


def _compile(rule: Rule) -> Regex | None:
    matcher = rule.matcher
    return compile_pattern(matcher.pattern) if isinstance(matcher, TerminationMessage) else None
