"""Lists of the pods of runs, the orphans in them, and when each run changed last.

Nothing follows from a list for a run of before unless the list is newer than this migration.
"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from agent.store.columns import UtcTime, identifier

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_lists()
    _create_orphans()
    _add_changed_at()


def _create_lists() -> None:
    op.create_table(
        "run_list_page",
        sa.Column("list_id", identifier(), nullable=False),
        sa.Column("page", sa.Integer, nullable=False),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("cluster_id", identifier(), nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("topic", "position")),
        sa.Column("received_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("list_id", "page", name="pk_run_list_page"),
    )
    op.create_index("ix_run_list_page_received_at", "run_list_page", ["received_at"])
    op.create_table(
        "run_list",
        sa.Column("cluster_id", identifier(), nullable=False),
        sa.Column("cluster", sa.String, nullable=False),
        sa.Column("list_id", identifier(), nullable=False),
        sa.Column("as_of", UtcTime),
        sa.Column("listed_at", UtcTime, nullable=False),
        *(sa.Column(name, sa.Boolean, nullable=False) for name in ("examined", "concluded")),
        sa.PrimaryKeyConstraint("cluster_id", name="pk_run_list"),
    )
    op.create_table(
        "run_list_request",
        sa.Column("cluster_id", identifier(), nullable=False),
        sa.Column("asked_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("cluster_id", name="pk_run_list_request"),
    )


def _create_orphans() -> None:
    op.create_table(
        "orphan",
        sa.Column("cluster_id", identifier(), nullable=False),
        sa.Column("uid", identifier(), nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("namespace", "pod_name", "node")),
        sa.Column("job_id", identifier(), nullable=False),
        sa.Column("run_id", identifier(), nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("queue", "phase")),
        sa.Column("ended", sa.Boolean, nullable=False),
        sa.Column("since", UtcTime, nullable=False),
        sa.Column("confirmed_at", UtcTime),
        sa.Column("confirmed_by", sa.String),
        sa.Column("confirmed_reason", sa.Text),
        sa.PrimaryKeyConstraint("cluster_id", "uid", name="pk_orphan"),
    )
    op.create_index("ix_orphan_job_id", "orphan", ["job_id"])


def _add_changed_at() -> None:
    epoch = sa.text("'1970-01-01 00:00:00.000000'")
    op.add_column("submitted_run", sa.Column("changed_at", UtcTime, nullable=False, server_default=epoch))
    runs = sa.table("submitted_run", sa.column("changed_at", UtcTime))
    op.execute(sa.update(runs).values(changed_at=datetime.now(UTC)))
