"""The decision on a run that ended or must be stopped: one speaks, all may forbid (design 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.explanation import Explanation, Mode, Speaker
from agent.core.failure import ENDS, Failure
from agent.core.history import History
from agent.core.legacy import decide_legacy
from agent.core.retry.backoff import Delay, delay, resolve
from agent.core.retry.compiled import CompiledPolicy
from agent.core.retry.limits import Limit, ask_limits
from agent.core.retry.match import preempted
from agent.core.retry.outcome import Reason, VerdictAction
from agent.core.retry.policy import Action, Avoidance, Backoff
from agent.core.retry.settings import RetrySettings
from agent.core.retry.speak import Proposal, speak
from agent.core.run import RunFacts
from agent.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class _Terms:
    """What a retry comes with; a verdict to fail has none of it."""

    delay: Delay | None = None
    not_before: datetime | None = None
    avoid_nodes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def decide(
    failure: Failure,
    *,
    run: RunFacts,
    history: History,
    policies: Sequence[CompiledPolicy],
    settings: RetrySettings,
    now: datetime,
) -> Verdict:
    """Decide one end or halt. ``policies`` are those in effect, in order; with none, the legacy formula decides.

    ``history`` is the lineage's before this run, and ``now`` is what a delay counts from. An in-run occurrence is
    nothing to decide on and must not be given.
    """
    if not settings.enabled or not policies:
        return decide_legacy(run=run, history=history, settings=settings)
    proposal = speak(policies, failure)
    limits = ask_limits(proposal, policies, history=history, settings=settings)
    if proposal.action is Action.FAIL or not all(limit.allowed for limit in limits):
        return _verdict(proposal, VerdictAction.FAIL, limits=limits, run=run, terms=_Terms())
    wait, notes = _wait(proposal, failure, run=run, used=history.under(proposal.key), settings=settings)
    nodes, more = _avoided(proposal, run)
    terms = _Terms(delay=wait, not_before=now + wait.duration, avoid_nodes=nodes, notes=(*notes, *more))
    return _verdict(proposal, VerdictAction.RETRY, limits=limits, run=run, terms=terms)


def _verdict(
    proposal: Proposal, action: VerdictAction, *, limits: tuple[Limit, ...], run: RunFacts, terms: _Terms
) -> Verdict:
    reason = _reason(proposal, limits)
    explanation = Explanation(
        action=action,
        reason=reason,
        mode=Mode.POLICIES,
        lineage=run.lineage,
        spoke=_speaker(proposal),
        silent=proposal.silent,
        limits=limits,
        delay=terms.delay,
        not_before=terms.not_before,
        avoid_nodes=terms.avoid_nodes,
        notes=terms.notes,
    )
    return Verdict(
        action=action,
        reason=reason,
        policy=proposal.policy.policy.name,
        rule_key=proposal.key,
        delay=timedelta(0) if terms.delay is None else terms.delay.duration,
        not_before=terms.not_before,
        avoid_nodes=terms.avoid_nodes,
        explanation=explanation,
    )


def _reason(proposal: Proposal, limits: Sequence[Limit]) -> Reason:
    spoken = Reason.DEFAULT_ACTION if proposal.rule is None else Reason.RULE
    if proposal.action is Action.FAIL:
        return spoken
    return next((limit.reason for limit in limits if not limit.allowed), spoken)


def _speaker(proposal: Proposal) -> Speaker:
    return Speaker(
        policy=proposal.policy.policy.name,
        rule="" if proposal.rule is None else proposal.rule.words,
        key=proposal.key,
        action=proposal.action,
        matched=proposal.matched,
    )


def _wait(
    proposal: Proposal, failure: Failure, *, run: RunFacts, used: int, settings: RetrySettings
) -> tuple[Delay, tuple[str, ...]]:
    own = Backoff() if proposal.rule is None else proposal.rule.rule.backoff
    backoff = resolve((own, proposal.policy.policy.backoff, settings.default_backoff))
    grace, notes = _grace(failure, run)
    return delay(backoff, number=used + 1, grace=grace), notes


def _grace(failure: Failure, run: RunFacts) -> tuple[timedelta | None, tuple[str, ...]]:
    """A preempted run is waited for until it has ended or its grace time is over (seed, "Graceful Shutdown")."""
    if not preempted(failure):
        return None, ()
    if failure.occurrence in ENDS:
        return None, ("preempted: the run has ended, so its grace period is not waited for",)
    return run.grace_period, ("preempted: the run may still live, so its grace period is waited for",)


def _avoided(proposal: Proposal, run: RunFacts) -> tuple[tuple[str, ...], tuple[str, ...]]:
    own = None if proposal.rule is None else proposal.rule.rule.avoidance
    mode = own if own is not None else proposal.policy.policy.avoidance
    if mode is not Avoidance.NODE:
        return (), ()
    if not run.node:
        return (), ("antiAffinity node: the run never had a node, so none is avoided",)
    return (run.node,), ("antiAffinity node: only the node of this run is avoided",)
