"""The decision on a run that ended or must be stopped: one speaks, all may forbid (design 5)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from agent.core.decision.explanation import DecidedBy, Explanation, Shadow, Speaker
from agent.core.decision.forbid import forbid
from agent.core.decision.legacy import PoliciesSkipped, decide_legacy
from agent.core.decision.terms import NO_TERMS, Circumstances, Terms, culprit_of, work_out_terms
from agent.core.decision.verdict import Verdict
from agent.core.failure import Failure
from agent.core.heartbeat import NodeShape
from agent.core.history import FailedOn, History, Past
from agent.core.limit import Reason, VerdictAction
from agent.core.retry.dialect import ByPolicies
from agent.core.retry.effective import InEffect
from agent.core.retry.facts import Facts
from agent.core.retry.gang import Member, choose_member
from agent.core.retry.judge import Judgement, is_undisturbed, judge
from agent.core.retry.policy import RetrySettings
from agent.core.retry.speak import Proposal
from agent.core.run import RunFacts


def decide(
    failure: Failure,
    *,
    run: RunFacts,
    history: History,
    policies: InEffect,
    settings: RetrySettings,
    now: datetime,
    draw: float = 0.0,
    shapes: Sequence[NodeShape] | None = None,
) -> Verdict:
    """Decide one end or halt. With no policy in effect, or for what policies leave alone, the legacy formula decides.

    ``history`` is the lineage's before this run, and ``now`` is what a delay counts from; ``draw``, from 0 to 1, is
    the chance that jitter takes. ``shapes`` are the nodes the next run may go to, ``None``: not known. In-run
    occurrences are not decided on and must not be given. Raises QuantityError where shapes or requests hold a
    text that is no quantity.
    """
    given = Circumstances(run, history, settings, now, draw, shapes)
    facts = Facts(failure)
    shadow = _in_shadow(policies, facts, given)
    why_not = _why_not_asked(policies, facts, given)
    if why_not:
        past = _past(facts, given, shadow=shadow)
        skipped = PoliciesSkipped(
            why=why_not,
            notes=policies.notes if settings.enabled else (),
            shadow=shadow,
            past=past,
            culprit=culprit_of(facts),
        )
        return decide_legacy(run=run, history=history, settings=settings, skipped=skipped)
    judgement = forbid(judge(policies, facts, history=history, settings=settings), run.table)
    if judgement.action is VerdictAction.RETRY:
        terms = work_out_terms(judgement.proposal, facts, dialect=policies.dialect, given=given)
        if terms.impossible:
            judgement = judgement._replace(action=VerdictAction.FAIL, reason=Reason.NO_NODE)
    else:
        terms = NO_TERMS
    explanation = _explanation(judgement, terms, policies=policies, run=run, shadow=shadow)
    granted = judgement if judgement.action is VerdictAction.RETRY else None
    past = _past(facts, given, shadow=shadow, granted=granted, base=terms.backoff_base)
    return Verdict(explanation=explanation, past=past)


def decide_gang(
    members: Sequence[Member],
    *,
    run: RunFacts,
    history: History,
    policies: InEffect,
    settings: RetrySettings,
    now: datetime,
    draw: float = 0.0,
    shapes: Sequence[NodeShape] | None = None,
) -> tuple[Member, Verdict]:
    """Decide one generation of a gang, once it has settled: the member whose failure is judged, and the verdict.

    ``run`` is that member's, its lineage the gang. There must be a member.
    """
    chosen = choose_member(members, settle=settings.gang_settle)
    verdict = decide(
        chosen.member.failure,
        run=run,
        history=history,
        policies=policies,
        settings=settings,
        now=now,
        draw=draw,
        shapes=shapes,
    )
    explained = verdict.explanation
    notes = (*explained.notes, f"gang: {chosen.why}")
    return chosen.member, replace(verdict, explanation=replace(explained, notes=notes))


def _past(
    facts: Facts, given: Circumstances, *, shadow: Shadow | None, granted: Judgement | None = None, base: int = 0
) -> Past:
    run, charge = given.run, None if granted is None else granted.charge
    shadow_key = None if shadow is None else shadow.granted_under
    failed_on = FailedOn(run.node, given.failed_at) if run.node else None
    return Past(charge, is_undisturbed(facts, run), base, shadow_key, failed_on, run.table.most_runs)


def _why_not_asked(policies: InEffect, facts: Facts, given: Circumstances) -> str:
    """Why policies are not asked; empty where they are."""
    if not given.settings.enabled:
        return "retry policies are off"
    if given.run.fail_fast:
        return "retry policies are not asked"
    if not policies.policies:
        return "no retry policy is in effect"
    dialect = policies.dialect
    if dialect.gangs is ByPolicies.SKIPPED and given.run.gang_size > 1:
        return f"{dialect.name} does not decide gangs"
    if dialect.returned is ByPolicies.SKIPPED and given.run.returned and not is_undisturbed(facts, given.run):
        return f"{dialect.name} does not decide runs that their cluster returned"
    return ""


def _in_shadow(policies: InEffect, facts: Facts, given: Circumstances) -> Shadow | None:
    """What would be decided if the policies in shadow were live; they count what they would have granted."""
    shadow = policies.shadow
    if shadow is None or not given.settings.enabled or given.run.fail_fast:
        return None
    # retries that shadow policies would have granted count as granted, so that their limits come to bear
    history = replace(given.history, assumed=given.history.shadow)
    judgement = forbid(judge(shadow, facts, history=history, settings=given.settings), given.run.table)
    return Shadow(
        policies=policies.shadows,
        action=judgement.action,
        reason=judgement.reason,
        spoke=_speaker(judgement.proposal),
    )


def _explanation(
    judgement: Judgement, terms: Terms, *, policies: InEffect, run: RunFacts, shadow: Shadow | None
) -> Explanation:
    avoided = terms.avoided
    return Explanation(
        action=judgement.action,
        reason=judgement.reason,
        mode=DecidedBy.POLICIES,
        lineage=run.lineage,
        policies=policies.names,
        dialect=policies.dialect.name,
        spoke=_speaker(judgement.proposal),
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


def _speaker(proposal: Proposal) -> Speaker:
    return Speaker(
        policy=proposal.policy.policy.name,
        rule="" if proposal.rule is None else proposal.rule.words,
        key=proposal.key,
        action=proposal.action,
        matched=proposal.matched,
    )
