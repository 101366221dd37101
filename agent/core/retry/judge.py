"""Whether policies grant a retry: the proposal of the one that speaks, and what every limit says of it."""

from collections.abc import Sequence
from typing import NamedTuple

from agent.core.failure import Occurrence
from agent.core.history import History
from agent.core.limit import Charge, Limit, Reason, VerdictAction, charge_of
from agent.core.retry.effective import InEffect
from agent.core.retry.facts import Facts
from agent.core.retry.limits import ask_limits
from agent.core.retry.policy import Action, RetrySettings
from agent.core.retry.speak import Proposal, speak
from agent.core.run import RunFacts


class Judgement(NamedTuple):
    """Who spoke and what the limits say. ``charge`` is the budget of a retry; it is asked whether granted or not."""

    proposal: Proposal
    limits: tuple[Limit, ...]
    charge: Charge
    action: VerdictAction
    reason: Reason


def judge(policies: InEffect, facts: Facts, *, history: History, settings: RetrySettings) -> Judgement:
    """One speaks, all may forbid. There must be a policy."""
    proposal = speak(policies, facts)
    charge = _charge(proposal, facts)
    limits = ask_limits(proposal, policies, charge=charge, history=history, settings=settings)
    reason = _reason(proposal, limits)
    granted = proposal.action is Action.RETRY and reason in (Reason.RULE, Reason.DEFAULT_ACTION)
    action = VerdictAction.RETRY if granted else VerdictAction.FAIL
    return Judgement(proposal, limits, charge, action, reason)


def is_undisturbed(facts: Facts, run: RunFacts) -> bool:
    """Whether the run was neither preempted nor returned by its cluster; an expired lease is a failure like others."""
    if facts.preempted:
        return False
    return not run.returned or facts.failure.occurrence is Occurrence.LEASE_EXPIRED


def _charge(proposal: Proposal, facts: Facts) -> Charge:
    if proposal.rule is not None and proposal.rule.rule.charge is not None:
        return proposal.rule.rule.charge
    return charge_of(facts.failure, preempted=facts.preempted, out_of_memory=facts.out_of_memory() is not None)


def _reason(proposal: Proposal, limits: Sequence[Limit]) -> Reason:
    if proposal.action is Action.RETRY:
        for limit in limits:
            if not limit.allowed:
                return limit.reason
    return Reason.DEFAULT_ACTION if proposal.rule is None else Reason.RULE
