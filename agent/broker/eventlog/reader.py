"""Messages of a topic in order, whoever consumes them: no row of the log says that somebody reads."""

from collections.abc import Sequence
from contextlib import closing
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
    """Fits ``agent.broker.port.TopicReader``. Between two calls it holds nothing: there may be one for each topic."""

    def __init__(self, database: Database, topic: str, *, since: datetime | None = None) -> None:
        self._database = database
        self._topic = topic
        self._since_us = 0 if since is None else microseconds(since)
        self._last = 0

    def read(self, *, at_most: int) -> Sequence[Delivery]:
        given = (self._topic, self._last, self._since_us, at_most)
        with translated(self._database.path), closing(self._database.connect(durable=False)) as connection:
            rows: list[_Row] = connection.execute(_NEXT, given).fetchall()
        if rows:
            self._last = rows[-1][0]
        return [self._delivery(row) for row in rows]

    def close(self) -> None:
        """Nothing to do: no connection is kept between calls."""

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
