"""The time by which the scheduler decides: the database's, because the times it compares with were written by it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import Connection, func, select

from agent.process.clock import system_time
from agent.telemetry import scheduler_metrics as metrics

_log = structlog.get_logger(__name__)

_LOGGED_OFFSET: Final = timedelta(seconds=5)
"""An offset of this machine's clock that is logged."""

_POSTGRES: Final = "postgresql"


class StoreClock:
    """The database's time on Postgres, read within the transaction: all schedulers decide by one clock.

    On SQLite there is nothing to compare with: this machine's.
    """

    def __init__(self, *, system: Callable[[], datetime] = system_time) -> None:
        self._system = system
        self._differs = False

    def __call__(self, connection: Connection) -> datetime:
        """In UTC. Not the time of the transaction's begin: it may have waited for a lock since."""
        before = self._system()
        if connection.dialect.name != _POSTGRES:
            return before
        now: datetime = connection.execute(select(func.clock_timestamp())).scalar_one().astimezone(UTC)
        self._report(before - now)
        return now

    def _report(self, offset: timedelta) -> None:
        metrics.CLOCK_OFFSET_SECONDS.set(offset.total_seconds())
        differs = abs(offset) >= _LOGGED_OFFSET
        if differs and not self._differs:
            _log.warning(
                "this machine's clock differs from the database's; the scheduler goes by the database's",
                seconds=round(offset.total_seconds()),
            )
        self._differs = differs


def report_source(dialect: str) -> None:
    """Log by which clock decisions are made."""
    if dialect != _POSTGRES:
        _log.info("decisions go by this machine's clock: the store is a file, so there is no other to compare it with")
