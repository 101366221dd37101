"""What people say that failures were instead of what the rules said."""

from typing import Final

import sqlalchemy as sa
from alembic import op

from agent.lookout.store.documents import FailureDocument
from agent.store.columns import UtcTime, identifier

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_IDS: Final = ("job_id", "run_id", "failure_id")
_TEXTS: Final = (
    *("by", "category", "subcategory", "origin", "reason", "said_category", "said_subcategory", "said_origin"),
    *("namespace", "pod_name", "node"),
)


def upgrade() -> None:
    op.create_table(
        "correction",
        sa.Column("correction_id", identifier(), nullable=False),
        *(sa.Column(name, identifier(), nullable=False) for name in _IDS),
        sa.Column("at", UtcTime, nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in _TEXTS),
        sa.Column("retryable", sa.Boolean),
        sa.Column("info", FailureDocument(), nullable=False),
        sa.PrimaryKeyConstraint("correction_id", name="pk_correction"),
    )
    for name in ("job_id", "run_id", "at"):
        op.create_index(f"ix_correction_{name}", "correction", [name])
