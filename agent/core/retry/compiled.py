"""A policy made ready to be asked: its patterns compiled once, its rules' identities known."""

from dataclasses import dataclass

from agent.core.classify.conditions import CONDITIONS, NamedCondition
from agent.core.classify.pattern import Regex, compile_pattern
from agent.core.retry.identity import default_key, rule_key
from agent.core.retry.policy import Conditions, RetryPolicy, Rule, TerminationMessage
from agent.core.retry.wording import describe


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRule:
    """A rule with its key and its words, and what its matcher needs: the named conditions, the pattern."""

    rule: Rule
    key: str
    words: str
    conditions: tuple[NamedCondition, ...] = ()
    regex: Regex | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledPolicy:
    """A policy, its rules in file order, and what retries by its ``defaultAction`` are counted under."""

    policy: RetryPolicy
    rules: tuple[CompiledRule, ...]
    default_key: str


def compile_policy(policy: RetryPolicy) -> CompiledPolicy:
    """Compile every rule.

    Raises PatternError for a pattern that is no RE2, KeyError for a condition that is not in the table; files are
    checked before.
    """
    rules = tuple(_compile(policy, rule) for rule in policy.rules)
    return CompiledPolicy(policy=policy, rules=rules, default_key=default_key(policy))


def _compile(policy: RetryPolicy, rule: Rule) -> CompiledRule:
    matcher = rule.matcher
    return CompiledRule(
        rule=rule,
        key=rule_key(policy, rule),
        words=describe(rule),
        conditions=tuple(CONDITIONS[name] for name in matcher.names) if isinstance(matcher, Conditions) else (),
        regex=compile_pattern(matcher.pattern) if isinstance(matcher, TerminationMessage) else None,
    )
