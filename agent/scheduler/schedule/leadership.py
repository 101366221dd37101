"""One scheduler is the leader: it runs the passes and publishes the commands, until another one takes over."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from threading import Event
from typing import Final, Protocol

import structlog
from sqlalchemy import Connection

from agent.scheduler.consume.handler import Clock
from agent.scheduler.schedule.publishing import Publishing
from agent.scheduler.schedule.slices import Fence
from agent.store import leader, run_lists
from agent.store.errors import LeadershipLost, StoreError
from agent.store.store import Store
from agent.store.submitted import pending
from agent.telemetry import scheduler_metrics as metrics
from agent.telemetry.repetition import Repetition

_log = structlog.get_logger(__name__)

LASTS: Final = timedelta(seconds=5)
"""How long a leader that died keeps others from taking over."""

KEPT: Final = timedelta(days=7)
"""How long an event waits for its run to record a pod. That happens within seconds, or never."""

INCOMPLETE: Final = timedelta(minutes=10)
"""How long the pages of a list wait for the others."""


class Pass(Protocol):
    """Something that the leader does again and again."""

    def run(self, fence: Fence) -> None:
        """Do what is to be done now. Raises LeadershipLost, StoreError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duties:
    """What a leader does: ``passes``, in turn every ``interval`` seconds, and ``publishing``, made for each epoch."""

    passes: Sequence[Pass]
    publishing: Callable[[int], Publishing]
    interval: Callable[[], float]


class Leadership:
    """Becomes the leader when there is none, in one thread, until asked to stop.

    The row of the leader (``agent.store.leader``) is locked and compared in every transaction of its duties, so that a
    leader that was replaced while it slept changes nothing and sends nothing new.
    """

    def __init__(self, store: Store, *, holder: str, clock: Clock, duties: Duties, lasts: timedelta = LASTS) -> None:
        self._store = store
        self._holder = holder
        self._clock = clock
        self._duties = duties
        self._lasts = lasts
        self._often = lasts.total_seconds() / 3
        self._stayed = 0.0
        self._failures = Repetition()
        self._publishing: Publishing | None = None
        self._problem: str | None = "no pass has been run yet"

    def run(self, stop: Event) -> None:
        """Lead, or be a standby, until ``stop`` is set."""
        while not stop.is_set():
            try:
                epoch = self._take()
                self._problem = None
            except StoreError as error:
                self._failed("the leader cannot be found out; asking again", error)
                epoch = None
            if epoch is None:
                stop.wait(self._often)
            else:
                self._lead(epoch, stop)

    def publish(self) -> None:
        """Publish now what others wrote to the outbox, such as consumers, if this one leads."""
        publishing = self._publishing
        if publishing is not None:
            publishing.wake()

    def check(self) -> str | None:
        """``None`` while passes are run and commands published, or on a standby; else what is wrong."""
        publishing = self._publishing
        return self._problem or (None if publishing is None else publishing.check())

    def _take(self) -> int | None:
        with self._store.write() as connection:
            return leader.take(connection, self._holder, now=self._clock(connection), lasts=self._lasts)

    def _lead(self, epoch: int, stop: Event) -> None:
        _log.info("this scheduler is the leader now", epoch=epoch)
        metrics.LEADER.set(1)
        self._stayed = time.monotonic()
        self._publishing = publishing = self._duties.publishing(epoch)
        try:
            while not stop.is_set():
                began = time.monotonic()
                self._round(epoch, publishing)
                # A long pass is followed by a pause as long, so that consumers get their turn in the store.
                stop.wait(max(self._duties.interval(), time.monotonic() - began))
        except LeadershipLost as lost:
            _log.warning("another scheduler is the leader now; this one is a standby", why=str(lost))
        finally:
            self._publishing = None
            publishing.close()
            metrics.LEADER.set(0)
            metrics.SILENT_CLUSTERS.set(0)
            metrics.GAPS.set(0)
            metrics.ORPHANS.clear()
            self._release(epoch)

    def _round(self, epoch: int, publishing: Publishing) -> None:
        try:
            if time.monotonic() - self._stayed >= self._often:
                self._stay(epoch)
            publishing.follow()
            for duty in self._duties.passes:
                duty.run(lambda connection: self._renew(connection, epoch))
            self._problem = None
            self._failures.over()
        except LeadershipLost:
            raise
        except Exception as error:  # noqa: BLE001 - what was committed stays; the next pass may work
            self._failed("a pass failed; the next one tries again", error)
        publishing.wake()

    def _stay(self, epoch: int) -> None:
        with self._store.write() as connection:
            self._renew(connection, epoch)
            now = self._clock(connection)
            dropped = pending.drop(connection, before=now - KEPT)
            run_lists.drop_incomplete(connection, before=now - INCOMPLETE)
        self._stayed = time.monotonic()
        if dropped:
            _log.warning("events of pods that no run recorded were dropped", events=dropped, after=str(KEPT))

    def _renew(self, connection: Connection, epoch: int) -> None:
        leader.renew(connection, epoch, now=self._clock(connection), lasts=self._lasts)

    def _release(self, epoch: int) -> None:
        """Make room at once. If the store does not answer, others wait until the leader's time is over."""
        try:
            with self._store.write() as connection:
                leader.release(connection, epoch, now=self._clock(connection))
        except LeadershipLost:
            pass  # another one is the leader already
        except StoreError as error:
            _log.warning("the leader's place could not be released; it is free after a time", error=str(error))

    def _failed(self, what: str, error: Exception) -> None:
        self._problem = f"{type(error).__name__}: {error}"
        if not self._failures.is_due(self._problem):
            return
        if isinstance(error, StoreError):
            _log.warning(what, error=self._problem)
        else:
            _log.error(what, exc_info=error)
