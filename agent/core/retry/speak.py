"""Who speaks: the first rule, of the policies in order, that matches; else the default action (design 5)."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from agent.core.retry.compiled import CompiledPolicy, CompiledRule
from agent.core.retry.effective import InEffect
from agent.core.retry.facts import Facts
from agent.core.retry.match import examine
from agent.core.retry.matchers import Matched
from agent.core.retry.policy import Action


@dataclass(frozen=True, slots=True)
class Silence:
    """A rule that was asked before the one that spoke, and why it had nothing to say."""

    policy: str
    rule: str
    why: str


class Proposal(NamedTuple):
    """What the speaker wants. ``rule`` and ``matched`` are ``None`` where the default action spoke.

    ``key`` is what a retry would be counted under; ``policy`` the rule's, or the first for the default action.
    """

    policy: CompiledPolicy
    action: Action
    key: str
    silent: tuple[Silence, ...]
    rule: CompiledRule | None = None
    matched: Matched | None = None


def speak(policies: InEffect, facts: Facts) -> Proposal:
    """Ask every rule in turn; the first that matches speaks, whatever its limits say. There must be a policy."""
    silent: list[Silence] = []
    for policy in policies.policies:
        for rule in policy.rules:
            found = examine(rule, facts)
            if isinstance(found, Matched):
                return Proposal(
                    policy=policy,
                    rule=rule,
                    matched=found,
                    action=rule.rule.action,
                    key=rule.key,
                    silent=tuple(silent),
                )
            silent.append(_silence(rule.policy, rule.words, found))
    first = policies.policies[0]
    return Proposal(policy=first, action=policies.default_action, key=first.default_key, silent=tuple(silent))


@lru_cache(maxsize=8192)
def _silence(policy: str, rule: str, why: str) -> Silence:
    """Remembered because the same rules are silent for the same reasons again and again."""
    return Silence(policy, rule, why)
