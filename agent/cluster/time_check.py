"""Keeps the agent's clock by the API server's time, and reports how well it is known.

Most answers to the agent's own requests give the time. This asks for more where these are too few: before anything is
watched, while there is a doubt, and when nothing was heard for long.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Final, Protocol

import structlog

from agent.kube.connection import Connection
from agent.kube.date import DatedAnswer
from agent.kube.errors import ApiError, Unreachable
from agent.process.server_clock import MOST_ERROR, ServerClock
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)

_PATH: Final = "/api/v1/namespaces/kube-system"
"""What is asked for: the agent may read it, and it is small."""

_ANSWER_SECONDS: Final = 5.0
_FIRST_ASKED: Final = 10
"""How often the start asks before it goes on without the server's time."""

_RETRY_SECONDS: Final = 1.0
_DOUBTFUL_SECONDS: Final = 1.0
_QUIET_SECONDS: Final = 15.0
_UNHEARD_SECONDS: Final = 60.0
_LAGGING_SECONDS: Final = 60.0
"""How long the clock must be known to be wrong before a restart is asked for."""


class Mark(Protocol):
    """Notes on disk whether the clock is ``right``. May raise ``sqlite3.OperationalError``."""

    def __call__(self, *, right: bool) -> None: ...


def hear(clock: ServerClock, connection: Connection) -> None:
    """Set the clock by every answer on this connection from now on."""

    def heard(answer: DatedAnswer) -> None:
        clock.hear(sent=answer.sent, received=answer.received, date=answer.date)

    connection.on_date(heard)


async def settle(clock: ServerClock, connection: Connection) -> None:
    """Ask the server until its time is known, so that the clock starts there.

    Nothing must be observed before: what was counted by a wrong clock would be given up when the clock is set. A server
    whose answers have no time does not prevent the start; nothing is given up then.
    """
    for _ in range(_FIRST_ASKED):
        if clock.known:
            break
        if not await _asked(connection):
            await asyncio.sleep(_RETRY_SECONDS)
    measure(clock)
    _report_start(clock)


class TimeCheck:
    """Asks the server for its time, and reports doubts about the clock in log, metrics and health.

    ``mark`` is called when a doubt begins or ends.
    """

    def __init__(
        self,
        clock: ServerClock,
        connection: Connection,
        *,
        mark: Mark,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._connection = connection
        self._mark = mark
        self._monotonic = monotonic
        self._doubted: bool | None = None
        self._lags_since: float | None = None

    async def run(self) -> None:
        while True:
            if self._clock.doubt() is not None or self._clock.heard_ago() > _UNHEARD_SECONDS:
                await _asked(self._connection)
            await asyncio.to_thread(self.look)
            await asyncio.sleep(_QUIET_SECONDS if self._clock.doubt() is None else _DOUBTFUL_SECONDS)

    def look(self) -> None:
        """Bring the log and the mark up to date. Blocks: the mark is on disk."""
        if self._clock.lag() <= MOST_ERROR:
            self._lags_since = None
        elif self._lags_since is None:
            self._lags_since = self._monotonic()
        doubt = self._clock.doubt()
        if (doubt is not None) is self._doubted:
            return
        try:
            self._mark(right=doubt is None)
        except sqlite3.OperationalError as error:
            _log.warning("the state of the clock cannot be written to the spool; will try again", error=str(error))
            return
        self._doubted = doubt is not None
        _report(doubt)

    def check(self) -> str | None:
        """For readiness: why nothing is given up now."""
        doubt = self._clock.doubt()
        return None if doubt is None else f"no pod is given up: {doubt}"

    def alive(self) -> str | None:
        """For liveness: the clock is wrong, the server's time is known, and a new process starts there."""
        since = self._lags_since
        if since is None or self._monotonic() - since < _LAGGING_SECONDS:
            return None
        return f"the clock is {self._clock.lag():.0f} s off the API server's, whose time has changed; a restart sets it"


def measure(clock: ServerClock) -> None:
    """Bring the metrics of the clock up to date."""
    metrics.CLOCK_OFFSET_SECONDS.set(clock.system_offset().total_seconds())
    metrics.CLOCK_ERROR_SECONDS.set(clock.error())


async def _asked(connection: Connection) -> bool:
    """Whether the server answered."""
    try:
        await connection.get(_PATH, seconds=_ANSWER_SECONDS)
    except (ApiError, Unreachable) as error:
        _log.warning("the API server cannot be asked for its time; will try again", error=str(error))
        return False
    return True


def _report(doubt: str | None) -> None:
    if doubt is None:
        _log.info("the API server's time is known; pods that do not start are given up when it is time")
    else:
        _log.error("no pod is given up until the API server's time is known", why=doubt)


def _report_start(clock: ServerClock) -> None:
    if not clock.known:
        _log.warning("the API server's time is not known yet; the clock starts at this machine's time")
        return
    offset = clock.system_offset()
    if abs(offset) > timedelta(seconds=MOST_ERROR):
        _log.warning(
            "this machine's clock differs from the API server's; the agent goes by the API server's",
            seconds=round(offset.total_seconds()),
        )
