"""Which numbers of each spool's messages were consumed, so that lost ones are noticed.

Each batch adds rows, in its own transaction, and changes none, so that consumers do not wait for each other. The leader
joins them (``join``) into a row for each spool and one for each gap: numbers that are missing below one that was
consumed. A gap closes when its messages come after all; the leader finds out which are ``lost``.

A message says which one of its spool it follows, so numbers that never had a message are no gap. Where a spool's first
known message is not its first, what is below counts as consumed: an earlier version consumed it, or it was forgotten.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Integer,
    RowMapping,
    String,
    Table,
    delete,
    select,
    true,
    tuple_,
    update,
)

from agent.store.columns import Document, UtcTime, identifier
from agent.store.insert import insert
from agent.store.metadata import metadata
from agent.store.ranges import Range, Ranges, holes, joined, overlap

range_table: Final = Table(
    "consumed_range",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("topic", identifier(), nullable=False),
    Column("spool_id", identifier(), nullable=False),
    Column("ranges", Document(), nullable=False),
    Column("position", String, nullable=False),
    Column("at", UtcTime, nullable=False),
    sqlite_autoincrement=True,
)

spool_table: Final = Table(
    "consumed_spool",
    metadata,
    Column("topic", identifier(), primary_key=True),
    Column("spool_id", identifier(), primary_key=True),
    Column("ranges", Document(), nullable=False),
    Column("at", UtcTime, nullable=False),
)

gap_table: Final = Table(
    "sequence_gap",
    metadata,
    Column("topic", identifier(), primary_key=True),
    Column("spool_id", identifier(), primary_key=True),
    Column("after", BigInteger, primary_key=True),
    Column("through", BigInteger, nullable=False),
    Column("position", String, nullable=False),
    Column("noticed_at", UtcTime, nullable=False),
    Column("lost_at", UtcTime),
)

_AT_MOST: Final = 5000
"""Rows that are joined in one transaction."""

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumedRange:
    """Numbers of one spool that one transaction consumed.

    ``position`` is that of the last message, in its topic at the broker; empty if it came from another topic.
    """

    topic: str
    spool_id: str
    ranges: Ranges
    position: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Numbers that are missing, from above ``after`` up to ``through``.

    A message behind them in the topic, at ``position``, was consumed at ``noticed_at``. So they were sent before then.
    ``lost_at``: since when it is certain that they do not come.
    """

    topic: str
    spool_id: str
    after: int
    through: int
    position: str
    noticed_at: datetime
    lost_at: datetime | None = None

    @property
    def first(self) -> int:
        return self.after + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Spool:
    """What was consumed of one spool until ``at``, and what is missing."""

    ranges: Ranges
    gaps: tuple[Gap, ...]
    at: datetime

    @property
    def committed(self) -> int:
        """The number up to which nothing is missing."""
        return self.ranges[0][1]


def record(connection: Connection, consumed: Sequence[ConsumedRange]) -> None:
    """Add what this transaction consumes."""
    insert(connection, range_table, [asdict(consumed_range) for consumed_range in consumed])


def spools(connection: Connection, topic: str) -> dict[str, Spool]:
    """What was consumed of each spool that published to the topic, by spool id."""
    rows = _rows(connection, range_table.c.topic == topic)
    known = _known(connection, spool_table.c.topic == topic, gap_table.c.topic == topic)
    return {spool_id: spool for (_, spool_id), spool in _joined(known, rows).items()}


def gaps(connection: Connection) -> list[Gap]:
    """All gaps that the last ``join`` found."""
    return _gaps(connection, true())


def any_added(connection: Connection) -> bool:
    """Whether there are rows to join."""
    return connection.execute(select(range_table.c.number).limit(1)).first() is not None


def join(connection: Connection) -> int:
    """Join rows that consumers added; return how many. Only the leader does it."""
    numbered = connection.execute(select(range_table).order_by(range_table.c.number).limit(_AT_MOST)).mappings().all()
    if not numbered:
        return 0
    rows = [_range(row) for row in numbered]
    keys = {(row.topic, row.spool_id) for row in rows}
    known = _known(connection, _among(spool_table, keys), _among(gap_table, keys))
    _write(connection, _joined(known, rows))
    # By their numbers, because a row with a lower one may have been committed meanwhile.
    connection.execute(delete(range_table).where(range_table.c.number.in_([row["number"] for row in numbered])))
    return len(numbered)


def mark_lost(connection: Connection, several: Collection[Gap], *, now: datetime) -> list[Gap]:
    """Mark the gaps that are still there as they were; return them."""
    lost = [replace(gap, lost_at=now) for gap in gaps(connection) if gap.lost_at is None and gap in several]
    for gap in lost:
        same = (gap_table.c.topic == gap.topic, gap_table.c.spool_id == gap.spool_id, gap_table.c.after == gap.after)
        connection.execute(update(gap_table).where(*same).values(lost_at=now))
    return lost


