"""Our adapter in a namespace of a test's own, and what the broker has stored."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from agent.broker.connect import connect
from agent.broker.port import Broker, Delivery, SubscriptionKind
from agent.settings.pulsar import PulsarSettings
from tests.broker.contract import take
from tests.servers.pulsar_namespace import PulsarNamespace

IMPATIENT = PulsarSettings(operation_timeout=timedelta(seconds=3))
"""So that tests of what does not answer do not take long."""


@contextmanager
def opened(url: str, settings: PulsarSettings = IMPATIENT) -> Iterator[Broker]:
    """A broker, closed at the end."""
    broker = connect(url, settings)
    try:
        yield broker
    finally:
        broker.close()


def url_of(namespace: PulsarNamespace) -> str:
    return f"{namespace.broker.url}/{namespace.name}"


def stored(namespace: PulsarNamespace, topic: str, count: int, *, subscription: str = "s") -> list[str]:
    """The payloads of everything in a topic, of which there are to be ``count``: one more is a failure too."""
    with opened(url_of(namespace)) as broker:
        consumer = broker.subscribe([topic], name=subscription, kind=SubscriptionKind.FAILOVER, consumer="reading")
        got: Sequence[Delivery] = take(consumer, count)
        assert list(consumer.receive(at_most=10, timeout=0.5)) == []
        return [one.message.payload.decode() for one in got]
