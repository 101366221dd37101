"""Who speaks: the first rule, of the policies in order, that matches; else the default action (design 5)."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.core.failure import Failure
from agent.core.retry.compiled import CompiledPolicy, CompiledRule
from agent.core.retry.finding import Matched
from agent.core.retry.match import examine
from agent.core.retry.policy import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A rule that was asked before the one that spoke, and why it had nothing to say."""

    policy: str
    rule: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What the speaker wants. ``rule`` and ``matched`` are ``None`` where the default action spoke.

    ``key`` is what a retry would be counted under; ``policy`` the rule's, or the first for the default action.
    """

    policy: CompiledPolicy
    rule: CompiledRule | None = None
    matched: Matched | None = None
    action: Action
    key: str
    silent: tuple[Silence, ...] = ()


def speak(policies: Sequence[CompiledPolicy], failure: Failure) -> Proposal:
    """Ask every rule in turn; the first that matches speaks, whatever its limits say. ``policies`` is not empty."""
    silent: list[Silence] = []
    for policy in policies:
        for rule in policy.rules:
            found = examine(rule, failure)
            if isinstance(found, Matched):
                return Proposal(
                    policy=policy,
                    rule=rule,
                    matched=found,
                    action=rule.rule.action,
                    key=rule.key,
                    silent=tuple(silent),
                )
            silent.append(Silence(policy=policy.policy.name, rule=rule.words, why=found.why))
    first = policies[0]
    return Proposal(policy=first, action=_default_action(policies), key=first.default_key, silent=tuple(silent))


def _default_action(policies: Sequence[CompiledPolicy]) -> Action:
    """Retry if the first says so and no later one writes Fail: not written is Fail in the first, silence after it."""
    first, *later = (policy.policy.default_action for policy in policies)
    return Action.RETRY if first is Action.RETRY and Action.FAIL not in later else Action.FAIL
