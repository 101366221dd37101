"""How long the next pod waits: globally and per index (backoff_utils.go)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

BASE = timedelta(seconds=10)
MOST = timedelta(minutes=10)

ZERO_TIME = datetime(1, 1, 1, tzinfo=UTC)
"""Go's zero time: the finish time of a pod without one."""

_AT_ONCE = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The first delay and the longest."""

    base: timedelta = BASE
    most: timedelta = MOST


STOCK = Pace()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackoffRecord:
    """Failures since the last success, and the time of the latest one."""

    failures: int = 0
    last_failure: datetime | None = None


NO_FAILURES = BackoffRecord()


@dataclass(frozen=True, slots=True, kw_only=True)
class LastFailure:
    """The failed pod of an index that waits for a replacement: its end, and earlier failures with ignored ones."""

    failures_before: int
    finished_at: datetime


def next_record(record: BackoffRecord, *, succeeded: Sequence[datetime], failed: Sequence[datetime]) -> BackoffRecord:
    """Return the record after pods that newly finished at these times (``newBackoffRecord``).

    ``failed`` includes ignored failures, unless the Job chose otherwise.
    """
    if not succeeded:
        if not failed:
            return record
        return BackoffRecord(failures=record.failures + len(failed), last_failure=max(failed))
    last_success = max(succeeded)
    since = [time for time in failed if time > last_success]
    return BackoffRecord(failures=len(since), last_failure=max(since)) if since else NO_FAILURES


def remaining(failures: int, last: datetime | None, *, now: datetime, pace: Pace = STOCK) -> timedelta:
    """Return the remaining delay (``getRemainingTimeForFailuresCount``)."""
    if failures == 0 or last is None:
        return _AT_ONCE
    return max(_AT_ONCE, delay(failures, pace=pace) - (now - last))


def delay(failures: int, *, pace: Pace = STOCK) -> timedelta:
    """Return the delay after this number of consecutive failures: doubled each time, up to the longest."""
    whole = pace.base
    for _ in range(failures - 1):
        whole *= 2
        if whole >= pace.most:
            return pace.most
    return whole


def remaining_of_index(last: LastFailure | None, *, now: datetime, pace: Pace = STOCK) -> timedelta:
    """Return the remaining delay of an index (``getRemainingTimePerIndex``)."""
    if last is None:
        return _AT_ONCE
    return remaining(last.failures_before + 1, last.finished_at, now=now, pace=pace)


def due_indexes(
    wanted: Sequence[int], last: Mapping[int, LastFailure], *, now: datetime, pace: Pace = STOCK
) -> tuple[list[int], timedelta]:
    """Return the indexes that may have a pod now; if none may, the remaining delay of the first.

    ``getPodCreationInfoForIndependentIndexes``.
    """
    waits = [(index, remaining_of_index(last.get(index), now=now, pace=pace)) for index in wanted]
    ready = [index for index, wait in waits if not wait]
    return ready, _AT_ONCE if ready else min((wait for _, wait in waits), default=_AT_ONCE)
