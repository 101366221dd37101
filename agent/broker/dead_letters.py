"""How a message becomes a dead letter, and a dead letter the message it was: the same under every broker."""

from dataclasses import dataclass, replace
from typing import Final

from agent.broker.port import Delivery, Message
from agent.broker.topics import original_topic

DEAD_LETTER_ERROR = "dead-letter-error"


DEAD_LETTER_TOPIC = "dead-letter-topic"


DEAD_LETTER_PRODUCER = "dead-letter-producer"


DEAD_LETTER_SUBSCRIPTION = "dead-letter-subscription"
"""Properties that a dead letter has beside its own: why it is dead, where it came from, who sent it, whose it was."""


_MARKS: Final = frozenset({DEAD_LETTER_ERROR, DEAD_LETTER_PRODUCER, DEAD_LETTER_SUBSCRIPTION, DEAD_LETTER_TOPIC})
_LONGEST_ERROR: Final = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterOrigin:
    """Why a letter is dead, where it came from, whose it was to handle, and who sent it."""

    error: str
    topic: str
    subscription: str
    producer: str


def as_dead_letter(delivery: Delivery, *, subscription: str, error: str) -> Message:
    """What is sent to the dead letters: original key, bytes, properties and event time, and the marks of a burial.

    The error is cut to 4,000 characters, and what no encoding takes is escaped: it may quote the message.
    """
    marks = {
        DEAD_LETTER_ERROR: _sendable(error),
        DEAD_LETTER_TOPIC: original_topic(delivery.topic, subscription),
        DEAD_LETTER_SUBSCRIPTION: subscription,
        DEAD_LETTER_PRODUCER: delivery.producer,
    }
    return replace(delivery.message, properties={**delivery.message.properties, **marks})


def origin_of(message: Message) -> DeadLetterOrigin | None:
    """What the marks of a dead letter say; ``None`` where they are not all there: it was put there by somebody else."""
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
    """The message as it was before it was buried."""
    return replace(message, properties={name: text for name, text in message.properties.items() if name not in _MARKS})


def _sendable(error: str) -> str:
    return error.encode("utf-8", "backslashreplace").decode("utf-8")[:_LONGEST_ERROR]
