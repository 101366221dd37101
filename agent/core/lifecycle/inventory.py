"""What a complete list of a cluster's pods proves: of a run whose pod it has, and of a run of which it has none.

Such a list may be older than the pod. Or the pod ended, was reported and then deleted, and the list arrives before the
report. Then its absence proves nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from agent.core.lifecycle.run import JobRun
from agent.core.run_event import Confirmation, ListedRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """All pods of runs that an agent found in one complete list.

    ``pods`` has the run id by the pod's uid, as labels say it. ``as_of`` is a time of the store's clock that had come
    when the list began: an agent's own clock may be ahead.
    """

    cluster: str
    as_of: datetime
    pods: Mapping[str, str]
    _run_ids: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Made once: each open run without a pod is looked up, and a cluster may have 10,000 of either."""
        object.__setattr__(self, "_run_ids", frozenset(self.pods.values()))

    def has_pod_of(self, run_id: str) -> bool:
        return run_id in self._run_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumed:
    """What the store has of the events that the broker had from a cluster when it got a list of the cluster's pods.

    ``up_to_date``: all of them, but for dead letters and for what the broker lost. ``lost_before``: the latest time, by
    the store's clock, before which an event that the broker lost may have been sent; ``None``: it lost none. ``dead``
    are the decision scopes with a dead letter that no person has dropped or replayed.
    """

    up_to_date: bool
    lost_before: datetime | None = None
    dead: Collection[str] = ()

    def all_of(self, run: JobRun, scopes: Collection[str]) -> bool:
        """Whether the store has all events of this run, in whose ``scopes`` agents may report it."""
        lost = self.lost_before is not None and run.opened_at <= self.lost_before
        return self.up_to_date and not lost and not any(scope in self.dead for scope in scopes)


class Absence(StrEnum):
    """What is known of an open run that has no pod.

    ``not-created``: its create may be sent again. ``missing``: its recorded pod is gone, so decide its failure; whether
    the pod still lives is unknown.
    """

    NOT_CREATED = "not-created"
    MISSING = "missing"


def absence_of(
    run: JobRun, inventory: Inventory, consumed: Consumed, *, changed_at: datetime, scopes: Collection[str]
) -> Absence | None:
    """What the list proves of the run, which changed last at ``changed_at``; ``None``: nothing.

    ``scopes`` are the decision scopes in which its events may be: the job's, and its gang's.
    """
    if not run.is_open or run.cluster != inventory.cluster or inventory.as_of <= changed_at:
        return None
    if not consumed.all_of(run, scopes):
        return None
    if run.uid is None:
        waits = run.name_held is not None and run.name_held.uid in inventory.pods
        return None if waits or inventory.has_pod_of(run.run_id) else Absence.NOT_CREATED
    return None if run.uid in inventory.pods else Absence.MISSING


def is_without_effect(listed: ListedRun, run: JobRun, *, as_of: datetime | None, changed_at: datetime) -> bool:
    """Whether the list proves that the start or the stop of the pod had no effect, so that it is to be sent again.

    The run changed last at ``changed_at``; the list is as of a time of the same clock, or older if ``None``. A stop
    without an answer is sent again anyway (``repeats``).
    """
    if as_of is None or as_of <= changed_at:
        return False
    if run.is_open:
        return listed.gated and run.phase is None
    stopped = run.answered is not None or run.confirmed is Confirmation.PERSON
    return stopped and listed.confirmed is None and run.confirmed in (None, Confirmation.PERSON)
