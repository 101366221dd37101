"""The values of the metrics of KEP-3329, KEP-3850 and KEP-3939, from the deltas of steps, under our prefix."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from agent.core.job.counters import Counters
from agent.core.job.effects import Delta

FINISHED_INDEXES = "job_finished_indexes_total"
FAILURES_HANDLED = "pod_failures_handled_total"
PODS_FINISHED = "job_pods_finished_total"
JOBS_FINISHED = "jobs_finished_total"
PODS_MADE = "job_pods_creation_total"


@dataclass(frozen=True, slots=True)
class Series:
    """One series: the name of the metric without our prefix, and its labels in order."""

    metric: str
    labels: tuple[tuple[str, str], ...]


def counted(counters: Counters, deltas: Iterable[Delta], *, before: Delta | None = None) -> dict[Series, int]:
    """Return by how much each series grows over the deltas of one Job, starting from ``before``.

    Indexes that an Indexed Job forgets when it is scaled down do not decrease anything.
    """
    grown: Counter[Series] = Counter()
    last_succeeded, last_failed = (before.succeeded, before.failed) if before is not None else (0, 0)
    mode = counters.spec.completion_mode or "NonIndexed"
    limit = "perIndex" if counters.per_index else "global"
    for delta in deltas:
        grown[_finished_index("succeeded", limit)] += len(delta.new_succeeded_indexes)
        grown[_finished_index("failed", limit)] += len(delta.new_failed_indexes)
        more = len(delta.new_succeeded_indexes) if counters.spec.indexed else delta.succeeded - last_succeeded
        grown[_pods("succeeded", mode)] += more
        grown[_pods("failed", mode)] += delta.failed - last_failed
        last_succeeded, last_failed = delta.succeeded, delta.failed
        grown[Series(PODS_MADE, (("reason", delta.made_because),))] += delta.made
        for action, count in delta.actions.items():
            grown[Series(FAILURES_HANDLED, (("action", action),))] += count
        if delta.finished is not None:
            result = "succeeded" if delta.finished.type == "Complete" else "failed"
            labels = (("completion_mode", mode), ("result", result), ("reason", delta.finished.reason))
            grown[Series(JOBS_FINISHED, labels)] += 1
    return {series: count for series, count in grown.items() if count}


def _finished_index(status: str, limit: str) -> Series:
    return Series(FINISHED_INDEXES, (("status", status), ("backoff_limit", limit)))


def _pods(result: str, mode: str) -> Series:
    return Series(PODS_FINISHED, (("completion_mode", mode), ("result", result)))
