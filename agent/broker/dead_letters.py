"""How a message becomes a dead letter, and a dead letter the original message again; the same for every broker."""

from dataclasses import dataclass, replace
from typing import Final

from agent.broker.port import Delivery, Message
from agent.broker.topics import original_topic

DEAD_LETTER_ERROR: Final = "dead-letter-error"
DEAD_LETTER_TOPIC: Final = "dead-letter-topic"
DEAD_LETTER_PRODUCER: Final = "dead-letter-producer"
DEAD_LETTER_SUBSCRIPTION: Final = "dead-letter-subscription"
"""Properties that a dead letter has in addition to its own: the error, and the origin of the message."""

_MARKS: Final = frozenset({DEAD_LETTER_ERROR, DEAD_LETTER_PRODUCER, DEAD_LETTER_SUBSCRIPTION, DEAD_LETTER_TOPIC})
_LONGEST_ERROR: Final = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterOrigin:
    """Why a message became a dead letter: the error, its topic, the subscription that failed, and its producer."""

    error: str
    topic: str
    subscription: str
    producer: str


def as_dead_letter(delivery: Delivery, *, subscription: str, error: str) -> Message:
    """The message for the dead-letter topic: original key, bytes, properties and event time, and where it came from.

    The error is cut to 4,000 characters. Lone surrogates in it are escaped: it may quote a hostile message.
    """
    marks = {
        DEAD_LETTER_ERROR: _sendable(error),
        DEAD_LETTER_TOPIC: original_topic(delivery.topic, subscription),
        DEAD_LETTER_SUBSCRIPTION: subscription,
        DEAD_LETTER_PRODUCER: delivery.producer,
    }
    return replace(delivery.message, properties={**delivery.message.properties, **marks})


def origin_of(message: Message) -> DeadLetterOrigin | None:
    """Where a dead letter came from; ``None`` if a property is missing, because another program put it there."""
    marks = message.properties
    if not marks.keys() >= _MARKS:
        return None
    return DeadLetterOrigin(
        error=marks[DEAD_LETTER_ERROR],
        topic=marks[DEAD_LETTER_TOPIC],
        subscription=marks[DEAD_LETTER_SUBSCRIPTION],
        producer=marks[DEAD_LETTER_PRODUCER],
    )


def original_message(message: Message) -> Message:
    """The message as it was first sent."""
    return replace(message, properties={name: text for name, text in message.properties.items() if name not in _MARKS})


def _sendable(error: str) -> str:
    return error.encode("utf-8", "backslashreplace").decode("utf-8")[:_LONGEST_ERROR]
