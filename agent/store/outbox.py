"""The outbox: messages that a deciding transaction wrote and the leader publishes, a numbering for each topic.

A row gets its number when it is about to be published, never in the transaction that writes it: two transactions may
commit in the other order than they took numbers, and a broker drops a number lower than one it has. So the rows of one
decision scope keep their order, and numbers have no gap.

All functions but ``put`` and those that only read are the leader's: call them in a transaction that has checked its
epoch (``leader.check``), so that no old leader numbers, acknowledges or trims a row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    Select,
    String,
    Table,
    Text,
    case,
    delete,
    func,
    select,
    update,
)
from sqlalchemy import LargeBinary as Bytes

from agent.store.columns import Document, UtcTime, identifier
from agent.store.insert import insert, insert_new
from agent.store.metadata import metadata

_NUMBER: Final = BigInteger().with_variant(Integer, "sqlite")

table: Final = Table(
    "outbox",
    metadata,
    Column("id", _NUMBER, primary_key=True),
    Column("topic", identifier(), nullable=False),
    Column("key", String, nullable=False),
    Column("payload", Bytes, nullable=False),
    Column("properties", Document(), nullable=False),
    Column("written_at", UtcTime, nullable=False),
    Column("sequence", BigInteger),
    Column("error", Text),
    sqlite_autoincrement=True,
)
"""A message that the broker does not have. ``sequence`` is ``None`` before it has a number.

``error`` says why no broker accepts it: such a row has no number and is kept.
"""
Index(None, table.c.topic, table.c.sequence, unique=True)
_WAITS: Final = table.c.sequence.is_(None) & table.c.error.is_(None)
Index("ix_outbox_waits", table.c.topic, table.c.id, sqlite_where=_WAITS, postgresql_where=_WAITS)

topic_table: Final = Table(
    "outbox_topic",
    metadata,
    Column("topic", identifier(), primary_key=True),
    Column("spool_id", identifier(), nullable=False),
    *(Column(name, BigInteger, nullable=False) for name in ("numbered", "sent", "acknowledged")),
)
"""The numbering of a topic: the highest sequence given, sent and acknowledged under its spool id, 0 before any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message to publish. Messages of one ``key`` keep the order in which transactions wrote them."""

    topic: str
    key: str
    payload: bytes
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedMessage:
    """A message with its number in the topic."""

    sequence: int
    key: str
    payload: bytes
    properties: Mapping[str, str]
    written_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbering:
    """The row of a topic in ``outbox_topic``."""

    spool_id: str
    numbered: int
    sent: int
    acknowledged: int


def put(connection: Connection, messages: Sequence[NewMessage], *, written_at: datetime) -> None:
    """Add messages, in the transaction whose effects they are."""
    rows = [
        {
            "topic": message.topic,
            "key": message.key,
            "payload": message.payload,
            "properties": dict(message.properties),
            "written_at": written_at,
        }
        for message in messages
    ]
    insert(connection, table, rows)


def numbering(connection: Connection, topic: str) -> Numbering | None:
    """The numbering of a topic; ``None`` before ``begin``."""
    row = connection.execute(_numbering_of(topic)).mappings().one_or_none()
    return None if row is None else Numbering(**row)


def begin(connection: Connection, topic: str, spool_id: str) -> Numbering:
    """Begin a numbering under this spool id, unless the topic has one; return the topic's."""
    new = {"topic": topic, "spool_id": spool_id, "numbered": 0, "sent": 0, "acknowledged": 0}
    insert_new(connection, topic_table, [new], key="topic")
    return Numbering(**connection.execute(_numbering_of(topic)).mappings().one())


def _numbering_of(topic: str) -> Select[Any]:
    columns = [column for column in topic_table.c if column is not topic_table.c.topic]
    return select(*columns).where(topic_table.c.topic == topic)


def topics(connection: Connection) -> set[str]:
    """The topics that have messages which the broker does not have."""
    found: set[str] = set()
    # From topic to topic by the index: one that nobody takes messages from may have very many rows.
    topic = _topic_after(connection, "")
    while topic is not None:
        own = select(table.c.id).where(table.c.topic == topic, table.c.error.is_(None)).limit(1)
        if connection.scalars(own).one_or_none() is not None:
            found.add(topic)
        topic = _topic_after(connection, topic)
    return found


