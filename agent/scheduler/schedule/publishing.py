"""The publishers of one term of the leader: one thread for each topic with commands, and one for job events."""

from threading import Event, Thread

from agent.broker.port import Broker
from agent.broker.publish.publisher import Publisher
from agent.broker.topics import commands_topic
from agent.scheduler.schedule.outbox import StoreOutbox
from agent.store import clusters, outbox
from agent.store.store import Store

SOURCE = "scheduler"


class Publishing:
    """Publishes the outbox of the store from when a topic is known until the term ends."""

    def __init__(self, store: Store, broker: Broker, *, epoch: int) -> None:
        self._store = store
        self._broker = broker
        self._epoch = epoch
        self._stop = Event()
        self._publishers: dict[str, Publisher] = {}
        self._threads: list[Thread] = []

    def follow(self) -> None:
        """Begin to publish to topics that are new: of clusters that take runs, or with messages. Raises StoreError.

        Call it as the leader. A producer that was fenced is opened again: an earlier leader had opened it late.
        """
        with self._store.read() as connection:
            offering = [cluster for cluster in clusters.everything(connection) if cluster.runs is not None]
            topics = {commands_topic(cluster.name) for cluster in offering} | outbox.topics(connection)
        for topic in sorted(topics - self._publishers.keys()):
            self._begin(topic)
        for publisher in self._publishers.values():
            if publisher.state.fenced:
                publisher.resume()

    def wake(self) -> None:
        """Publish now what was written."""
        for publisher in self._publishers.values():
            publisher.wake.set()

    def check(self) -> str | None:
        """``None`` while every topic is published to, else what is wrong."""
        problems = (publisher.check() for publisher in list(self._publishers.values()))
        return next((problem for problem in problems if problem is not None), None)

    def close(self) -> None:
        """Wait for what is in flight; the rest stays in the store."""
        self._stop.set()
        self.wake()
        for thread in self._threads:
            thread.join()

    def _begin(self, topic: str) -> None:
        publisher = Publisher(
            self._broker, StoreOutbox(self._store, topic=topic, epoch=self._epoch), topic=topic, source=SOURCE
        )
        thread = Thread(target=publisher.run, args=(self._stop,), name=f"publish {topic}", daemon=True)
        self._publishers[topic] = publisher
        self._threads.append(thread)
        thread.start()
