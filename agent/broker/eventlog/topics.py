"""Topics, their subscriptions, and how a message gets into both. Every function works inside a transaction."""

import json
import sqlite3
from dataclasses import dataclass

from agent.broker.eventlog.database import microseconds
from agent.broker.eventlog.slots import slot_of
from agent.broker.port import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A message as it goes into a topic. ``sequence`` is absent where nobody numbers, as in dead letters."""

    message: Message
    producer: str
    sequence: int | None
    published_us: int


def ensure_topic(connection: sqlite3.Connection, name: str) -> int:
    """The id of a topic, made if it is not there."""
    connection.execute("INSERT INTO topic (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
    return int(connection.execute("SELECT id FROM topic WHERE name = ?", (name,)).fetchone()[0])


def ensure_subscription(connection: sqlite3.Connection, topic: int, name: str) -> int:
    """The id of a subscription, made if it is not there; a new one has every message that is still kept."""
    row = connection.execute("SELECT id FROM subscription WHERE topic = ? AND name = ?", (topic, name)).fetchone()
    if row is not None:
        return int(row[0])
    made = connection.execute("INSERT INTO subscription (topic, name) VALUES (?, ?)", (topic, name)).lastrowid
    connection.execute(
        "INSERT INTO pending (subscription, message, slot, key) SELECT ?, id, slot, key FROM message WHERE topic = ?",
        (made, topic),
    )
    return _given(made)


def claim(connection: sqlite3.Connection, topic: int, owner: str) -> str:
    """Make a topic ``owner``'s if it is nobody's; gives whose it is."""
    connection.execute("INSERT INTO claim (topic, owner) VALUES (?, ?) ON CONFLICT DO NOTHING", (topic, owner))
    return str(connection.execute("SELECT owner FROM claim WHERE topic = ?", (topic,)).fetchone()[0])


def release(connection: sqlite3.Connection, name: str) -> bool:
    """Make a topic nobody's; whether it was somebody's."""
    query = "DELETE FROM claim WHERE topic = (SELECT id FROM topic WHERE name = ?)"
    return connection.execute(query, (name,)).rowcount > 0


def append(connection: sqlite3.Connection, topic: int, stored: StoredMessage) -> int:
    """Add a message to a topic and to each of its subscriptions; gives the message's id."""
    message, slot = stored.message, slot_of(stored.message.key)
    made = connection.execute(
        """INSERT INTO message (topic, published_us, event_us, slot, producer, sequence, key, properties, payload)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            topic,
            stored.published_us,
            None if message.event_time is None else microseconds(message.event_time),
            slot,
            stored.producer,
            stored.sequence,
            message.key,
            json.dumps(dict(message.properties)),
            message.payload,
        ),
    ).lastrowid
    connection.execute(
        "INSERT INTO pending (subscription, message, slot, key) SELECT id, ?, ?, ? FROM subscription WHERE topic = ?",
        (made, slot, message.key, topic),
    )
    return _given(made)


def _given(row: int | None) -> int:
    if row is None:
        raise sqlite3.DatabaseError("an insert gave no row id")
    return row