def forget(connection: Connection, *, lost_before: datetime, silent_since: datetime) -> list[Gap]:
    """Count gaps that were lost before as consumed, and drop spools that are silent; return the gaps."""
    old = [gap for gap in gaps(connection) if gap.lost_at is not None and gap.lost_at < lost_before]
    keys = {(gap.topic, gap.spool_id) for gap in old}
    known = _known(connection, _among(spool_table, keys), _among(gap_table, keys)) if keys else {}
    closed = [
        ConsumedRange(
            topic=gap.topic, spool_id=gap.spool_id, ranges=((gap.after, gap.through),), position="", at=gap.noticed_at
        )
        for gap in old
    ]
    _write(connection, _joined(known, closed))
    silent = select(spool_table.c.topic, spool_table.c.spool_id).where(spool_table.c.at < silent_since)
    for table in (gap_table, spool_table):
        connection.execute(delete(table).where(tuple_(table.c.topic, table.c.spool_id).in_(silent)))
    return old


def _joined(known: dict[_Key, Spool], rows: Iterable[ConsumedRange]) -> dict[_Key, Spool]:
    """The spools with what was consumed since."""
    found = dict(known)
    by_spool: dict[_Key, list[ConsumedRange]] = {}
    for row in rows:
        by_spool.setdefault((row.topic, row.spool_id), []).append(row)
    for key, several in by_spool.items():
        found[key] = _with(found.get(key), several)
    return found


def _with(before: Spool | None, rows: Sequence[ConsumedRange]) -> Spool:
    earlier = () if before is None else before.ranges
    ranges = joined([*earlier, *(bounds for row in rows for bounds in row.ranges)])
    known = () if before is None else before.gaps
    return Spool(
        ranges=ranges,
        gaps=tuple(_gap(hole, known, rows) for hole in holes(ranges)),
        at=max([row.at for row in rows] if before is None else [before.at, *(row.at for row in rows)]),
    )


def _gap(hole: Range, known: Iterable[Gap], rows: Sequence[ConsumedRange]) -> Gap:
    """The gap as it is known, or as the first row shows it that has the number behind it."""
    after, through = hole
    for gap in known:
        if overlap(hole, (gap.after, gap.through)):
            return replace(gap, after=after, through=through)
    behind = next((row for row in rows if any(first <= through < last for first, last in row.ranges)), None)
    row = rows[0] if behind is None else behind
    return Gap(
        topic=row.topic,
        spool_id=row.spool_id,
        after=after,
        through=through,
        position="" if behind is None else behind.position,
        noticed_at=row.at,
    )


def _rows(connection: Connection, which: ColumnElement[bool]) -> list[ConsumedRange]:
    query = select(range_table).where(which).order_by(range_table.c.number)
    return [_range(row) for row in connection.execute(query).mappings()]


def _range(row: RowMapping) -> ConsumedRange:
    return ConsumedRange(
        topic=row["topic"],
        spool_id=row["spool_id"],
        ranges=_ranges(row),
        position=row["position"],
        at=row["at"],
    )


def _ranges(row: RowMapping) -> Ranges:
    return tuple((after, through) for after, through in row["ranges"])


def _known(connection: Connection, spools_: ColumnElement[bool], gaps_: ColumnElement[bool]) -> dict[_Key, Spool]:
    missing: dict[_Key, list[Gap]] = {}
    for gap in _gaps(connection, gaps_):
        missing.setdefault((gap.topic, gap.spool_id), []).append(gap)
    found = {}
    for row in connection.execute(select(spool_table).where(spools_)).mappings():
        key = (row["topic"], row["spool_id"])
        found[key] = Spool(ranges=_ranges(row), gaps=tuple(missing.get(key, ())), at=row["at"])
    return found


def _gaps(connection: Connection, which: ColumnElement[bool]) -> list[Gap]:
    query = select(gap_table).where(which).order_by(gap_table.c.topic, gap_table.c.spool_id, gap_table.c.after)
    return [Gap(**row) for row in connection.execute(query).mappings()]


def _write(connection: Connection, found: Mapping[_Key, Spool]) -> None:
    """Write these spools in place of what is known of them."""
    if not found:
        return
    for table in (spool_table, gap_table):
        connection.execute(delete(table).where(_among(table, found.keys())))
    rows = [
        {"topic": topic, "spool_id": spool_id, "ranges": spool.ranges, "at": spool.at}
        for (topic, spool_id), spool in found.items()
    ]
    insert(connection, spool_table, rows)
    insert(connection, gap_table, [asdict(gap) for spool in found.values() for gap in spool.gaps])


def _among(table: Table, keys: Collection[_Key]) -> ColumnElement[bool]:
    return tuple_(table.c.topic, table.c.spool_id).in_(keys)
