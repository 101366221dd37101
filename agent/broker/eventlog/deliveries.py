"""Which messages a consumer may be given now. Every function works inside a transaction or for a look only.

A key's messages go out in order: none while another consumer still holds one of that key, none behind one that is
to be brought back later (stricter than the port asks).
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from agent.broker.eventlog.database import MAX_AHEAD_US, moment
from agent.broker.port import Delivery, Message


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryToken:
    """Where a delivery is in the log."""

    subscription: int
    message: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryQuery:
    """A consumer that asks for messages of one subscription. ``slots``: None is all of them."""

    subscription: int
    consumer: int
    slots: frozenset[int] | None
    now_us: int


def ready(connection: sqlite3.Connection, query: DeliveryQuery, *, at_most: int) -> Sequence[int]:
    """Ids of messages that may go out now, lowest first."""
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
    """One message as it is delivered."""
    row = connection.execute(
        """SELECT m.key, m.payload, m.properties, m.event_us, m.producer, m.published_us, p.redeliveries
           FROM message m JOIN pending p ON p.message = m.id AND p.subscription = ? WHERE m.id = ?""",
        (token.subscription, token.message),
    ).fetchone()
    return Delivery(
        topic=topic,
        message=Message(key=row[0], payload=row[1], properties=json.loads(row[2]), event_time=_moment_or_none(row[3])),
        producer=row[4],
        published_at=moment(row[5]),
        redeliveries=row[6],
        token=token,
    )


def acknowledge(connection: sqlite3.Connection, token: DeliveryToken) -> bool:
    """The subscription needs this message no more; whether it still needed it."""
    return (
        connection.execute(
            "DELETE FROM pending WHERE subscription = ? AND message = ?", (token.subscription, token.message)
        ).rowcount
        == 1
    )


def give_back(connection: sqlite3.Connection, token: DeliveryToken, *, consumer: int, visible_us: int) -> None:
    """Let go of a message that this consumer has; it goes out again from ``visible_us`` on."""
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
