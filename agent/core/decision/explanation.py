"""The explanation of a verdict: a value with everything that was used. ``explanation_text`` makes text of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from agent.core.decision.judgement import Judgement, Proposal, Silence, Terms
from agent.core.limit import Charge, Limit, Reason, VerdictAction
from agent.core.retry.backoff import Delay
from agent.core.retry.effective import InEffect
from agent.core.retry.matchers import Matched
from agent.core.retry.memory import Mutation
from agent.core.retry.policy import Action, Strength
from agent.core.run import RunFacts


class DecidedBy(StrEnum):
    """Which of the two decided: retry policies, or the formula that holds without them."""

    POLICIES = "policies"
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Who spoke. ``key`` is what its retries count under.

    ``number`` is the rule's place in its policy, from 1, ``label`` what it is called beside that, and ``rule`` the rule
    in words; for the default action there is none of them.
    """

    policy: str
    number: int | None = None
    label: str = ""
    rule: str = ""
    key: str
    action: Action
    matched: Matched | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """What would have been decided with the policies that are in shadow; it has no effect."""

    policies: tuple[str, ...]
    action: VerdictAction
    reason: Reason
    spoke: Speaker

    @property
    def granted_under(self) -> str | None:
        """The key of the rule in shadow that would have granted a retry; ``None`` where a live one would have."""
        retries = self.action is VerdictAction.RETRY
        return self.spoke.key if retries and self.spoke.policy in self.policies else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a verdict is what it is. ``spoke`` is ``None`` in legacy mode; ``delay`` unless it is a retry.

    ``policies`` are those in effect, in order; ``charge`` the budget a retry is charged to. ``impossible`` says why
    a retry that every limit allows cannot be. ``time_factor``
    says how much longer the next run may take. ``notes`` are sentences about what else bore on it.
    """

    action: VerdictAction
    reason: Reason
    mode: DecidedBy
    lineage: str
    policies: tuple[str, ...] = ()
    dialect: str = ""
    spoke: Speaker | None = None
    silent: tuple[Silence, ...] = ()
    charge: Charge | None = None
    limits: tuple[Limit, ...] = ()
    delay: Delay | None = None
    not_before: datetime | None = None
    avoid_nodes: tuple[str, ...] = ()
    avoid_strength: Strength = Strength.REQUIRED
    mutation: Mutation | None = None
    time_factor: float | None = None
    impossible: str = ""
    shadow: Shadow | None = None
    notes: tuple[str, ...] = ()


def explain(
    judgement: Judgement, terms: Terms, *, policies: InEffect, run: RunFacts, shadow: Shadow | None
) -> Explanation:
    """The explanation of what policies decided."""
    avoided = terms.avoided
    return Explanation(
        action=judgement.action,
        reason=judgement.reason,
        mode=DecidedBy.POLICIES,
        lineage=run.lineage,
        policies=policies.names,
        dialect=policies.dialect.name,
        spoke=speaker(judgement.proposal),
        silent=judgement.proposal.silent,
        charge=judgement.charge,
        limits=judgement.limits,
        delay=terms.delay,
        not_before=terms.not_before,
        avoid_nodes=avoided.nodes,
        avoid_strength=avoided.strength,
        mutation=terms.mutation,
        time_factor=terms.time_factor,
        impossible=terms.impossible,
        shadow=shadow,
        notes=(*policies.notes, *run.table.notes, *terms.notes),
    )


def speaker(proposal: Proposal) -> Speaker:
    """Who spoke, as explanations keep it."""
    rule = proposal.rule
    return Speaker(
        policy=proposal.policy.policy.name,
        number=None if rule is None else rule.number,
        label="" if rule is None else rule.label,
        rule="" if rule is None else rule.words,
        key=proposal.key,
        action=proposal.action,
        matched=proposal.matched,
    )
