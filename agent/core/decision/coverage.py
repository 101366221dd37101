"""Which rules of policies decided in a run of scenarios, and why the others did not."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.core.classify.matchers.registry import parts
from agent.core.decision.explanation import DecidedBy, Decider
from agent.core.decision.explanation_text import named
from agent.core.decision.scenario import Played
from agent.core.retry.compiled import CompiledPolicy, CompiledRule
from agent.core.retry.facts import Facts
from agent.core.retry.match import examine
from agent.core.retry.matched import Matched
from agent.core.retry.wording import sought


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedRule:
    """A rule that never decided, and the reason."""

    rule: CompiledRule
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCoverage:
    """How many rules decided at least once, live or in shadow, and those that never did."""

    used: int
    unused: tuple[UnusedRule, ...]

    @property
    def percent(self) -> float:
        """The share of rules that decided; 100 without rules."""
        every = self.used + len(self.unused)
        return 100.0 if not every else 100.0 * self.used / every


@dataclass(frozen=True, slots=True)
class _Tried:
    """A failure with its facts, and the decision on it."""

    played: Played
    facts: Facts


@dataclass(slots=True)
class _Tally:
    """Why one rule did not decide: earlier rules, no match, or policies that did not apply. Counts per reason."""

    before: Counter[str] = field(default_factory=Counter)
    unmatched: Counter[str] = field(default_factory=Counter)
    unasked: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)


def coverage_of(policies: Mapping[str, CompiledPolicy], played: Sequence[Played]) -> RuleCoverage:
    """Compare the rules of the policies with the verdicts; unused rules are evaluated again for the reason."""
    tried = [_Tried(decided, Facts(decided.failure)) for decided in played]
    used = {(who.policy, who.number) for decided in played for who in _deciders(decided)}
    rules = [rule for policy in policies.values() for rule in policy.rules]
    unused = tuple(
        UnusedRule(rule=rule, why=_why(rule, tried)) for rule in rules if (rule.policy, rule.number) not in used
    )
    return RuleCoverage(used=len(rules) - len(unused), unused=unused)


def _deciders(played: Played) -> Iterator[Decider]:
    explained = played.verdict.explanation
    if explained.decider is not None:
        yield explained.decider
    if explained.shadow is not None:
        yield explained.shadow.decider


def _why(rule: CompiledRule, tried: Sequence[_Tried]) -> str:
    if not tried:
        return "no failure was tried"
    tally = _Tally()
    for failure in tried:
        _count(rule, failure, tally)
    if tally.before:
        return _overtaken(tally.before)
    if tally.unmatched:
        return _not_found(rule, tally.unmatched)
    if tally.unasked:
        return f"policies decided no failure: {_most(tally.unasked)}"
    skipped = f": {_most(tally.skipped)}" if tally.skipped else ""
    return f"policy {rule.policy} was never in effect{skipped}"


def _count(rule: CompiledRule, tried: _Tried, tally: _Tally) -> None:
    """Count the failure under the reason why the rule did not decide it."""
    played = tried.played
    decider = _decider_with(rule, played)
    if decider is None and rule.policy in (*played.policies.names, *played.policies.shadows):
        tally.unasked[played.verdict.explanation.notes[0]] += 1
    elif decider is None:
        tally.skipped.update(why for name, why in played.policies.skipped.items() if name == rule.policy)
    elif isinstance(found := examine(rule, tried.facts), Matched):
        tally.before[named(decider)] += 1
    else:
        tally.unmatched[found] += 1


def _decider_with(rule: CompiledRule, played: Played) -> Decider | None:
    """The rule or default action that decided, if this rule was evaluated, too; ``None`` if it was not."""
    explained = played.verdict.explanation
    if explained.mode is DecidedBy.POLICIES and rule.policy in explained.policies:
        return explained.decider
    shadow = explained.shadow
    return shadow.decider if shadow is not None and rule.policy in shadow.policies else None


def _overtaken(before: Counter[str]) -> str:
    (first, most), *others = before.most_common()
    failures = "1 failure" if most == 1 else f"{most} failures"
    return "; ".join([f"{first} matched first in {failures}", *(f"{who} in {count}" for who, count in others)])


def _not_found(rule: CompiledRule, unmatched: Counter[str]) -> str:
    tried = unmatched.total()
    said = f"no failure had {sought(rule.rule)} ({tried} {'was' if tried == 1 else 'were'} tried)"
    # A single matcher is enough; for several, or for one container, people must know which one was missing.
    alone = len(parts(rule.rule.matcher)) == 1 and rule.rule.container is None
    return said if alone else f"{said}: {_most(unmatched)}"


def _most(counted: Counter[str]) -> str:
    return counted.most_common(1)[0][0]
