"""The tables of resources (retry policies, queues, error rules): as they are now, and every version they had.

Every change is made under one decision scope, ``SCOPE``: so revisions grow in the order of commits, and whoever has
seen one has seen all before it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    RowMapping,
    String,
    Table,
    Text,
    distinct,
    func,
    or_,
    select,
)

from agent.core.job_state import JobState
from agent.core.limit import VerdictAction
from agent.store.columns import UtcTime, identifier
from agent.store.metadata import metadata
from agent.store.tables.jobs import table as job
from agent.store.tables.verdicts import table as verdict

SCOPE: Final = "resources"

table = Table(
    "resource",
    metadata,
    Column("kind", identifier(), primary_key=True),
    Column("name", identifier(), primary_key=True),
    Column("uid", identifier(), nullable=False),
    Column("version", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", String, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("changed_by", String, nullable=False),
)
"""The resources that exist. ``version`` counts from 1, also after a resource was deleted and its name used again."""

history = Table(
    "resource_history",
    metadata,
    Column("revision", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("kind", identifier(), nullable=False),
    Column("name", identifier(), nullable=False),
    Column("uid", identifier(), nullable=False),
    Column("version", Integer, nullable=False),
    Column("change", String, nullable=False),
    Column("text", Text),
    Column("at", UtcTime, nullable=False),
    Column("by", String, nullable=False),
    Column("note", Text, nullable=False),
    sqlite_autoincrement=True,
)
"""Every change, never changed itself. ``revision`` counts over all resources; ``text`` is ``None`` of a deletion."""
Index(None, history.c.kind, history.c.name, history.c.version, unique=True)


class Change(StrEnum):
    """What was done to a resource. ``DETACHED``: a deleted policy was taken out of a queue."""

    CREATED = "created"
    UPDATED = "updated"
    ROLLED_BACK = "rolled-back"
    DETACHED = "detached"
    DELETED = "deleted"

    @property
    def words(self) -> str:
        """As sentences say it: ``rolled back``."""
        return self.value.replace("-", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResource:
    """A row of ``resource``."""

    kind: str
    name: str
    uid: str
    version: int
    text: str
    created_at: datetime
    created_by: str
    changed_at: datetime
    changed_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """A row of ``resource_history``."""

    revision: int
    kind: str
    name: str
    uid: str
    version: int
    change: Change
    text: str | None
    at: datetime
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """What to write: the whole resource as it becomes, or ``text=None`` where it is deleted."""

    kind: str
    name: str
    uid: str
    text: str | None
    change: Change
    at: datetime
    by: str
    note: str = ""


def get(connection: Connection, kind: str, name: str) -> StoredResource | None:
    row = connection.execute(select(table).where(table.c.kind == kind, table.c.name == name)).mappings().one_or_none()
    return None if row is None else StoredResource(**row)


def everything(connection: Connection) -> tuple[StoredResource, ...]:
    """All resources, by kind and name."""
    rows = connection.execute(select(table).order_by(table.c.kind, table.c.name)).mappings()
    return tuple(StoredResource(**row) for row in rows)


def names(connection: Connection, kind: str) -> frozenset[str]:
    """The names of the resources of a kind."""
    return frozenset(connection.scalars(select(table.c.name).where(table.c.kind == kind)))


def revision(connection: Connection) -> int:
    """The latest revision; 0 before any change."""
    return connection.scalars(select(func.max(history.c.revision))).one() or 0


def versions(connection: Connection, kind: str, name: str) -> tuple[StoredVersion, ...]:
    """Every version of the resources that had this name, the latest first."""
    own = (history.c.kind == kind, history.c.name == name)
    rows = connection.execute(select(history).where(*own).order_by(history.c.version.desc())).mappings()
    return tuple(map(_version, rows))


def since(connection: Connection, after: int, *, limit: int) -> Sequence[StoredVersion]:
    """The changes after a revision, the earliest first."""
    query = select(history).where(history.c.revision > after).order_by(history.c.revision).limit(limit)
    return [_version(row) for row in connection.execute(query).mappings()]


def write(connection: Connection, new: NewVersion) -> int:
    """Write one version in a transaction that holds ``SCOPE``; return its number."""
    own = (history.c.kind == new.kind, history.c.name == new.name)
    version: int = (connection.scalars(select(func.max(history.c.version)).where(*own)).one() or 0) + 1
    row = {"kind": new.kind, "name": new.name, "uid": new.uid, "version": version, "text": new.text}
    about = {"change": new.change.value, "at": new.at, "by": new.by, "note": new.note}
    connection.execute(history.insert(), [row | about])
    named = (table.c.kind == new.kind, table.c.name == new.name)
    if new.text is None:
        connection.execute(table.delete().where(*named))
        return version
    changed = {"changed_at": new.at, "changed_by": new.by}
    if connection.execute(table.update().where(*named).values(**row, **changed)).rowcount == 0:
        connection.execute(table.insert(), [row | changed | {"created_at": new.at, "created_by": new.by}])
    return version


def _version(row: RowMapping) -> StoredVersion:
    return StoredVersion(**{**row, "change": Change(row["change"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Affected:
    """How many jobs wait for a retry and have retries counted; of how many a count starts again."""

    jobs: int = 0
    restarted: int = 0


NONE_AFFECTED: Final = Affected()


def waiting_under(connection: Connection, policy: str, *, kept: Collection[str]) -> Affected:
    """The waiting jobs with retries counted under a policy. ``kept`` are the keys of rules that stay.

    A job waits if it was submitted, the verdict on its latest run is to retry, and no later run is known.
    """
    of_policy = or_(*(verdict.c.rule_key.startswith(f"{policy}{end}", autoescape=True) for end in "/#"))
    query = (
        select(func.count(distinct(verdict.c.job_id)))
        .join_from(verdict, job, job.c.job_id == verdict.c.job_id)
        .where(job.c.state == JobState.WAITING.value, verdict.c.action == VerdictAction.RETRY.value, of_policy)
    )
    return Affected(
        jobs=connection.scalars(query).one(),
        restarted=connection.scalars(query.where(verdict.c.rule_key.not_in(list(kept)))).one(),
    )


def waiting_in(connection: Connection, queue: str) -> Affected:
    """The waiting jobs of a queue; no count of theirs is touched."""
    query = select(func.count()).select_from(job)
    return Affected(
        jobs=connection.scalars(query.where(job.c.queue == queue, job.c.state == JobState.WAITING.value)).one()
    )
