"""Lists of the pods of runs, page by page as agents send them, and when each cluster was asked for one.

The pages of a list are kept until all of them are there; then it is the cluster's list, until a newer one is. A page
that comes again changes nothing.

Hold ``scope`` of the cluster to add a page: two transactions that add the last two would else both miss the other's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Boolean, Column, Connection, Index, Integer, String, Table, delete, func, select, update
from sqlalchemy import LargeBinary as Bytes

from agent.store.columns import UtcTime, identifier
from agent.store.insert import insert_new, insert_or_replace
from agent.store.metadata import metadata

page_table: Final = Table(
    "run_list_page",
    metadata,
    Column("list_id", identifier(), primary_key=True),
    Column("page", Integer, primary_key=True),
    Column("pages", Integer, nullable=False),
    Column("cluster_id", identifier(), nullable=False),
    Column("payload", Bytes, nullable=False),
    Column("topic", String, nullable=False),
    Column("position", String, nullable=False),
    Column("received_at", UtcTime, nullable=False),
)
Index(None, page_table.c.received_at)

table: Final = Table(
    "run_list",
    metadata,
    Column("cluster_id", identifier(), primary_key=True),
    Column("cluster", String, nullable=False),
    Column("list_id", identifier(), nullable=False),
    Column("as_of", UtcTime),
    Column("listed_at", UtcTime, nullable=False),
    Column("examined", Boolean, nullable=False),
    Column("concluded", Boolean, nullable=False),
)
"""The latest whole list of each cluster."""

request_table: Final = Table(
    "run_list_request",
    metadata,
    Column("cluster_id", identifier(), primary_key=True),
    Column("asked_at", UtcTime, nullable=False),
)
"""When the cluster was asked for a list last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPage:
    """A page of a list as it arrived: ``payload`` is the event, ``topic`` and ``position`` its place at the broker."""

    list_id: str
    page: int
    pages: int
    cluster_id: str
    payload: bytes
    topic: str
    position: str
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptList:
    """A list all of whose pages are kept.

    ``examined``: the pods in it were compared with the recorded ones. ``concluded``: what follows from the absence of a
    pod was done.
    """

    cluster_id: str
    cluster: str
    list_id: str
    as_of: datetime | None
    listed_at: datetime
    examined: bool = False
    concluded: bool = False


def scope(cluster_id: str) -> str:
    """What to lock (``Store.decide``) while pages or orphans of this cluster are written."""
    return f"run-list {cluster_id}"


def add(connection: Connection, page: KeptPage) -> bool:
    """Keep a page; return whether it made its list whole."""
    if not insert_new(connection, page_table, [asdict(page)], key="list_id"):
        return False
    query = select(func.count()).select_from(page_table).where(page_table.c.list_id == page.list_id)
    return bool(connection.scalars(query).one() == page.pages)


def replace(connection: Connection, whole: KeptList) -> bool:
    """Have a whole list take the place of the cluster's earlier one; return whether it is newer.

    The pages of the other one are deleted. A list that does not say how old it is takes the place of no other.
    """
    earlier = latest(connection, whole.cluster_id)
    if earlier is not None and not _is_newer(whole, earlier):
        _delete_pages(connection, whole.list_id)
        return False
    if earlier is not None:
        _delete_pages(connection, earlier.list_id)
    insert_or_replace(connection, table, [asdict(whole)], key="cluster_id")
    return True


def _is_newer(whole: KeptList, earlier: KeptList) -> bool:
    return earlier.as_of is None or (whole.as_of is not None and whole.as_of > earlier.as_of)


def _delete_pages(connection: Connection, list_id: str) -> None:
    connection.execute(delete(page_table).where(page_table.c.list_id == list_id))


def drop_incomplete(connection: Connection, *, before: datetime) -> int:
    """Delete the pages that arrived before of lists that are not whole; return how many."""
    whole = select(table.c.list_id)
    old = page_table.c.received_at < before
    return connection.execute(delete(page_table).where(old, page_table.c.list_id.not_in(whole))).rowcount


def unfinished(connection: Connection) -> list[KeptList]:
    """The lists that were not examined, or that nothing was concluded from yet."""
    query = select(table).where(table.c.examined.is_(False) | table.c.concluded.is_(False)).order_by(table.c.cluster_id)
    return [KeptList(**row) for row in connection.execute(query).mappings()]


def latest(connection: Connection, cluster_id: str) -> KeptList | None:
    """The latest whole list of a cluster."""
    row = connection.execute(select(table).where(table.c.cluster_id == cluster_id)).mappings().one_or_none()
    return None if row is None else KeptList(**row)


def pages(connection: Connection, list_id: str) -> list[KeptPage]:
    """The pages of a list, in their order."""
    query = select(page_table).where(page_table.c.list_id == list_id).order_by(page_table.c.page)
    return [KeptPage(**row) for row in connection.execute(query).mappings()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the first page of a list is at the broker: what was published before the list is in front of it."""

    topic: str
    position: str


def place(connection: Connection, list_id: str) -> Place | None:
    """``None`` if the list is not kept any more."""
    query = select(page_table.c.topic, page_table.c.position)
    row = connection.execute(query.where(page_table.c.list_id == list_id, page_table.c.page == 0)).one_or_none()
    return None if row is None else Place(topic=row.topic, position=row.position)


def mark(connection: Connection, whole: KeptList) -> None:
    """Remember what was done with a list, unless a newer one took its place."""
    own = (table.c.cluster_id == whole.cluster_id, table.c.list_id == whole.list_id)
    done = {"examined": whole.examined, "concluded": whole.concluded}
    connection.execute(update(table).where(*own).values(done))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """When a cluster was asked last, and as of when its latest list is; ``None`` if there is none, or unknown."""

    asked_at: datetime
    as_of: datetime | None

    @property
    def answered(self) -> bool:
        return self.as_of is not None and self.as_of >= self.asked_at


def asked(connection: Connection) -> Mapping[str, Asked]:
    """By cluster id."""
    there = request_table.outerjoin(table, table.c.cluster_id == request_table.c.cluster_id)
    query = select(request_table.c.cluster_id, request_table.c.asked_at, table.c.as_of).select_from(there)
    rows = connection.execute(query)
    return {row.cluster_id: Asked(asked_at=row.asked_at, as_of=row.as_of) for row in rows}


def record_asked(connection: Connection, cluster_ids: Sequence[str], *, at: datetime) -> None:
    """Remember that these clusters are asked now."""
    rows = [{"cluster_id": cluster_id, "asked_at": at} for cluster_id in cluster_ids]
    insert_or_replace(connection, request_table, rows, key="cluster_id")
