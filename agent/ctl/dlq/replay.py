"""Dead letters on their way to be handled again, by the subscription that could not."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.broker.dead_letters import origin_of, original_message
from agent.broker.port import Broker, BrokerError, DeadLetter, Producer, SendOutcome
from agent.broker.topics import replay_topic

_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Letters that the broker has where they are handled again, and those it has not, with why."""

    sent: Sequence[DeadLetter]
    left: Sequence[tuple[DeadLetter, str]]


class Replaying:
    """Sends letters to where they are handled again. Twice is the same as once to those who handle them."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._name = f"failctl/{uuid.uuid4().hex}"
        self._producers: dict[str, Producer] = {}
        self._sequence = 0

    def send(self, letters: Sequence[DeadLetter]) -> Ended:
        """Send letters as the messages they were, and wait until each has ended. Raises BrokerError."""
        results: dict[str, str] = {}
        for letter in letters:
            self._send(letter, results)
        for producer in self._producers.values():
            producer.flush(_PATIENCE_SECONDS)
        return Ended(
            sent=[one for one in letters if one.id not in results],
            left=[(one, results[one.id]) for one in letters if one.id in results],
        )

    def close(self) -> None:
        """Close what was opened."""
        for producer in self._producers.values():
            producer.close()

    def _send(self, letter: DeadLetter, refused: dict[str, str]) -> None:
        found = origin_of(letter.delivery.message)
        if found is None:
            refused[letter.id] = "it does not say where it came from"
            return
        self._sequence += 1
        refused[letter.id] = "the broker did not say that it has it"
        producer = self._producer(replay_topic(found.topic, found.subscription), found.subscription)
        message = original_message(letter.delivery.message)
        producer.send(message, sequence_id=self._sequence, done=_remember(letter.id, refused))

    def _producer(self, place: str, subscription: str) -> Producer:
        if place not in self._producers:
            self._broker.ensure_subscription(place, subscription)
            self._producers[place] = self._broker.producer(place, name=self._name)
        return self._producers[place]


def _remember(letter: str, refused: dict[str, str]) -> Callable[[SendOutcome | BrokerError], None]:
    def done(result: SendOutcome | BrokerError) -> None:
        if isinstance(result, BrokerError):
            refused[letter] = str(result)
        else:
            del refused[letter]

    return done
