"""Jobs are taken in slices, each in a transaction of its own."""

from collections.abc import Callable, Sequence
from typing import Final

import structlog
from sqlalchemy import Connection

from agent.store.errors import LeadershipLost, StoreOutdated, StoreUnreachable
from agent.telemetry import scheduler_metrics as metrics
from agent.telemetry.repetition import Repetition

_log = structlog.get_logger(__name__)

SLICE: Final = 500
"""Jobs of one transaction, at most."""

Fence = Callable[[Connection], None]
"""Called in each transaction that writes. Raises LeadershipLost if another leader has taken over."""

Take = Callable[[Sequence[str]], None]
"""Takes jobs, by their ids, in one transaction."""


class Slices:
    """Takes slices of jobs. If one job cannot be taken, that one is found and skipped, so that it holds up no other."""

    def __init__(self) -> None:
        self._failures = Repetition()

    def take(self, job_ids: Sequence[str], take: Take) -> None:
        """Raises LeadershipLost, StoreOutdated and StoreUnreachable."""
        try:
            take(job_ids)
        except (LeadershipLost, StoreOutdated, StoreUnreachable):
            raise
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one job concerns no other
            middle = len(job_ids) // 2
            if middle:
                self.take(job_ids[:middle], take)
                self.take(job_ids[middle:], take)
                return
            metrics.JOBS_SKIPPED.inc()
            if self._failures.is_due(f"{job_ids[0]}: {error}"):
                _log.exception("a job that is due cannot be taken; every pass tries again", job=job_ids[0])
