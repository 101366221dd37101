"""Messages of a topic in order, whoever consumes them: no row of the log says that somebody reads."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from agent.broker.eventlog.database import Database, microseconds, moment, translated
from agent.broker.port import Delivery, Message
from agent.json_reader.reader import read_value

_NEXT: Final = """
    SELECT m.id, m.key, m.payload, m.properties, m.event_us, m.producer, m.published_us
    FROM message m JOIN topic t ON t.id = m.topic
    WHERE t.name = ? AND m.id > ? AND m.published_us >= ? ORDER BY m.id LIMIT ?"""

_Row = tuple[int, str, bytes, str, int | None, str, int]


class LogReader:
    """Fits ``agent.broker.port.TopicReader``. Between two calls it holds no lock and no snapshot of the log."""

    def __init__(self, database: Database, topic: str, *, since: datetime | None = None) -> None:
        self._database = database
        self._topic = topic
        self._since_us = 0 if since is None else microseconds(since)
        self._last = 0
        self._connection = database.connect(durable=False)

    def read(self, *, at_most: int) -> Sequence[Delivery]:
        self._database.check()
        with translated(self._database.path):
            rows = self._rows(at_most)
        if rows:
            self._last = rows[-1][0]
        return [self._delivery(row) for row in rows]

    def close(self) -> None:
        self._connection.close()

    def _rows(self, at_most: int) -> list[_Row]:
        given = (self._topic, self._last, self._since_us, at_most)
        rows: sqlite3.Cursor = self._connection.execute(_NEXT, given)
        return rows.fetchall()

    def _delivery(self, row: _Row) -> Delivery:
        number, key, payload, properties, event_us, producer, published_us = row
        event_time = None if event_us is None else moment(event_us)
        return Delivery(
            topic=self._topic,
            message=Message(
                key=key, payload=payload, properties=read_value(properties.encode()), event_time=event_time
            ),
            producer=producer,
            published_at=moment(published_us),
            redeliveries=0,
            position=str(number),
            token=number,
        )
