"""The explanation of a verdict: a value with everything that was used. ``explanation_text`` turns it into text."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from agent.core.limit import Charge, Limit, Reason, VerdictAction
from agent.core.retry.choices import Action, Strength
from agent.core.retry.delay import Delay
from agent.core.retry.growth import Mutation
from agent.core.retry.matched import Matched


class DecidedBy(StrEnum):
    """What decided: retry policies, or the legacy formula."""

    POLICIES = "policies"
    LEGACY = "legacy"


class NotApplied(Struct, frozen=True):
    """A rule before the one that decided, and why it did not apply."""

    policy: str
    number: int
    rule: str
    why: str


class Decider(Struct, frozen=True, kw_only=True):
    """The rule, or default action, that decided. Its retries count under ``key``.

    ``number`` is the rule's index in its policy, from 1, ``label`` its name or what it matches, and ``rule`` the rule
    as text; the default action has none of them.
    """

    policy: str
    number: int | None = None
    label: str = ""
    rule: str = ""
    key: str
    action: Action
    matched: Matched | None = None


class Shadow(Struct, frozen=True, kw_only=True):
    """The decision if the policies in shadow were live; it has no effect."""

    policies: tuple[str, ...]
    action: VerdictAction
    reason: Reason
    decider: Decider

    @property
    def granted_under(self) -> str | None:
        """The key of the rule in shadow that would have granted a retry; ``None`` if a live rule would have."""
        retries = self.action is VerdictAction.RETRY
        return self.decider.key if retries and self.decider.policy in self.policies else None


class Explanation(Struct, frozen=True, kw_only=True):
    """Why a verdict is what it is. ``decider`` is ``None`` in legacy mode; ``delay`` unless it is a retry.

    ``policies`` are those in effect, in order, with their ``versions``; ``charge`` the budget a retry is charged to.
    ``impossible`` says why a retry that every limit allows is impossible. ``ledger`` is the one of the limits whose
    count a granted retry increments. ``time_factor`` says how much longer the next run may take.
    ``notes`` are sentences about other influences.
    """

    action: VerdictAction
    reason: Reason
    mode: DecidedBy
    lineage: str
    policies: tuple[str, ...] = ()
    versions: tuple[int | None, ...] = ()
    dialect: str = ""
    decider: Decider | None = None
    not_applied: tuple[NotApplied, ...] = ()
    charge: Charge | None = None
    limits: tuple[Limit, ...] = ()
    ledger: Limit | None = None
    delay: Delay | None = None
    not_before: datetime | None = None
    avoid_nodes: tuple[str, ...] = ()
    avoid_strength: Strength = Strength.REQUIRED
    mutation: Mutation | None = None
    time_factor: float | None = None
    impossible: str = ""
    shadow: Shadow | None = None
    notes: tuple[str, ...] = ()
