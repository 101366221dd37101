"""Column types that mean the same on every database, and columns that several tables share."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import JSON, Column, DateTime, Dialect, Integer, String
from sqlalchemy.types import TypeDecorator, TypeEngine

from agent.core.run_event import RunEvent


class UtcTime(TypeDecorator[datetime]):
    """An instant to the microsecond: takes aware datetimes and returns them in UTC, on every database."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC; a naive datetime is a bug and raises ValueError."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time must have a time zone")
        in_utc = value.astimezone(UTC)
        return in_utc.replace(tzinfo=None) if dialect.name == "sqlite" else in_utc

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], Any] | None:
        """What SQLAlchemy binds a value by; on SQLite in one step: a row of a run has ten times."""
        return _in_sqlite if dialect.name == "sqlite" else super().bind_processor(dialect)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        """What SQLAlchemy reads a value by; on Postgres in one step: a page has a thousand times."""
        return _in_utc if dialect.name == "postgresql" else super().result_processor(dialect, coltype)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """SQLite returns naive datetimes."""
        del dialect
        return None if value is None else value.replace(tzinfo=UTC)


def _in_utc(value: datetime | None) -> datetime | None:
    """Postgres returns times in the time zone of the session, which is UTC unless the address says otherwise."""
    return value if value is None or value.tzinfo is UTC else value.astimezone(UTC)


@lru_cache(maxsize=1024)
def _in_sqlite(value: datetime | None) -> str | None:
    """The text as which SQLAlchemy stores a time in SQLite. Cached: rows of a batch share most of their times."""
    if value is None:
        return None
    if value.tzinfo is None:
        raise ValueError("a stored time must have a time zone")
    in_utc = value if value.tzinfo is UTC else value.astimezone(UTC)
    return in_utc.isoformat(" ", "microseconds").removesuffix("+00:00")


class LargeDocument(TypeDecorator[Any]):
    """A JSON document of kilobytes. ``agent.store.insert`` does not nest it in another: Postgres would parse it twice.

    Its values are what msgspec encodes.
    """

    impl = JSON
    cache_ok = True


class Document(TypeDecorator[Any]):
    """A JSON document: text on SQLite, ``jsonb`` on Postgres, whose dialect is imported only where it is used."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The type of the database."""
        if dialect.name != "postgresql":
            return JSON()
        from sqlalchemy.dialects.postgresql import JSONB  # noqa: PLC0415 - see above

        return JSONB()

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any] | None:
        """What SQLAlchemy binds a value by; most documents are empty lists."""
        encode = super().bind_processor(dialect)
        if dialect.name != "sqlite" or encode is None:
            return encode
        return lambda value: "[]" if value == [] else encode(value)


def identifier() -> String:
    """An id. It is compared by its bytes on every database, so that what begins alike is side by side in an index."""
    return String().with_variant(String(collation="C"), "postgresql")


Row = dict[str, Any]
"""The values of a row by column name."""


def identity() -> list[Column[Any]]:
    """The columns that ``identity_columns`` fills, but for ``run_id``, which is a key of some tables."""
    return [
        Column("job_id", identifier(), nullable=False),
        *(Column(name, String, nullable=False) for name in ("job_set", "queue", "gang_id")),
        Column("attempt", Integer),
        *(
            Column(name, String, nullable=False)
            for name in ("cluster_id", "cluster", "namespace", "pod_name", "pod_uid", "node")
        ),
    ]


def identity_columns(event: RunEvent) -> Row:
    """The identity, cluster and pod of an event as columns."""
    identity, pod = event.identity, event.pod
    return {
        "run_id": identity.run_id,
        "job_id": identity.job_id,
        "job_set": identity.job_set,
        "queue": identity.queue,
        "gang_id": identity.gang_id,
        "attempt": identity.attempt,
        "cluster_id": event.cluster_id,
        "cluster": event.cluster,
        "namespace": pod.namespace,
        "pod_name": pod.name,
        "pod_uid": pod.uid,
        "node": pod.node,
    }
