"""A compiled policy: patterns compiled once, keys of rules computed."""

from dataclasses import dataclass

from agent.core.classify.conditions import CONDITIONS, NamedCondition
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.registry import RetryMatcher, parts
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Engine
from agent.core.classify.pattern import PatternError, Regex, compile_pattern
from agent.core.retry.identity import default_key, rule_key
from agent.core.retry.marks import Marks, of_condition
from agent.core.retry.policy import AntiAffinity, BackoffPolicy, RetryPolicy, Rule, merge_anti_affinity, merge_backoff
from agent.core.retry.target import LooksAt
from agent.core.retry.wording import describe, label


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledPart:
    """One matcher, with its named conditions and their marks, or its pattern."""

    matcher: RetryMatcher
    conditions: tuple[tuple[NamedCondition, Marks | None], ...] = ()
    regex: Regex | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRule:
    """A rule with its policy's name, its key, its description and its matchers, all of which must match.

    ``number`` is its index in the policy, from 1; ``label`` its name or what it matches.
    ``backoff`` and ``anti_affinity`` are those of the rule; the policy provides fields that the rule omits.
    """

    rule: Rule
    policy: str
    number: int
    label: str
    key: str
    words: str
    looks_at: LooksAt
    parts: tuple[CompiledPart, ...]
    backoff: BackoffPolicy
    anti_affinity: AntiAffinity


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledPolicy:
    """A policy, its rules in file order, and the key for retries by its ``defaultAction``.

    ``version`` is that of the stored policy, ``None`` of one from a file.
    """

    policy: RetryPolicy
    rules: tuple[CompiledRule, ...]
    default_key: str
    version: int | None = None


def compile_policy(policy: RetryPolicy, *, version: int | None = None) -> CompiledPolicy:
    """Compile every rule.

    Raises PatternError for a pattern that is not valid RE2 or is for another engine, KeyError for an unknown condition;
    files are checked before.
    """
    rules = tuple(_compile(policy, rule, number=number) for number, rule in enumerate(policy.rules, start=1))
    return CompiledPolicy(policy=policy, rules=rules, default_key=default_key(policy), version=version)


def _compile(policy: RetryPolicy, rule: Rule, *, number: int) -> CompiledRule:
    return CompiledRule(
        rule=rule,
        policy=policy.name,
        number=number,
        label=label(rule),
        key=rule_key(policy, rule),
        words=describe(rule),
        looks_at=(rule.container, rule.include_init),
        parts=tuple(_part(matcher) for matcher in parts(rule.matcher)),
        backoff=merge_backoff(rule.backoff, policy.backoff),
        anti_affinity=merge_anti_affinity(rule.anti_affinity, policy.anti_affinity),
    )


def _part(matcher: RetryMatcher) -> CompiledPart:
    return CompiledPart(
        matcher=matcher,
        conditions=_conditions(matcher.names) if isinstance(matcher, Conditions) else (),
        regex=_regex(matcher) if isinstance(matcher, TerminationMessage) else None,
    )


def _regex(matcher: TerminationMessage) -> Regex:
    if matcher.pattern.engine is not Engine.RE2:
        raise PatternError("retry policies support only RE2")
    return compile_pattern(matcher.pattern.text)


def _conditions(names: tuple[str, ...]) -> tuple[tuple[NamedCondition, Marks | None], ...]:
    return tuple((CONDITIONS[name], of_condition(CONDITIONS[name])) for name in names)
