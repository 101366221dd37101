"""The fingerprint and the details of each failure, filled from the failures as they were sent."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa
import structlog
from alembic import op

from agent.core.failure import Failure
from agent.store.columns import UtcTime, identifier
from agent.wire import failure as wire
from agent.wire.error import WireError

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_BATCH: Final = 1_000
_LONGEST_VALUE: Final = 256

_log = structlog.get_logger(__name__)
_info = sa.table("failure_info", sa.column("event_id", identifier()), sa.column("info", sa.LargeBinary))
_failure = sa.table(
    "failure",
    sa.column("event_id", identifier()),
    sa.column("fingerprint", identifier()),
    sa.column("occurred_at", UtcTime),
)
_detail = sa.table(
    "failure_detail",
    sa.column("event_id", identifier()),
    sa.column("key", sa.String),
    sa.column("value", sa.String),
    sa.column("occurred_at", UtcTime),
)


def upgrade() -> None:
    op.add_column("failure", sa.Column("fingerprint", identifier(), nullable=False, server_default=""))
    op.create_table(
        "failure_detail",
        sa.Column("event_id", identifier()),
        sa.Column("key", sa.String),
        sa.Column("value", sa.String, nullable=False),
        sa.Column("occurred_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("event_id", "key", name="pk_failure_detail"),
        sa.ForeignKeyConstraint(
            ["event_id"], ["failure.event_id"], name="fk_failure_detail_event_id", ondelete="CASCADE"
        ),
    )
    for batch in _batches(op.get_bind()):
        _fill(op.get_bind(), batch)
    # After the rows, which is quicker.
    op.create_index("ix_failure_fingerprint_occurred_at", "failure", ["fingerprint", "occurred_at"])
    op.create_index("ix_failure_detail_key_value_occurred_at", "failure_detail", ["key", "value", "occurred_at"])


def _batches(connection: sa.Connection) -> Iterator[Sequence[sa.RowMapping]]:
    after = ""
    page = (
        sa.select(_info.c.event_id, _info.c.info, _failure.c.occurred_at)
        .join(_failure, _failure.c.event_id == _info.c.event_id)
        .order_by(_info.c.event_id)
        .limit(_BATCH)
    )
    while rows := connection.execute(page.where(_info.c.event_id > after)).mappings().all():
        yield rows
        after = rows[-1]["event_id"]


def _fill(connection: sa.Connection, batch: Sequence[sa.RowMapping]) -> None:
    fingerprints, details = [], []
    for row in batch:
        failure = _read(row)
        if failure is not None and failure.fingerprint:
            fingerprints.append({"event": row["event_id"], "given": failure.fingerprint})
        if failure is not None:
            details += _details(row, failure)
    if fingerprints:
        change = sa.update(_failure).where(_failure.c.event_id == sa.bindparam("event"))
        connection.execute(change.values(fingerprint=sa.bindparam("given")), fingerprints)
    if details:
        connection.execute(sa.insert(_detail), details)


def _read(row: sa.RowMapping) -> Failure | None:
    try:
        return wire.decode(row["info"])
    except WireError as error:
        _log.warning(
            "a failure cannot be read, will store no details of it", event_id=row["event_id"], error=str(error)
        )
        return None


def _details(row: sa.RowMapping, failure: Failure) -> list[dict[str, Any]]:
    values = {detail.key.value: detail.value[:_LONGEST_VALUE] for detail in reversed(failure.classification.detail)}
    own = {"event_id": row["event_id"], "occurred_at": row["occurred_at"]}
    return [{**own, "key": key, "value": value} for key, value in values.items()]
