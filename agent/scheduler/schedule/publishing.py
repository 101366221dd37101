"""The publishers of one term of the leader: one thread for each topic with commands, and one for job events."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread
from typing import Final

from agent.broker.port import Broker
from agent.broker.publish.publisher import Publisher
from agent.broker.topics import commands_topic
from agent.scheduler.schedule.outbox import StoreOutbox
from agent.store import clusters, outbox
from agent.store.store import Store

SOURCE = "scheduler"
OPENING_SECONDS: Final = 10.0
"""How long the producer of a new topic may take to open before the scheduler is not ready."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Topic:
    """The publisher of a topic, and when it began, in seconds of the clock."""

    publisher: Publisher
    began: float

    def check(self, now: float) -> str | None:
        """``None`` also while a new one opens: topics come while the scheduler runs, and nothing waits for that yet."""
        state = self.publisher.state
        opens = not (state.connected or state.fenced or state.last_error)
        return None if opens and now - self.began < OPENING_SECONDS else self.publisher.check()


class Publishing:
    """Publishes the outbox of the store from when a topic is known until the term ends."""

    def __init__(
        self, store: Store, broker: Broker, *, epoch: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._broker = broker
        self._epoch = epoch
        self._clock = clock
        self._stop = Event()
        self._topics: dict[str, _Topic] = {}
        self._threads: list[Thread] = []

    def follow(self) -> None:
        """Begin to publish to topics that are new: of clusters that take runs, or with messages. Raises StoreError.

        Call it as the leader. A producer that was fenced is opened again: an earlier leader had opened it late.
        """
        with self._store.read() as connection:
            offering = [cluster for cluster in clusters.everything(connection) if cluster.runs is not None]
            topics = {commands_topic(cluster.name) for cluster in offering} | outbox.topics(connection)
        for name in sorted(topics - self._topics.keys()):
            self._begin(name)
        for topic in self._topics.values():
            if topic.publisher.state.fenced:
                topic.publisher.resume()

    def wake(self) -> None:
        """Publish now what was written."""
        for topic in self._topics.values():
            topic.publisher.wake.set()

    def check(self) -> str | None:
        """``None`` while every topic is published to, else what is wrong."""
        now = self._clock()
        problems = (topic.check(now) for topic in list(self._topics.values()))
        return next((problem for problem in problems if problem is not None), None)

    def close(self) -> None:
        """Wait for what is in flight; the rest stays in the store."""
        self._stop.set()
        self.wake()
        for thread in self._threads:
            thread.join()

    def _begin(self, name: str) -> None:
        rows = StoreOutbox(self._store, topic=name, epoch=self._epoch)
        publisher = Publisher(self._broker, rows, topic=name, source=SOURCE)
        thread = Thread(target=publisher.run, args=(self._stop,), name=f"publish {name}", daemon=True)
        self._topics[name] = _Topic(publisher=publisher, began=self._clock())
        self._threads.append(thread)
        thread.start()