def _topic_after(connection: Connection, topic: str) -> str | None:
    """The first topic after this one that has rows."""
    found: str | None = connection.scalar(select(func.min(table.c.topic)).where(table.c.topic > topic))
    return found


def waits(connection: Connection, topic: str) -> bool:
    """Whether a message of the topic has no number yet."""
    query = select(table.c.id).where(table.c.topic == topic, _WAITS).limit(1)
    return connection.scalars(query).one_or_none() is not None


def numbered(connection: Connection, topic: str, *, after: int, at_most: int) -> list[NumberedMessage]:
    """Messages with a number above ``after``, the lowest first."""
    columns = (table.c.sequence, table.c.key, table.c.payload, table.c.properties, table.c.written_at)
    query = select(*columns).where(table.c.topic == topic, table.c.sequence > after).order_by(table.c.sequence)
    return [NumberedMessage(**row) for row in connection.execute(query.limit(at_most)).mappings()]


def number(connection: Connection, topic: str, *, at_most: int) -> None:
    """Number messages in the order in which they were written, from the highest number on."""
    highest = connection.scalars(select(topic_table.c.numbered).where(topic_table.c.topic == topic)).one()
    place = func.row_number().over(order_by=table.c.id).label("place")
    first = select(table.c.id, place).where(table.c.topic == topic, _WAITS).order_by(table.c.id).limit(at_most)
    chosen = first.subquery()
    change = update(table).where(table.c.id == chosen.c.id).values(sequence=highest + chosen.c.place)
    count = connection.execute(change).rowcount
    _set(connection, topic, numbered=highest + count)


def record_sent(connection: Connection, topic: str, sequence: int) -> None:
    """Remember that messages up to this one are about to be sent."""
    sent = topic_table.c.sent
    _set(connection, topic, sent=case((sent > sequence, sent), else_=sequence))


def acknowledge(connection: Connection, topic: str, sequences: Sequence[int]) -> None:
    """Delete messages that the broker has."""
    connection.execute(delete(table).where(table.c.topic == topic, table.c.sequence.in_(sequences)))
    _acknowledged(connection, topic, max(sequences, default=0))


def acknowledge_through(connection: Connection, topic: str, sequence: int) -> int:
    """Delete all numbered messages up to this one; return how many there were."""
    count = connection.execute(delete(table).where(table.c.topic == topic, table.c.sequence <= sequence)).rowcount
    _acknowledged(connection, topic, sequence)
    return count


def _acknowledged(connection: Connection, topic: str, sequence: int) -> None:
    highest = topic_table.c.acknowledged
    _set(connection, topic, acknowledged=case((highest > sequence, highest), else_=sequence))


def reject(connection: Connection, topic: str, sequence: int, *, error: str) -> None:
    """Keep a message aside that no broker accepts, with the error."""
    own = (table.c.topic == topic, table.c.sequence == sequence)
    connection.execute(update(table).where(*own).values(sequence=None, error=error))


def renumber(connection: Connection, topic: str, spool_id: str) -> None:
    """Number the messages that have a number from 1 on, in their order, under a new spool id."""
    own = (table.c.topic == topic, table.c.sequence.is_not(None))
    place = func.row_number().over(order_by=table.c.sequence).label("place")
    chosen = select(table.c.id, place).where(*own).subquery()
    # By way of negative numbers, because a new number may still belong to another row.
    change = update(table).where(table.c.id == chosen.c.id).values(sequence=-chosen.c.place)
    count = connection.execute(change).rowcount
    connection.execute(update(table).where(*own).values(sequence=-table.c.sequence))
    _set(connection, topic, spool_id=spool_id, numbered=count, sent=0, acknowledged=0)


def _set(connection: Connection, topic: str, **values: Any) -> None:
    connection.execute(update(topic_table).where(topic_table.c.topic == topic).values(**values))
