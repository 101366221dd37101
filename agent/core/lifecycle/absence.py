"""What follows if the list of a cluster's pods has none of a run.

Such a list may be older than the pod. Or the pod ended, was reported and then deleted, and the list arrives before the
report. Then its absence proves nothing.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from agent.core.lifecycle.run import JobRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """All pods of runs that an agent found in one complete list.

    ``pods`` has the run id by the pod's uid, as labels say it. ``as_of`` is a time of the store's clock that had come
    when the list began: an agent's own clock may be ahead.
    """

    cluster: str
    as_of: datetime
    pods: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumed:
    """How much of a cluster's events the store has.

    ``published`` is the last sequence of each spool at the broker, read after the list was made. ``committed`` is the
    sequence of each spool up to which the store has all. ``dead`` are the ids of runs with an event among the dead
    letters that no person has ruled on.
    """

    published: Mapping[str, int]
    committed: Mapping[str, int]
    dead: Collection[str] = ()

    @property
    def up_to_date(self) -> bool:
        return all(self.committed.get(spool_id, 0) >= last for spool_id, last in self.published.items())


class Absence(StrEnum):
    """What is known of an open run that has no pod.

    ``not-created``: its create may be sent again. ``missing``: its recorded pod is gone, so decide its failure; whether
    the pod still lives is unknown.
    """

    NOT_CREATED = "not-created"
    MISSING = "missing"


def absence_of(run: JobRun, inventory: Inventory, consumed: Consumed, *, changed_at: datetime) -> Absence | None:
    """What the list proves of the run, which changed last at ``changed_at``; ``None``: nothing."""
    if not run.is_open or run.cluster != inventory.cluster or inventory.as_of <= changed_at:
        return None
    if not consumed.up_to_date or run.run_id in consumed.dead:
        return None
    if run.uid is None:
        return None if run.run_id in inventory.pods.values() else Absence.NOT_CREATED
    return None if run.uid in inventory.pods else Absence.MISSING
