"""The dead letters of an event log: the messages of a topic, read without consuming them."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

from agent.broker.eventlog.database import Database, moment, translated
from agent.broker.port import DeadLetter, Delivery, Message
from agent.json_reader.reader import read_value

_PAGE: Final = 100

_NEXT: Final = """
    SELECT m.id, m.key, m.payload, m.properties, m.event_us, m.producer, m.published_us
    FROM message m JOIN topic t ON t.id = m.topic WHERE t.name = ? AND m.id > ? ORDER BY m.id LIMIT ?"""
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
        last = 0
        while rows := self._after(last):
            for row in rows:
                last = row[0]
                yield self._dead_letter(row)

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

    def _after(self, last: int) -> Sequence[tuple[int, str, bytes, str, int | None, str, int]]:
        with translated(self._database.path), closing(self._database.connect(durable=False)) as connection:
            return connection.execute(_NEXT, (self._topic, last, _PAGE)).fetchall()

    def _dead_letter(self, row: tuple[int, str, bytes, str, int | None, str, int]) -> DeadLetter:
        number, key, payload, properties, event_us, producer, published_us = row
        event_time = None if event_us is None else moment(event_us)
        return DeadLetter(
            id=str(number),
            delivery=Delivery(
                topic=self._topic,
                message=Message(
                    key=key, payload=payload, properties=read_value(properties.encode()), event_time=event_time
                ),
                producer=producer,
                published_at=moment(published_us),
                redeliveries=0,
                position=str(number),
                token=number,
            ),
        )
