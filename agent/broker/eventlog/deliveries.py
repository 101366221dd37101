"""Which messages a consumer may be given now. ``ready`` only reads; the others need a transaction.

Messages of a key are delivered in order: none while another consumer holds one of that key, and none after one that
waits to be delivered again (the port asks for less).
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from agent.broker.eventlog.database import MAX_AHEAD_US, moment
from agent.broker.port import Delivery, Message
from agent.json_reader.reader import read_value


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryToken:
    """Identifies a delivery: rows of ``subscription`` and ``message``."""

    subscription: int
    message: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryQuery:
    """What a consumer asks for: messages of one subscription in its slots; ``None`` means all slots."""

    subscription: int
    consumer: int
    slots: frozenset[int] | None
    now_us: int


def ready(connection: sqlite3.Connection, query: DeliveryQuery, *, at_most: int) -> Sequence[int]:
    """Ids of messages that may be delivered now, lowest first."""
    held = _keys_held_by_others(connection, query)
    delayed = _delayed_keys(connection, query)
    found: list[int] = []
    for message, key in _waiting(connection, query):
        if key not in held and message < delayed.get(key, message + 1):
            found.append(message)
            if len(found) == at_most:
                break
    return found


def hand_out(connection: sqlite3.Connection, query: DeliveryQuery, messages: Sequence[int]) -> None:
    """Assign these messages to the consumer."""
    connection.executemany(
        "UPDATE pending SET consumer = ?, visible_us = 0 WHERE subscription = ? AND message = ?",
        [(query.consumer, query.subscription, message) for message in messages],
    )


def read(connection: sqlite3.Connection, topic: str, token: DeliveryToken) -> Delivery:
    row = connection.execute(
        """SELECT m.key, m.payload, m.properties, m.event_us, m.producer, m.published_us, p.redeliveries
           FROM message m JOIN pending p ON p.message = m.id AND p.subscription = ? WHERE m.id = ?""",
        (token.subscription, token.message),
    ).fetchone()
    return Delivery(
        topic=topic,
        message=Message(
            key=row[0], payload=row[1], properties=read_value(row[2].encode()), event_time=_moment_or_none(row[3])
        ),
        producer=row[4],
        published_at=moment(row[5]),
        redeliveries=row[6],
        position=str(token.message),
        token=token,
    )


def acknowledge(connection: sqlite3.Connection, token: DeliveryToken) -> bool:
    """Delete what is pending for this message; false if it was acknowledged before."""
    return (
        connection.execute(
            "DELETE FROM pending WHERE subscription = ? AND message = ?", (token.subscription, token.message)
        ).rowcount
        == 1
    )


def give_back(connection: sqlite3.Connection, token: DeliveryToken, *, consumer: int, visible_us: int) -> None:
    """Release a message that this consumer holds; it is delivered again from ``visible_us`` on."""
    connection.execute(
        """UPDATE pending SET consumer = NULL, redeliveries = redeliveries + 1, visible_us = ?
           WHERE subscription = ? AND message = ? AND consumer = ?""",
        (visible_us, token.subscription, token.message, consumer),
    )


def _keys_held_by_others(connection: sqlite3.Connection, query: DeliveryQuery) -> frozenset[str]:
    rows = connection.execute(
        "SELECT DISTINCT key FROM pending WHERE subscription = ? AND consumer IS NOT NULL AND consumer <> ?",
        (query.subscription, query.consumer),
    )
    return frozenset(key for (key,) in rows)


def _delayed_keys(connection: sqlite3.Connection, query: DeliveryQuery) -> dict[str, int]:
    rows = connection.execute(
        """SELECT key, min(message) FROM pending
           WHERE subscription = ? AND visible_us > 0 AND visible_us > ? AND visible_us <= ? GROUP BY key""",
        (query.subscription, query.now_us, query.now_us + MAX_AHEAD_US),
    )
    return dict(rows.fetchall())


def _waiting(connection: sqlite3.Connection, query: DeliveryQuery) -> Iterator[tuple[int, str]]:
    every_slot, slots = query.slots is None, json.dumps(sorted(query.slots or ()))
    return connection.execute(
        """SELECT message, key FROM pending WHERE subscription = ? AND consumer IS NULL
           AND visible_us NOT BETWEEN ? + 1 AND ?
           AND (? OR slot IN (SELECT value FROM json_each(?))) ORDER BY message""",
        (query.subscription, query.now_us, query.now_us + MAX_AHEAD_US, every_slot, slots),
    )


def _moment_or_none(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else moment(microseconds)
