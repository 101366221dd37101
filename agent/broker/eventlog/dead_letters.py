"""The dead letters of an event log: the messages of a topic, read without consuming them."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

from agent.broker.eventlog.database import Database
from agent.broker.eventlog.reader import LogReader
from agent.broker.port import DeadLetter

_PAGE: Final = 100
_DELETE: Final = (
    """DELETE FROM pending WHERE message IN
       (SELECT id FROM message WHERE id = ? AND topic = (SELECT id FROM topic WHERE name = ?))""",
    "DELETE FROM message WHERE id = ? AND topic = (SELECT id FROM topic WHERE name = ?)",
)


class LogDeadLetters:
    """Fits ``agent.broker.port.DeadLetters``. Several readers are fine: dropping one twice has the effect of once."""

    def __init__(self, database: Database, topic: str) -> None:
        self._database = database
        self._topic = topic

    def read(self) -> Iterator[DeadLetter]:
        """Every dead letter, oldest first, read a page at a time."""
        with closing(LogReader(self._database, self._topic)) as reader:
            while page := reader.read(at_most=_PAGE):
                for delivery in page:
                    yield DeadLetter(id=delivery.position, delivery=delivery)

    def drop(self, dead_letters: Sequence[DeadLetter]) -> None:
        rows = [(dead_letter.id, self._topic) for dead_letter in dead_letters]
        with (
            closing(self._database.connect(durable=True)) as connection,
            self._database.transaction(connection),
        ):
            for statement in _DELETE:
                connection.executemany(statement, rows)

    def close(self) -> None:
        """Nothing to do: no connection is kept between calls."""
