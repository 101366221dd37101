"""Sends dead letters to the replay topic of the subscription that could not handle them."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.broker.dead_letters import origin_of, original_message
from agent.broker.port import Broker, BrokerError, DeadLetter, Producer, SendOutcome
from agent.broker.topics import replay_topic

_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """Dead letters whose copy the broker has acknowledged, and the others, each with the reason."""

    sent: Sequence[DeadLetter]
    left: Sequence[tuple[DeadLetter, str]]


class Replayer:
    """Sends dead letters to their replay topics. Sending one twice is harmless: consumers skip known messages."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._name = f"failctl/{uuid.uuid4().hex}"
        self._producers: dict[str, Producer] = {}
        self._sequence = 0

    def send(self, dead_letters: Sequence[DeadLetter]) -> ReplayResult:
        """Send the original messages, and wait until the broker has answered for each. Raises BrokerError."""
        failures: dict[str, str] = {}
        for dead_letter in dead_letters:
            self._send(dead_letter, failures)
        for producer in self._producers.values():
            producer.flush(_PATIENCE_SECONDS)
        return ReplayResult(
            sent=[dead_letter for dead_letter in dead_letters if dead_letter.id not in failures],
            left=[
                (dead_letter, failures[dead_letter.id]) for dead_letter in dead_letters if dead_letter.id in failures
            ],
        )

    def close(self) -> None:
        for producer in self._producers.values():
            producer.close()

    def _send(self, dead_letter: DeadLetter, failures: dict[str, str]) -> None:
        origin = origin_of(dead_letter.delivery.message)
        if origin is None:
            failures[dead_letter.id] = "it does not name the topic and subscription it came from"
            return
        self._sequence += 1
        # The failure in case the broker never answers; ``_recorder`` removes or replaces it when it does.
        failures[dead_letter.id] = f"the broker did not acknowledge it within {_PATIENCE_SECONDS:g} s"
        producer = self._producer(replay_topic(origin.topic, origin.subscription), origin.subscription)
        message = original_message(dead_letter.delivery.message)
        producer.send(message, sequence_id=self._sequence, done=_recorder(dead_letter.id, failures))

    def _producer(self, place: str, subscription: str) -> Producer:
        if place not in self._producers:
            self._broker.ensure_subscription(place, subscription)
            self._producers[place] = self._broker.producer(place, name=self._name)
        return self._producers[place]


def _recorder(dead_letter: str, failures: dict[str, str]) -> Callable[[SendOutcome | BrokerError], None]:
    def done(result: SendOutcome | BrokerError) -> None:
        if isinstance(result, BrokerError):
            failures[dead_letter] = str(result)
        else:
            del failures[dead_letter]

    return done
