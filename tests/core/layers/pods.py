"""Bare pods and gangs, run after run until none follows."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from agent.core.decision.decide import decide, decide_gang
from agent.core.decision.explanation_text import whole
from agent.core.decision.verdict import Verdict
from agent.core.error_table.answer import TableAnswer
from agent.core.history import History
from agent.core.limit import VerdictAction
from agent.core.retry.gang import Member, choose_member
from agent.core.run import RunFacts
from tests.core.error_table.drawn import NOW
from tests.core.layers.drawn import Blow, Workload
from tests.core.layers.outcome import Outcome, Policies, Table, forbidding
from tests.core.retry.builders import RUN


def course(of: Workload) -> Iterator[Outcome]:
    """Decide one run, or one generation of a gang, after the other."""
    ours = of.ours
    policies = Policies(ours.policies, ours.settings.global_max_retries)
    table, history = Table(ours), History()
    for blows in of.course:
        blow = _judged(of, blows)
        said = table.ask(blow)
        run = replace(RUN, returned=blow.returned, fail_fast=of.fail_fast, table=said, gang_size=len(blows))
        verdict = _decided(of, blows, run, history)
        unadvised = tuple(replace(blow, advice=None) for blow in blows)
        assert _decided(of, unadvised, run, history) == verdict, "a category's advice decided"
        outcome = _outcome(of, blow, verdict, policies, said, attempts=history.runs + 1)
        history = history.followed_by(verdict.granted_under, past=verdict.past)
        yield outcome
        if not outcome.granted:
            return


def _members(blows: tuple[Blow, ...]) -> tuple[Member, ...]:
    """They fail one after the other, the last of them first."""
    times = [NOW + timedelta(seconds=len(blows) - at) for at in range(len(blows))]
    return tuple(
        Member(run_id=f"run-{at}", failure=blow.failure(), occurred_at=time, observed_at=time)
        for at, (blow, time) in enumerate(zip(blows, times, strict=True))
    )


def _judged(of: Workload, blows: tuple[Blow, ...]) -> Blow:
    chosen = choose_member(_members(blows), settle=of.ours.settings.gang_settle)
    return blows[int(chosen.member.run_id.removeprefix("run-"))]


def _decided(of: Workload, blows: tuple[Blow, ...], run: RunFacts, history: History) -> Verdict:
    settings, policies = of.ours.settings, of.ours.in_effect
    if of.kind == "gang":
        return decide_gang(_members(blows), run=run, history=history, policies=policies, settings=settings, now=NOW)[1]
    return decide(blows[0].failure(), run=run, history=history, policies=policies, settings=settings, now=NOW)


def _outcome(
    of: Workload, blow: Blow, verdict: Verdict, policies: Policies, said: TableAnswer, *, attempts: int
) -> Outcome:
    settings = of.ours.settings
    granted = verdict.action is VerdictAction.RETRY
    text = "\n".join(whole(verdict.explanation))
    if settings.enabled and not of.fail_fast and policies.rows:
        opinion = policies.ask(blow)
        if granted:
            policies.grant(opinion)
        forbade = (*opinion.forbade, *forbidding(said))
        return Outcome(opinion.wants, granted, opinion.decider, forbade, text)
    why = "retry policies are off" if not settings.enabled else "no retry policy is in effect"
    if settings.enabled and of.fail_fast:
        why = "retry policies do not apply"
    wants = blow.returned and not of.fail_fast
    used_up = ("maxAttemptedRuns",) if wants and attempts >= settings.max_attempted_runs else ()
    return Outcome(wants, granted, (why,), (*used_up, *forbidding(said)), text)
