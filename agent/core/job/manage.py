"""How many pods a Job should have: which to create, delete or wait for (``manageJob``)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from agent.core.job.backoff import ZERO_TIME, BackoffRecord, LastFailure, due_indexes, remaining
from agent.core.job.counters import Counters
from agent.core.job.effects import (
    NEW,
    RECREATE_FAILED,
    RECREATE_TERMINATING_OR_FAILED,
    CreatePod,
    DeletePod,
    Effect,
    RequeueAfter,
)
from agent.core.job.naming import next_failure_counts
from agent.core.job.pod import JobPod, finish_time, only_failed_are_replaced, removal_order
from agent.core.job.words import FAILED_ONLY

MOST_CHANGES = 500
"""The most pods that one step creates or deletes; the next step continues."""

SOONEST = timedelta(seconds=1)
"""The shortest time until the next step of a Job (upstream's ``SyncJobBatchPeriod``)."""

_AT_ONCE = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Managed:
    """The effects, and the counts to report. While pods wait to be created, ``active`` is 0, as upstream has it."""

    active: int
    removed: Sequence[JobPod] = ()
    effects: tuple[Effect, ...] = ()


def manage(counters: Counters, *, succeeded: int, record: BackoffRecord, now: datetime) -> Managed:
    """Adjust the number of pods; deletions come before creations."""
    active = len(counters.active)
    if counters.spec.suspended:
        return _remove(counters, list(counters.active.values()), Managed(active=active))
    wanted = wanted_active(counters, succeeded=succeeded)
    surplus = pods_to_remove(counters, max(0, active - wanted))[:MOST_CHANGES]
    if surplus:
        return _remove(counters, surplus, Managed(active=active))
    waits = counters.terminating if only_failed_are_replaced(counters.spec, counters.gates) else 0
    missing = wanted - waits - active
    return _make(counters, missing, record=record, now=now) if missing > 0 else Managed(active=active)


def wanted_active(counters: Counters, *, succeeded: int) -> int:
    """Return how many pods should be active; failed indexes do not lower it."""
    spec = counters.spec
    parallelism = 1 if spec.parallelism is None else spec.parallelism
    if spec.completions is None:
        return len(counters.active) if succeeded > 0 else parallelism
    return max(0, min(parallelism, spec.completions - succeeded))


def pods_to_remove(counters: Counters, at_least: int) -> list[JobPod]:
    """Return surplus pods: misplaced ones, all but one per index, then those that have progressed least.

    ``activePodsForRemoval``.
    """
    surplus = list(_without_place(counters)) if counters.spec.indexed else []
    if len(surplus) < at_least:
        gone = {pod.uid for pod in surplus}
        left = sorted((pod for pod in counters.active.values() if pod.uid not in gone), key=removal_order)
        surplus += left[: at_least - len(surplus)]
    return surplus


def why_made(counters: Counters, *, failed: int) -> str:
    """Return why pods are created, for ``job_pods_creation_total`` (KEP-3939, ``recordJobPodsCreationTotal``)."""
    if not counters.gates.pod_replacement_policy:
        return NEW
    if counters.spec.pod_replacement_policy == FAILED_ONLY and failed > 0:
        return RECREATE_FAILED
    return RECREATE_TERMINATING_OR_FAILED if failed > 0 or counters.terminating > 0 else NEW


def last_failure(counters: Counters, pod: JobPod) -> LastFailure:
    """Return the base of the delay of an index; it includes ignored failures unless the Job chose otherwise."""
    finished = finish_time(pod, counters.gates) or ZERO_TIME
    if counters.choices.delay_ignored:
        return LastFailure(failures_before=pod.all_failures, finished_at=finished)
    return LastFailure(failures_before=pod.failure_count - (not counters.counts(pod)), finished_at=finished)


def _without_place(counters: Counters) -> Iterable[JobPod]:
    yield from (counters.active[uid] for uid in sorted(counters.misplaced))
    for index in sorted(counters.crowded):
        siblings = [counters.active[uid] for uid in counters.active_at[index] if uid not in counters.misplaced]
        yield from sorted(siblings, key=removal_order)[:-1]


def _remove(counters: Counters, pods: list[JobPod], managed: Managed) -> Managed:
    effects = tuple(DeletePod(uid=pod.uid, uncounted=True) for pod in pods)
    for pod in pods:
        counters.release(pod)
    return Managed(active=managed.active - len(pods), removed=pods, effects=effects)


def _make(counters: Counters, missing: int, *, record: BackoffRecord, now: datetime) -> Managed:
    active, count = len(counters.active), min(missing, MOST_CHANGES)
    if not counters.per_index:
        wait = remaining(record.failures, record.last_failure, now=now, pace=counters.pace)
        if wait > _AT_ONCE:
            return _wait(wait)
    if not counters.spec.indexed:
        return Managed(active=active + count, effects=(CreatePod(),) * count)
    indexes = list(islice(counters.taken.gaps(counters.spec.completions or 0), count))
    if counters.per_index:
        last = {at: last_failure(counters, counters.held[at]) for at in indexes if at in counters.held}
        indexes, wait = due_indexes(indexes, last, now=now, pace=counters.pace)
        if wait > _AT_ONCE:
            return _wait(wait)
    made = tuple(CreatePod(index=index, counts=_counts(counters, index)) for index in indexes)
    return Managed(active=active + len(made), effects=made)


def _wait(wait: timedelta) -> Managed:
    # upstream reports 0 here, although pods may be active
    return Managed(active=0, effects=(RequeueAfter(after=max(wait, SOONEST)),))


def _counts(counters: Counters, index: int) -> tuple[int, int] | None:
    if not counters.per_index:
        return None
    return next_failure_counts(counters.held.get(index), counters.spec, gates=counters.gates)
