"""Which rules of policies were heard while scenarios were played, and why the others were not."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent.core.decision.explanation import DecidedBy, Speaker
from agent.core.decision.explanation_text import named
from agent.core.decision.scenario import Played
from agent.core.retry.compiled import CompiledPolicy, CompiledRule
from agent.core.retry.facts import Facts
from agent.core.retry.match import examine
from agent.core.retry.matchers import Matched, parts
from agent.core.retry.wording import sought


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentRule:
    """A rule that never spoke, and why in words."""

    rule: CompiledRule
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCoverage:
    """How many of all rules spoke at least once, live or in shadow, and those that did not."""

    heard: int
    silent: tuple[SilentRule, ...]

    @property
    def percent(self) -> float:
        """The share that spoke; without rules nothing is left to try."""
        every = self.heard + len(self.silent)
        return 100.0 if not every else 100.0 * self.heard / every


@dataclass(frozen=True, slots=True)
class _Tried:
    """A failure, whose facts every rule asks, and what was decided on it."""

    played: Played
    facts: Facts


@dataclass(slots=True)
class _Tally:
    """What became of one rule: who spoke before it, why it did not match, why policies were not asked."""

    before: Counter[str] = field(default_factory=Counter)
    unmatched: Counter[str] = field(default_factory=Counter)
    unasked: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)


def coverage_of(policies: Mapping[str, CompiledPolicy], played: Sequence[Played]) -> RuleCoverage:
    """Compare the rules of the policies with the verdicts; why a rule was silent is asked of each failure anew."""
    tried = [_Tried(one, Facts(one.failure)) for one in played]
    heard = {(who.policy, who.number) for one in played for who in _speakers(one)}
    rules = [rule for policy in policies.values() for rule in policy.rules]
    silent = tuple(
        SilentRule(rule=rule, why=_why(rule, tried)) for rule in rules if (rule.policy, rule.number) not in heard
    )
    return RuleCoverage(heard=len(rules) - len(silent), silent=silent)


def _speakers(played: Played) -> Iterator[Speaker]:
    explained = played.verdict.explanation
    if explained.spoke is not None:
        yield explained.spoke
    if explained.shadow is not None:
        yield explained.shadow.spoke


def _why(rule: CompiledRule, tried: Sequence[_Tried]) -> str:
    if not tried:
        return "no failure was tried"
    tally = _Tally()
    for one in tried:
        _count(rule, one, tally)
    if tally.before:
        return _overtaken(tally.before)
    if tally.unmatched:
        return _not_found(rule, tally.unmatched)
    if tally.unasked:
        return f"policies decided no failure: {_most(tally.unasked)}"
    skipped = f": {_most(tally.skipped)}" if tally.skipped else ""
    return f"policy {rule.policy} was never in effect{skipped}"


def _count(rule: CompiledRule, tried: _Tried, tally: _Tally) -> None:
    """Put the failure under the reason for which the rule did not speak on it."""
    played = tried.played
    speaker = _speaker_beside(rule, played)
    if speaker is None and rule.policy in (*played.policies.names, *played.policies.shadows):
        tally.unasked[played.verdict.explanation.notes[0]] += 1
    elif speaker is None:
        tally.skipped.update(why for name, why in played.policies.skipped.items() if name == rule.policy)
    elif isinstance(found := examine(rule, tried.facts), Matched):
        tally.before[named(speaker)] += 1
    else:
        tally.unmatched[found] += 1


def _speaker_beside(rule: CompiledRule, played: Played) -> Speaker | None:
    """Who spoke where the rule was asked too; ``None`` where it was not."""
    explained = played.verdict.explanation
    if explained.mode is DecidedBy.POLICIES and rule.policy in explained.policies:
        return explained.spoke
    shadow = explained.shadow
    return shadow.spoke if shadow is not None and rule.policy in shadow.policies else None


def _overtaken(before: Counter[str]) -> str:
    (first, most), *others = before.most_common()
    failures = "1 failure" if most == 1 else f"{most} failures"
    return "; ".join([f"{first} matched first in {failures}", *(f"{who} in {count}" for who, count in others)])


def _not_found(rule: CompiledRule, unmatched: Counter[str]) -> str:
    tried = unmatched.total()
    said = f"no failure had {sought(rule.rule)} ({tried} {'was' if tried == 1 else 'were'} tried)"
    # One matcher alone says it all; of several, and of one container, people must know which was missing.
    alone = len(parts(rule.rule.matcher)) == 1 and rule.rule.container is None
    return said if alone else f"{said}: {_most(unmatched)}"


def _most(counted: Counter[str]) -> str:
    return counted.most_common(1)[0][0]
