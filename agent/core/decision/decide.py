"""The decision on a run that ended or must be stopped: one rule decides, every limit can forbid.

``decide`` is the entry; its steps follow it, in order.
"""

import dataclasses
from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from agent.core.decision.account import decider_of, explain
from agent.core.decision.explanation import NotApplied, Shadow
from agent.core.decision.growth import culprit_of, more_memory
from agent.core.decision.judgement import NO_TERMS, Asked, Circumstances, Judgement, Proposal, Terms, not_applied
from agent.core.decision.legacy import PoliciesSkipped, decide_legacy
from agent.core.decision.limits import ask_limits, course_of, is_undisturbed
from agent.core.decision.verdict import Verdict
from agent.core.error_table.answer import NO_ANSWER, TableAnswer
from agent.core.failure import Failure
from agent.core.heartbeat import NodeShape
from agent.core.history import FailedOn, History, Past
from agent.core.limit import Charge, Reason, VerdictAction, charge_of
from agent.core.retry.backoff import delay, grace_of, not_counted
from agent.core.retry.choices import Action
from agent.core.retry.delay import Delay
from agent.core.retry.dialect import ByPolicies
from agent.core.retry.effective import InEffect
from agent.core.retry.facts import Facts
from agent.core.retry.gang import Member, choose_member
from agent.core.retry.limits import NOT_KNOWN, Course
from agent.core.retry.match import examine
from agent.core.retry.matched import Matched
from agent.core.retry.placement import avoid, places
from agent.core.retry.policy import RetrySettings, merge_backoff
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
    """Decide one end or halt. Without policies in effect, or where they do not apply, the legacy formula decides.

    ``history`` is that of the lineage before this run, and a delay counts from ``now``; ``draw``, from 0 to 1, is the
    random number for jitter. ``shapes`` are the nodes the next run may use, ``None`` if not known. Do not pass in-run
    occurrences: they need no decision. Raises QuantityError if shapes or requests contain an invalid quantity.
    """
    facts = Facts(failure)
    given = Circumstances(facts, run, history, settings, now, draw, shapes)
    shadow = in_shadow(policies, given)
    if why_not := why_not_asked(policies, given):
        return by_formula(why_not, policies, given, shadow=shadow)
    proposal = propose(policies, facts)
    charge = charge_to(proposal, facts)
    asked = ask_limits(
        proposal, policies, charge=charge, history=history, settings=settings, table=run.table, course=course_of(given)
    )
    judgement = forbid(proposal, asked, charge=charge)
    terms = terms_of(judgement, policies, given)
    if terms.impossible:
        judgement = judgement._replace(action=VerdictAction.FAIL, reason=Reason.NO_NODE, ledger=None)
    explanation = explain(judgement, terms, policies=policies, run=run, shadow=shadow)
    return Verdict(explanation=explanation, past=past_of(given, shadow=shadow, judgement=judgement, terms=terms))


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
    """Decide one generation of a gang, once it has settled: the member that is judged, and the verdict.

    ``run`` is that member's run, with the gang as its lineage. There must be a member.
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


def in_shadow(policies: InEffect, given: Circumstances) -> Shadow | None:
    """The decision if the policies in shadow were live; they count the retries they would have granted."""
    shadow = policies.shadow
    if shadow is None or not given.settings.enabled or given.run.fail_fast:
        return None
    # retries that shadow policies would have granted count as granted, so that their limits have an effect
    history = dataclasses.replace(given.history, assumed=given.history.shadow)
    course = course_of(given)
    judgement = judge(
        shadow, given.facts, history=history, settings=given.settings, table=given.run.table, course=course
    )
    decider = decider_of(judgement.proposal)
    return Shadow(policies=policies.shadows, action=judgement.action, reason=judgement.reason, decider=decider)


def judge(
    policies: InEffect,
    facts: Facts,
    *,
    history: History,
    settings: RetrySettings,
    table: TableAnswer = NO_ANSWER,
    course: Course = NOT_KNOWN,
) -> Judgement:
    """The steps that decide on a retry, without those for its terms. There must be a policy."""
    proposal = propose(policies, facts)
    charge = charge_to(proposal, facts)
    asked = ask_limits(
        proposal, policies, charge=charge, history=history, settings=settings, table=table, course=course
    )
    return forbid(proposal, asked, charge=charge)


def why_not_asked(policies: InEffect, given: Circumstances) -> str:
    """Why policies do not apply; empty if they do."""
    if not given.settings.enabled:
        return "retry policies are off"
    if given.run.fail_fast:
        return "retry policies do not apply"
    if not policies.policies:
        return "no retry policy is in effect"
    dialect = policies.dialect
    if dialect.gangs is ByPolicies.SKIPPED and given.run.gang_size > 1:
        return f"{dialect.name} does not decide gangs"
    if dialect.returned is ByPolicies.SKIPPED and given.run.returned and not is_undisturbed(given):
        return f"{dialect.name} does not decide runs that their cluster returned"
    return ""


def by_formula(why_not: str, policies: InEffect, given: Circumstances, *, shadow: Shadow | None) -> Verdict:
    """The verdict of the legacy formula, which decides where policies do not apply."""
    skipped = PoliciesSkipped(
        why=why_not,
        notes=policies.notes if given.settings.enabled else (),
        shadow=shadow,
        past=past_of(given, shadow=shadow),
        culprit=culprit_of(given.facts),
    )
    return decide_legacy(run=given.run, history=given.history, settings=given.settings, skipped=skipped)


def propose(policies: InEffect, facts: Facts) -> Proposal:
    """Evaluate the rules in order; the first that matches decides, whatever its limits. There must be a policy."""
    passed: list[NotApplied] = []
    for policy in policies.policies:
        for rule in policy.rules:
            found = examine(rule, facts)
            if isinstance(found, Matched):
                return Proposal(policy, rule.rule.action, rule.key, tuple(passed), rule, found)
            passed.append(not_applied(rule.policy, rule.number, rule.words, found))
    first = policies.policies[0]
    return Proposal(first, policies.default_action, first.default_key, tuple(passed))


def charge_to(proposal: Proposal, facts: Facts) -> Charge:
    """The budget that a retry is charged to: that of the rule, else depending on the failure."""
    if proposal.rule is not None and proposal.rule.rule.charge is not None:
        return proposal.rule.rule.charge
    return charge_of(facts.failure, preempted=facts.preempted, out_of_memory=facts.out_of_memory() is not None)


def forbid(proposal: Proposal, asked: Asked, *, charge: Charge) -> Judgement:
    """A limit can only turn a retry into a fail; if several do, the first gives the reason."""
    said = Reason.DEFAULT_ACTION if proposal.rule is None else Reason.RULE
    limits = asked.limits
    if proposal.action is not Action.RETRY:
        return Judgement(proposal, limits, charge, VerdictAction.FAIL, said)
    for limit in limits:
        if not limit.allowed:
            return Judgement(proposal, limits, charge, VerdictAction.FAIL, limit.reason)
    return Judgement(proposal, limits, charge, VerdictAction.RETRY, said, asked.ledger)


def terms_of(judgement: Judgement, policies: InEffect, given: Circumstances) -> Terms:
    """When and where a granted retry runs, and with how much memory. Raises QuantityError like ``decide``."""
    if judgement.action is not VerdictAction.RETRY:
        return NO_TERMS
    proposal, run = judgement.proposal, given.run
    grown = more_memory(proposal, given.facts, dialect=policies.dialect, run=run)
    fitting = places(given.shapes, run.requests, memory=grown.memory)  # after the mutation: that is what must fit
    if grown.mutation is not None and fitting == 0:
        why = "the job with more memory fits no node"
        return Terms(impossible=why, mutation=grown.mutation, notes=grown.notes)
    wanted = proposal.policy.policy.anti_affinity if proposal.rule is None else proposal.rule.anti_affinity
    avoided = avoid(wanted, node=run.node, earlier=given.history.nodes, now=given.now, fitting=fitting)
    if avoided.hopeless:
        return Terms(impossible="no untried node fits the job", notes=(*grown.notes, *avoided.notes))
    wait, counted, waited = _wait(proposal, given)
    not_before = given.now + wait.duration if wait.seconds else given.now
    notes = (*waited, *grown.notes, *avoided.notes)
    return Terms(wait, counted, not_before, avoided, grown.mutation, notes, run.table.time_factor)


def _wait(proposal: Proposal, given: Circumstances) -> tuple[Delay, int, tuple[str, ...]]:
    """The delay, how many retries it no longer counts, and notes on it."""
    specific = proposal.policy.policy.backoff if proposal.rule is None else proposal.rule.backoff
    backoff = merge_backoff(specific, given.settings.default_backoff)
    history, key = given.history, proposal.key
    used = history.under(key)
    known = history.backoff_bases.get(key, 0)
    counted, reset = not_counted(backoff.reset_after, used=used, known=known, lasted=given.run.lasted)
    grace, notes = grace_of(given.facts, given.run)
    wait = delay(backoff, number=used - counted + 1, grace=grace, draw=given.draw, reset=reset)
    return wait, counted, notes


def past_of(
    given: Circumstances, *, shadow: Shadow | None, judgement: Judgement | None = None, terms: Terms = NO_TERMS
) -> Past:
    """What later verdicts of the lineage need to know; without a judgement, no policy granted a retry."""
    run = given.run
    retried = judgement is not None and judgement.action is VerdictAction.RETRY
    return Past(
        charge=judgement.charge if judgement is not None and retried else None,
        undisturbed=is_undisturbed(given),
        backoff_base=terms.backoff_base,
        shadow_key=None if shadow is None else shadow.granted_under,
        failed_on=FailedOn(run.node, given.failed_at) if run.node else None,
        most_runs=run.table.most_runs,
        retried=retried,
        granted_at=given.now if retried else None,
        began_at=given.began_at,
        lasted=run.lasted,
    )
