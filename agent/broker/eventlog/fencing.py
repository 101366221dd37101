"""Who may send to a topic: the latest producer of a name and, if the topic is held exclusively, only its holder."""

import sqlite3
from dataclasses import dataclass

from agent.broker.eventlog.topics import ensure_topic
from agent.broker.port import Fenced


@dataclass(frozen=True, slots=True, kw_only=True)
class SendRight:
    """A producer's right to send, checked inside each transaction that stores, so that a fenced one stores nothing."""

    topic: int
    name: str
    incarnation: int
    exclusive: bool

    def check(self, connection: sqlite3.Connection) -> None:
        """Raise Fenced unless this is still the producer that may send."""
        holder, latest = connection.execute(
            "SELECT t.exclusive, p.incarnation FROM topic t JOIN producer p ON p.topic = t.id AND p.name = ? "
            "WHERE t.id = ?",
            (self.name, self.topic),
        ).fetchone()
        if latest != self.incarnation:
            raise Fenced(f"a later producer took over the name {self.name}")
        if holder != (self.incarnation if self.exclusive else 0):
            raise Fenced(f"another producer took over the topic of {self.name}")

    def last_sequence(self, connection: sqlite3.Connection) -> int:
        """The highest sequence id stored under this name; -1 where none is."""
        return int(
            connection.execute(
                "SELECT last_sequence FROM producer WHERE topic = ? AND name = ?", (self.topic, self.name)
            ).fetchone()[0]
        )

    def record(self, connection: sqlite3.Connection, last_sequence: int) -> None:
        connection.execute(
            "UPDATE producer SET last_sequence = ? WHERE topic = ? AND name = ?",
            (last_sequence, self.topic, self.name),
        )

    def release(self, connection: sqlite3.Connection) -> None:
        """Let other producers have the topic, if this one holds it exclusively."""
        connection.execute(
            "UPDATE topic SET exclusive = 0 WHERE id = ? AND exclusive = ?", (self.topic, self.incarnation)
        )


def acquire_topic(connection: sqlite3.Connection, topic: str, *, name: str, exclusive: bool) -> SendRight:
    """Become the latest producer of this name. Raises Fenced if the topic is held and ``exclusive`` is false.

    The topic of a killed holder stays held until an exclusive producer takes over.
    """
    number = ensure_topic(connection, topic)
    connection.execute("UPDATE topic SET incarnations = incarnations + 1 WHERE id = ?", (number,))
    incarnation, holder = connection.execute(
        "SELECT incarnations, exclusive FROM topic WHERE id = ?", (number,)
    ).fetchone()
    if exclusive:
        connection.execute("UPDATE topic SET exclusive = ? WHERE id = ?", (incarnation, number))
    elif holder != 0:
        raise Fenced(f"another producer holds {topic} exclusively")
    connection.execute(
        """INSERT INTO producer (topic, name, incarnation) VALUES (?, ?, ?)
           ON CONFLICT (topic, name) DO UPDATE SET incarnation = excluded.incarnation""",
        (number, name, incarnation),
    )
    return SendRight(topic=number, name=name, incarnation=incarnation, exclusive=exclusive)
