"""The values passed between the steps of a decision: the case, the proposal, the limits, and the terms of a retry."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from agent.core.decision.explanation import NotApplied
from agent.core.heartbeat import NodeShape
from agent.core.history import History
from agent.core.limit import Charge, Limit, Reason, VerdictAction
from agent.core.retry.choices import Action
from agent.core.retry.compiled import CompiledPolicy, CompiledRule
from agent.core.retry.delay import Delay
from agent.core.retry.facts import Facts
from agent.core.retry.growth import Mutation
from agent.core.retry.matched import Matched
from agent.core.retry.placement import NOTHING, Avoided
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts


class Circumstances(NamedTuple):
    """The failure, its run, the lineage's history before it, the settings, the time, and the random draw for jitter.

    ``shapes`` are those of the nodes that the next run may use, ``None`` if not known.
    """

    facts: Facts
    run: RunFacts
    history: History
    settings: RetrySettings
    now: datetime
    draw: float = 0.0
    shapes: Sequence[NodeShape] | None = None

    @property
    def failed_at(self) -> datetime:
        """When the run failed; now, if that is not known."""
        return self.now if self.run.ended_at is None else self.run.ended_at

    @property
    def began_at(self) -> datetime:
        """When the run began; the moment it failed for one that never started, or whose start is not known."""
        lasted = self.run.lasted
        return self.failed_at if lasted is None else self.failed_at - lasted


@lru_cache(maxsize=8192)
def not_applied(policy: str, number: int, rule: str, why: str) -> NotApplied:
    """Cached, because the same rules do not apply for the same reasons again and again."""
    return NotApplied(policy, number, rule, why)


class Proposal(NamedTuple):
    """The proposed action. ``rule`` and ``matched`` are ``None`` if the default action decided.

    A retry would be counted under ``key``; ``policy`` is that of the rule, or the first one for the default action.
    """

    policy: CompiledPolicy
    action: Action
    key: str
    not_applied: tuple[NotApplied, ...]
    rule: CompiledRule | None = None
    matched: Matched | None = None


class Asked(NamedTuple):
    """All limits with their results, and the one whose count a retry would increment."""

    limits: tuple[Limit, ...]
    ledger: Limit | None


class Judgement(NamedTuple):
    """The proposal and the limits. ``charge`` is the budget of a retry; it is checked whether granted or not.

    ``ledger`` is the one limit whose count a granted retry increments; ``None`` if none was granted, or
    without a limit to count it, which only a missing cap allows.
    """

    proposal: Proposal
    limits: tuple[Limit, ...]
    charge: Charge
    action: VerdictAction
    reason: Reason
    ledger: Limit | None = None


class Terms(NamedTuple):
    """The terms of a retry; ``impossible`` says why a retry is impossible, else it is empty."""

    delay: Delay | None = None
    backoff_base: int = 0
    not_before: datetime | None = None
    avoided: Avoided = NOTHING
    mutation: Mutation | None = None
    notes: tuple[str, ...] = ()
    time_factor: float | None = None
    impossible: str = ""


NO_TERMS = Terms()
