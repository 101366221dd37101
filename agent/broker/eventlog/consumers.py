"""Consumers and their leases, and what happens to the messages of a consumer whose lease has expired.

Every function works inside a transaction.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final

from agent.broker.eventlog.database import MAX_AHEAD_US
from agent.broker.eventlog.slots import slots_of
from agent.broker.port import BrokerError, SubscriptionKind

# Not BETWEEN: a lease too far ahead was written before the clock was set back, so it has run out, too.
_EXPIRED: Final = "SELECT id FROM consumer WHERE lease_us NOT BETWEEN ? AND ?"


def join(
    connection: sqlite3.Connection, subscriptions: Sequence[int], *, name: str, kind: SubscriptionKind, lease_us: int
) -> int:
    """Add a consumer to these subscriptions; return its id. Raises BrokerError if others consume as another kind."""
    for subscription in subscriptions:
        _refuse_another_kind(connection, subscription, kind)
    made = connection.execute(
        "INSERT INTO consumer (name, kind, lease_us) VALUES (?, ?, ?)", (name, kind.value, lease_us)
    ).lastrowid
    if made is None:
        raise sqlite3.DatabaseError("an insert gave no row id")
    connection.executemany(
        "INSERT INTO member (subscription, consumer) VALUES (?, ?)",
        [(subscription, made) for subscription in subscriptions],
    )
    return made


def renew(connection: sqlite3.Connection, consumer: int, *, lease_us: int) -> bool:
    """Extend a lease; false if the consumer was removed."""
    return connection.execute("UPDATE consumer SET lease_us = ? WHERE id = ?", (lease_us, consumer)).rowcount == 1


def leave(connection: sqlite3.Connection, consumer: int, subscriptions: Sequence[int]) -> None:
    """Remove a consumer; what it was given and did not acknowledge goes to others."""
    connection.executemany(
        "UPDATE pending SET consumer = NULL, redeliveries = redeliveries + 1 WHERE subscription = ? AND consumer = ?",
        [(subscription, consumer) for subscription in subscriptions],
    )
    connection.execute("DELETE FROM member WHERE consumer = ?", (consumer,))
    connection.execute("DELETE FROM consumer WHERE id = ?", (consumer,))


def exists(connection: sqlite3.Connection, consumer: int) -> bool:
    return connection.execute("SELECT 1 FROM consumer WHERE id = ?", (consumer,)).fetchone() is not None


def any_expired(connection: sqlite3.Connection, *, now_us: int) -> bool:
    return connection.execute(f"{_EXPIRED} LIMIT 1", (now_us, now_us + MAX_AHEAD_US)).fetchone() is not None


def remove_expired(connection: sqlite3.Connection, *, now_us: int) -> None:
    for (consumer,) in connection.execute(_EXPIRED, (now_us, now_us + MAX_AHEAD_US)).fetchall():
        rows = connection.execute("SELECT subscription FROM member WHERE consumer = ?", (consumer,)).fetchall()
        leave(connection, consumer, [subscription for (subscription,) in rows])


def slots_for(
    connection: sqlite3.Connection, subscription: int, consumer: int, kind: SubscriptionKind
) -> frozenset[int] | None:
    """The slots whose messages a consumer may be given; ``None`` means all."""
    rows = connection.execute("SELECT consumer FROM member WHERE subscription = ? ORDER BY consumer", (subscription,))
    consumers = tuple(member for (member,) in rows)
    if consumers == (consumer,):
        return None
    if kind is SubscriptionKind.FAILOVER:
        return None if consumers[:1] == (consumer,) else frozenset()
    return slots_of(consumer, consumers) if consumer in consumers else frozenset()


def _refuse_another_kind(connection: sqlite3.Connection, subscription: int, kind: SubscriptionKind) -> None:
    row = connection.execute(
        "SELECT c.kind, c.name FROM member m JOIN consumer c ON c.id = m.consumer WHERE m.subscription = ? LIMIT 1",
        (subscription,),
    ).fetchone()
    if row is not None and row[0] != kind.value:
        raise BrokerError(f"consumer {row[1]} consumes this subscription as {row[0]}, not {kind.value}")
