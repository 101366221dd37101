"""The keys of dead letters in Pulsar, read a part at a time and without a subscription."""

import time
from collections.abc import Callable
from contextlib import closing
from typing import Final

import pulsar

from agent.broker.port import BrokerError
from agent.broker.pulsar.dead_letters import is_marker
from agent.broker.pulsar.errors import translated
from agent.broker.pulsar.positions import Position, PulsarAcknowledged

_SECONDS: Final = 1.0
"""How long one look reads: the caller has more to do, and dead letters may be many and large."""


class DeadLetterKeys:
    """The keys of the dead letters in one topic. Each look goes on where the last one ended.

    ``open_reader`` opens a reader behind a position. It has no subscription, so ``failctl`` can read at the same time.
    """

    def __init__(self, open_reader: Callable[[Position], pulsar.Reader], *, patience: float) -> None:
        self._open_reader = open_reader
        self._patience_ms = round(patience * 1000)
        self._keys: dict[Position, str] = {}
        self._read = Position(-1, -1)

    def look(self, dropped: PulsarAcknowledged) -> frozenset[str]:
        """Those that are not dropped. Raises BrokerError if there is more to read than one look can."""
        if not dropped.everything():
            self._read_on(dropped)
        self._keys = {position: key for position, key in self._keys.items() if not dropped.has(position)}
        return frozenset(self._keys.values())

    def _read_on(self, dropped: PulsarAcknowledged) -> None:
        until = time.monotonic() + _SECONDS
        with (
            translated("reading the keys of dead letters"),
            closing(self._open_reader(max(dropped.mark, self._read))) as reader,
        ):
            while reader.has_message_available():
                received = reader.read_next(timeout_millis=self._patience_ms)
                self._read = Position.of(received.message_id())
                if not is_marker(received):
                    self._keys[self._read] = received.partition_key()
                if time.monotonic() >= until:
                    raise BrokerError("there are many dead letters; the next look reads on")
