"""When messages are deleted: a while after every subscription acknowledged them, or if nobody subscribed, by age."""

import sqlite3
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from agent.broker.topics import DEAD_LETTER_SUFFIX

_AT_MOST: Final = 1000
"""Messages deleted in one transaction: it holds the write lock of the whole log."""

_ACKNOWLEDGED: Final = """
    SELECT m.id FROM message m WHERE m.published_us < :before
    AND EXISTS (SELECT 1 FROM subscription s WHERE s.topic = m.topic)
    AND NOT EXISTS (SELECT 1 FROM pending p WHERE p.message = m.id) ORDER BY m.published_us LIMIT :at_most"""
_UNSUBSCRIBED: Final = """
    SELECT m.id FROM message m WHERE m.published_us < :before
    AND NOT EXISTS (SELECT 1 FROM subscription s WHERE s.topic = m.topic)
    AND EXISTS (SELECT 1 FROM topic t WHERE t.id = m.topic AND t.name NOT LIKE :dead_letters)
    ORDER BY m.published_us LIMIT :at_most"""
_ANY: Final = "SELECT m.id FROM message m WHERE m.published_us < :before ORDER BY m.published_us LIMIT :at_most"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long messages are kept after they were published; ``None`` means forever.

    ``acknowledged``: by every subscription of their topic. ``unsubscribed``: in topics without a subscription, such as
    heartbeats, except dead letters. ``any``: whatever their state; this deletes messages that nobody has read.
    """

    acknowledged: timedelta | None = timedelta(hours=1)
    unsubscribed: timedelta | None = timedelta(days=1)
    any: timedelta | None = None


def trim(connection: sqlite3.Connection, retention: Retention, *, now_us: int) -> int:
    """Delete some of what need not be kept, inside a transaction; return how many messages, 0 when none is left."""
    ages = (
        (_ACKNOWLEDGED, retention.acknowledged),
        (_UNSUBSCRIBED, retention.unsubscribed),
        (_ANY, retention.any),
    )
    return sum(
        _drop(connection, query, before_us=now_us - age // timedelta(microseconds=1))
        for query, age in ages
        if age is not None
    )


def _drop(connection: sqlite3.Connection, query: str, *, before_us: int) -> int:
    given = {"before": before_us, "at_most": _AT_MOST, "dead_letters": f"%{DEAD_LETTER_SUFFIX}"}
    messages = connection.execute(query, given).fetchall()
    connection.executemany("DELETE FROM pending WHERE message = ?", messages)
    connection.executemany("DELETE FROM message WHERE id = ?", messages)
    return len(messages)
