"""Decides one batch of events: values in, verdicts out. The caller reads the store before and writes it after."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.evidence import ContainerMemory
from agent.core.failure import UNDECIDED, Failure, Occurrence
from agent.core.history import History
from agent.core.retry.catalog import Catalog
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts
from agent.core.run_event import Amendment, RunEvent
from agent.store.failures import Arrival
from agent.store.verdicts import NewVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionInputs:
    """What every decision of this process depends on. ``grace_period`` is for pods that do not report theirs.

    ``draw`` returns a random number from 0 to 1 for the jitter of a delay.
    """

    catalog: Catalog
    settings: RetrySettings
    grace_period: timedelta
    draw: Callable[[], float]


def arrivals(events: Sequence[RunEvent]) -> tuple[Arrival, ...]:
    """The events that report a failure, in order; changes of a run's state are left out."""
    return tuple(arrival for event in events if (arrival := arrival_of(event)) is not None)


def decide_batch(
    new: Sequence[Arrival],
    *,
    decided: Collection[str],
    histories: Mapping[str, History],
    inputs: DecisionInputs,
    now: datetime,
) -> tuple[NewVerdict, ...]:
    """Decide each run that has an end or halt and no verdict: once, on the first in order.

    A run has one verdict at most (docs/protocol.md: one-verdict-per-run).

    ``decided`` are the runs that have a verdict; ``histories`` are by job id. Everything else in ``new`` is evidence.
    """
    known, counts = set(decided), dict(histories)
    verdicts: list[NewVerdict] = []
    for arrival in new:
        run_id, job_id = arrival.event.identity.run_id, arrival.event.identity.job_id
        if run_id in known or not decides(arrival):
            continue
        verdict = verdict_on(arrival, history=counts[job_id], inputs=inputs, now=now)
        known.add(run_id)
        # A later run of the job in this batch must count the verdict just made.
        counts[job_id] = counts[job_id].followed_by(verdict.granted_under, past=verdict.past)
        verdicts.append(NewVerdict(event=arrival.event, verdict=verdict, decided_at=now))
    return tuple(verdicts)


def arrival_of(event: RunEvent) -> Arrival | None:
    """The failure that the event reports; ``None`` if it reports something else."""
    content = event.event
    if isinstance(content, Failure):
        return Arrival(event=event, failure=content)
    if isinstance(content, Amendment):
        return Arrival(event=event, failure=content.failure, amends=content.amends)
    return None


def decides(arrival: Arrival) -> bool:
    """Whether it is an end or a halt, and no evidence only."""
    return arrival.amends is None and arrival.failure.occurrence not in UNDECIDED


def verdict_on(
    arrival: Arrival,
    *,
    history: History,
    inputs: DecisionInputs,
    now: datetime,
    memory: tuple[ContainerMemory, ...] = (),
    fail_fast: bool = False,
) -> Verdict:
    """The verdict on one end or halt. ``memory`` is that of the run's containers, if known.

    ``fail_fast``: its job asks never to be retried.
    """
    event, failure = arrival.event, arrival.failure
    run = RunFacts(
        lineage=f"job {event.identity.job_id}",
        node=event.pod.node,
        attempt=event.identity.attempt,
        returned=failure.occurrence is Occurrence.LEASE_EXPIRED,
        fail_fast=fail_fast,
        grace_period=inputs.grace_period,
        ended_at=event.occurred_at,
        lasted=None if failure.pod.started_at is None else event.occurred_at - failure.pod.started_at,
        memory=memory,
    )
    return decide(
        failure,
        run=run,
        history=history,
        policies=inputs.catalog.in_effect(event.identity.queue, event.identity.retry_policies),
        settings=inputs.settings,
        now=now,
        draw=inputs.draw(),
    )
