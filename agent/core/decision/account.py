"""The explanation of a decision by policies, from the values of its steps."""

from agent.core.decision.explanation import DecidedBy, Decider, Explanation, Shadow
from agent.core.decision.judgement import Judgement, Proposal, Terms
from agent.core.retry.effective import InEffect
from agent.core.run import RunFacts


def explain(
    judgement: Judgement, terms: Terms, *, policies: InEffect, run: RunFacts, shadow: Shadow | None
) -> Explanation:
    """The explanation of a decision by policies."""
    avoided = terms.avoided
    return Explanation(
        action=judgement.action,
        reason=judgement.reason,
        mode=DecidedBy.POLICIES,
        lineage=run.lineage,
        policies=policies.names,
        versions=policies.versions,
        dialect=policies.dialect.name,
        decider=decider_of(judgement.proposal),
        not_applied=judgement.proposal.not_applied,
        charge=judgement.charge,
        limits=judgement.limits,
        ledger=judgement.ledger,
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


def decider_of(proposal: Proposal) -> Decider:
    """What decided, as explanations store it."""
    rule = proposal.rule
    return Decider(
        policy=proposal.policy.policy.name,
        number=None if rule is None else rule.number,
        label="" if rule is None else rule.label,
        rule="" if rule is None else rule.words,
        key=proposal.key,
        action=proposal.action,
        matched=proposal.matched,
    )
