"""Messages of a topic in order, whoever consumes them: Pulsar drops a reader's place when its connection ends."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

import pulsar

from agent.broker.port import Delivery
from agent.broker.pulsar.address import Names
from agent.broker.pulsar.content import delivery_of, milliseconds
from agent.broker.pulsar.errors import translated


class PulsarTopicReader:
    """Fits ``agent.broker.port.TopicReader``. ``patience``: seconds to wait for a message that the topic has.

    Pulsar finds the place of a time by halves, as if the clocks of all producers went alike; what it then gives from
    before that time is left out.
    """

    def __init__(self, reader: pulsar.Reader, names: Names, *, since: datetime | None, patience: float) -> None:
        self._reader = reader
        self._names = names
        self._since = since
        self._patience_ms = round(patience * 1000)
        self._doing = f"reading {names.short(reader.topic())}"
        if since is not None:
            with translated(self._doing):
                reader.seek(milliseconds(since))

    def read(self, *, at_most: int) -> Sequence[Delivery]:
        with translated(self._doing):
            wanted = (given for given in self._rest() if self._since is None or given.published_at >= self._since)
            return list(islice(wanted, at_most))

    def close(self) -> None:
        with translated(self._doing):
            self._reader.close()

    def _rest(self) -> Iterator[Delivery]:
        while self._reader.has_message_available():
            yield delivery_of(self._reader.read_next(timeout_millis=self._patience_ms), self._names)


class NoMessages:
    """The messages of a topic that does not exist."""

    def read(self, *, at_most: int) -> Sequence[Delivery]:
        del at_most
        return ()

    def close(self) -> None: ...
