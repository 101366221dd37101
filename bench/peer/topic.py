"""A topic, filled before a scheduler or a Lookout consumes it."""

from collections.abc import Iterable
from contextlib import closing
from typing import Final

from agent.broker.connect import connect
from agent.broker.port import BrokerError, Message, SendOutcome
from agent.broker.topics import events_topic
from agent.scheduler.consume.handler import SUBSCRIPTION

TOPIC: Final = events_topic("bench")
_PATIENCE_SECONDS: Final = 300.0


def publish(url: str, messages: Iterable[Message], *, topic: str = TOPIC, subscription: str = SUBSCRIPTION) -> None:
    """Put messages into a topic, and wait for the broker to have them. Raises BrokerError."""
    ended: list[SendOutcome | BrokerError] = []
    with closing(connect(url)) as broker:
        broker.ensure_subscription(topic, subscription)
        producer = broker.producer(topic, name="agent/bench", exclusive=True)
        for number, message in enumerate(messages, start=1):
            producer.send(message, sequence_id=number, done=ended.append)
        producer.flush(_PATIENCE_SECONDS)
        producer.close()
    wrong = [outcome for outcome in ended if outcome is not SendOutcome.STORED]
    if wrong:
        raise BrokerError(f"{len(wrong)} messages were not stored, the first: {wrong[0]}")
