"""Topics, their subscriptions and owners, and how a message is stored. Who writes needs a transaction."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agent.broker.eventlog.database import microseconds, moment
from agent.broker.eventlog.slots import slot_of
from agent.broker.port import Message, Retained

_SUBSCRIBED: Final = "SELECT s.id FROM subscription s JOIN topic t ON t.id = s.topic WHERE t.name = ? AND s.name = ?"
_FIRST_PENDING: Final = "SELECT min(message) FROM pending WHERE subscription = ?"
_FIRST: Final = "SELECT min(m.id) FROM message m JOIN topic t ON t.id = m.topic WHERE t.name = ?"
_KEPT: Final = "SELECT count(*), min(m.id) FROM message m JOIN topic t ON t.id = m.topic WHERE t.name = ?"
_PENDING: Final = "SELECT count(*), min(message) FROM pending WHERE subscription = ?"
_PUBLISHED: Final = "SELECT published_us FROM message WHERE id = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A message as it is stored in a topic. ``sequence`` is ``None`` where messages are not numbered: dead letters."""

    message: Message
    producer: str
    sequence: int | None
    published_us: int


def ensure_topic(connection: sqlite3.Connection, name: str) -> int:
    """The id of a topic, created if it does not exist."""
    connection.execute("INSERT INTO topic (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
    return int(connection.execute("SELECT id FROM topic WHERE name = ?", (name,)).fetchone()[0])


def ensure_subscription(connection: sqlite3.Connection, topic: int, name: str) -> int:
    """The id of a subscription, created if it does not exist; a new one gets every message that is still kept."""
    row = connection.execute("SELECT id FROM subscription WHERE topic = ? AND name = ?", (topic, name)).fetchone()
    if row is not None:
        return int(row[0])
    made = connection.execute("INSERT INTO subscription (topic, name) VALUES (?, ?)", (topic, name)).lastrowid
    connection.execute(
        "INSERT INTO pending (subscription, message, slot, key) SELECT ?, id, slot, key FROM message WHERE topic = ?",
        (made, topic),
    )
    return _row_id(made)


def claim(connection: sqlite3.Connection, topic: int, owner: str) -> str:
    """Make ``owner`` the owner of a topic that has none; return its owner."""
    connection.execute("INSERT INTO claim (topic, owner) VALUES (?, ?) ON CONFLICT DO NOTHING", (topic, owner))
    return str(connection.execute("SELECT owner FROM claim WHERE topic = ?", (topic,)).fetchone()[0])


def release(connection: sqlite3.Connection, name: str) -> bool:
    """Remove the owner of a topic; false if it had none."""
    query = "DELETE FROM claim WHERE topic = (SELECT id FROM topic WHERE name = ?)"
    return connection.execute(query, (name,)).rowcount > 0


def append(connection: sqlite3.Connection, topic: int, stored: StoredMessage) -> int:
    """Add a message to a topic and to what is pending for each of its subscriptions; return the message's id."""
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
    return _row_id(made)


def keys(connection: sqlite3.Connection, name: str) -> frozenset[str]:
    """The keys of the messages in a topic."""
    rows = connection.execute(
        "SELECT DISTINCT m.key FROM message m JOIN topic t ON t.id = m.topic WHERE t.name = ?", (name,)
    )
    return frozenset(key for (key,) in rows)


def first_pending(connection: sqlite3.Connection, name: str, subscription: str) -> int | None:
    """The first message of a topic that a subscription has not acknowledged; that of a new one is the topic's first."""
    subscribed = connection.execute(_SUBSCRIBED, (name, subscription)).fetchone()
    query = _FIRST if subscribed is None else _FIRST_PENDING
    found = connection.execute(query, (name,) if subscribed is None else subscribed).fetchone()[0]
    return None if found is None else int(found)


def retained(connection: sqlite3.Connection, name: str, subscription: str) -> Retained:
    """What a topic retains, and how much of it a subscription has not acknowledged."""
    subscribed = connection.execute(_SUBSCRIBED, (name, subscription)).fetchone()
    kept, first = connection.execute(_KEPT, (name,)).fetchone()
    backlog, first_pending_id = (
        (kept, first) if subscribed is None else connection.execute(_PENDING, subscribed).fetchone()
    )
    return Retained(
        messages=kept,
        oldest=_published_at(connection, first),
        subscribed=subscribed is not None,
        backlog=backlog,
        oldest_in_backlog=_published_at(connection, first_pending_id),
    )


def _published_at(connection: sqlite3.Connection, message: int | None) -> datetime | None:
    row = connection.execute(_PUBLISHED, (message,)).fetchone()
    return None if row is None else moment(row[0])


def _row_id(row: int | None) -> int:
    if row is None:
        raise sqlite3.DatabaseError("an insert gave no row id")
    return row
