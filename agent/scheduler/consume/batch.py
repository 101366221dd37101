"""One batch of events decided: a value in, verdicts out; the store is read before and written after."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.failure import IN_RUN, Amendment, Failure, Occurrence, RunEvent, RunRejected
from agent.core.history import History
from agent.core.retry.effective import InEffect
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts
from agent.core.summary.internal import as_failure
from agent.store.failures import Arrival
from agent.store.verdicts import NewVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionInputs:
    """What every decision of this process is made by. ``grace_period`` is that of pods that do not tell theirs.

    ``draw`` gives a number from 0 to 1: the chance that a delay's jitter takes.
    """

    policies: InEffect
    settings: RetrySettings
    grace_period: timedelta
    draw: Callable[[], float]


def arrivals(events: Sequence[RunEvent]) -> tuple[Arrival, ...]:
    """The events that tell a failure, in order; changes of a run's state tell none."""
    return tuple(arrival for event in events if (arrival := _arrival(event)) is not None)


def decide_batch(
    new: Sequence[Arrival],
    *,
    decided: Collection[str],
    histories: Mapping[str, History],
    inputs: DecisionInputs,
    now: datetime,
) -> tuple[NewVerdict, ...]:
    """Decide each run that has an end or halt and no verdict, once, on the first in order (design 4.6).

    ``decided`` are runs that have a verdict, ``histories`` by job. Everything else in ``new`` is evidence.
    """
    known, counts = set(decided), dict(histories)
    verdicts: list[NewVerdict] = []
    for arrival in new:
        run_id, job_id = arrival.event.identity.run_id, arrival.event.identity.job_id
        if run_id in known or not _decides(arrival):
            continue
        verdict = _verdict(arrival, history=counts[job_id], inputs=inputs, now=now)
        known.add(run_id)
        counts[job_id] = counts[job_id].followed_by(verdict.granted_under, past=verdict.past)
        verdicts.append(NewVerdict(event=arrival.event, verdict=verdict, decided_at=now))
    return tuple(verdicts)


def _arrival(event: RunEvent) -> Arrival | None:
    told = event.event
    if isinstance(told, Failure):
        return Arrival(event=event, failure=told)
    if isinstance(told, Amendment):
        return Arrival(event=event, failure=told.failure, amends=told.amends)
    if isinstance(told, RunRejected):
        return Arrival(event=event, failure=as_failure(told))
    return None


def _decides(arrival: Arrival) -> bool:
    return arrival.amends is None and arrival.failure.occurrence not in IN_RUN


def _verdict(arrival: Arrival, *, history: History, inputs: DecisionInputs, now: datetime) -> Verdict:
    event, failure = arrival.event, arrival.failure
    run = RunFacts(
        lineage=f"job {event.identity.job_id}",
        node=event.pod.node,
        attempt=event.identity.attempt,
        returned=isinstance(event.event, RunRejected) or failure.occurrence is Occurrence.LEASE_EXPIRED,
        grace_period=inputs.grace_period,
        ended_at=event.occurred_at,
        lasted=None if failure.pod.started_at is None else event.occurred_at - failure.pod.started_at,
    )
    return decide(
        failure,
        run=run,
        history=history,
        policies=inputs.policies,
        settings=inputs.settings,
        now=now,
        draw=inputs.draw(),
    )
