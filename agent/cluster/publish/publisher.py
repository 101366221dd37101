"""The publisher's thread: from the spool to the broker, and back to the event loop what is settled."""

import asyncio
import threading
from collections.abc import Callable, Collection, Sequence
from typing import Final

import structlog

from agent.broker.port import Broker, BrokerError
from agent.broker.publish.publisher import Publisher
from agent.broker.topics import events_topic
from agent.cluster.spool.spool import Spool
from agent.settings.cluster import Release
from agent.telemetry.repetition import Repetition

_log = structlog.get_logger(__name__)

_RETRY_SECONDS: Final = 1.0


class Publishing:
    """Publishes the spool from a thread of its own, from ``start`` to ``stop``. Call both on the event loop.

    Before the first event the topic is claimed for ``owner`` and ``subscriptions`` are made, so that no event is
    dropped. ``settled`` is called on the event loop with the uids of pods whose reports have all reached the broker.
    ``exclusive``: one process publishes for the cluster, between ``begin`` and ``pause``, and fences all others; else
    every process publishes from the start.
    """

    def __init__(
        self,
        broker: Broker,
        spool: Spool,
        *,
        cluster: str,
        owner: str,
        subscriptions: Sequence[str],
        settled: Callable[[frozenset[str]], None],
        exclusive: bool = True,
    ) -> None:
        self._broker = broker
        self._spool = spool
        self._owner = owner
        self._subscriptions = subscriptions
        self._settled = settled
        self._unprepared: str | None = None
        self._refusals = Repetition()
        self._acknowledged = asyncio.Event()
        self._exclusive = exclusive
        self._topic = events_topic(cluster)
        self._publisher = Publisher(broker, spool, topic=self._topic, source=f"agent/{cluster}", exclusive=exclusive)
        self._stop = threading.Event()
        self._may = threading.Event()
        self._pause = threading.Event()
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    def start(self) -> None:
        """Start the thread. If ``exclusive``, it publishes nothing before ``begin``."""
        loop = asyncio.get_running_loop()
        if not self._exclusive:
            self.begin()

        def settled(uids: frozenset[str]) -> None:
            loop.call_soon_threadsafe(self._on_settled, uids)

        self._spool.on_settled(settled)
        self._thread.start()

    def begin(self) -> None:
        """Publish from now on. A publisher that was fenced takes the topic back."""
        self._pause.clear()
        self._may.set()
        self._publisher.resume()

    def pause(self) -> None:
        """Publish nothing from now on. What the broker does not have stays in the spool."""
        self._may.clear()
        self._pause.set()
        self._acknowledged.set()  # ``flush`` must not wait for a broker that is no longer written to
        self.wake()

    def wake(self) -> None:
        """Say that there are new rows; otherwise they are found a moment later."""
        self._publisher.wake.set()

    def check(self) -> str | None:
        """What keeps it from publishing, for readiness."""
        if not self._may.is_set():
            return None
        return self._unprepared or self._publisher.check()

    def alive(self) -> str | None:
        """What only a restart can fix."""
        return None if self._thread.is_alive() else "the publisher's thread has ended"

    async def flush(self) -> None:
        """Wait until the broker has everything in the spool, or until publishing is paused."""
        self.wake()
        while self._may.is_set() and await asyncio.to_thread(self._has_waiting):
            await self._acknowledged.wait()
            self._acknowledged.clear()

    async def stop(self) -> None:
        """Stop the thread. What is not acknowledged stays in the spool."""
        self._stop.set()
        self.pause()
        self._may.set()  # lets the thread past its wait, so that it sees that it must stop
        await asyncio.to_thread(self._thread.join)

    def _on_settled(self, uids: frozenset[str]) -> None:
        self._acknowledged.set()
        self._settled(uids)

    def _run(self) -> None:
        while self._may.wait() and not self._stop.is_set():
            if self._prepare():
                self._publisher.run(self._pause)
            else:
                self._pause.wait(_RETRY_SECONDS)

    def _prepare(self) -> bool:
        try:
            self._broker.claim(self._topic, owner=self._owner)
            for name in self._subscriptions:
                self._broker.ensure_subscription(self._topic, name)
        except BrokerError as error:
            self._unprepared = str(error)
            if self._refusals.is_due(self._unprepared):
                _log.warning(
                    "the topic cannot be claimed or subscribed to yet, so nothing is published; will try again",
                    topic=self._topic,
                    error=self._unprepared,
                )
            return False
        self._unprepared = None
        self._refusals.over()
        return True

    def _has_waiting(self) -> bool:
        return self._spool.state().waiting > 0


class SafePods:
    """Which pods have all reports safe: with the broker, or, if the settings say so, in the spool."""

    def __init__(self, spool: Spool, release: Release) -> None:
        self._spool = spool
        self._release = release

    def __call__(self, uids: Collection[str]) -> Collection[str]:
        """Those of these pods that are safe. Every report of all of them must be spooled."""
        match self._release:
            case Release.PUBLISHED:
                return self._spool.settled(uids)
            case Release.SPOOLED:
                return uids
