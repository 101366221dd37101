"""What the steps of a decision hand on: the case, who speaks, what every limit says of it, and the terms of a retry."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from agent.core.heartbeat import NodeShape
from agent.core.history import History
from agent.core.limit import Charge, Limit, Reason, VerdictAction
from agent.core.retry.backoff import Delay
from agent.core.retry.compiled import CompiledPolicy, CompiledRule
from agent.core.retry.facts import Facts
from agent.core.retry.matchers import Matched
from agent.core.retry.memory import Mutation
from agent.core.retry.placement import NOTHING, Avoided
from agent.core.retry.policy import Action, RetrySettings
from agent.core.run import RunFacts


class Circumstances(NamedTuple):
    """The failure, its run, the lineage's history before it, the settings, the time, and the chance that jitter takes.

    ``shapes`` are those of the nodes the next run may go to, ``None`` where they are not known.
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
        """When the run failed; now, where that is not known."""
        return self.now if self.run.ended_at is None else self.run.ended_at


@dataclass(frozen=True, slots=True)
class Silence:
    """A rule that was asked before the one that spoke, and why it had nothing to say."""

    policy: str
    number: int
    rule: str
    why: str


@lru_cache(maxsize=8192)
def silence(policy: str, number: int, rule: str, why: str) -> Silence:
    """Remembered because the same rules are silent for the same reasons again and again."""
    return Silence(policy, number, rule, why)


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


class Judgement(NamedTuple):
    """Who spoke and what the limits say. ``charge`` is the budget of a retry; it is asked whether granted or not."""

    proposal: Proposal
    limits: tuple[Limit, ...]
    charge: Charge
    action: VerdictAction
    reason: Reason


class Terms(NamedTuple):
    """The terms of a retry; ``impossible`` says why there can be none, empty where there can."""

    delay: Delay | None = None
    backoff_base: int = 0
    not_before: datetime | None = None
    avoided: Avoided = NOTHING
    mutation: Mutation | None = None
    notes: tuple[str, ...] = ()
    time_factor: float | None = None
    impossible: str = ""


NO_TERMS = Terms()
