"""The numbers of each spool's messages that were consumed, and the gaps between them."""

import sqlalchemy as sa
from alembic import op

from agent.store.columns import Document, UtcTime, identifier

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "consumed_range",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        *(sa.Column(name, identifier(), nullable=False) for name in ("topic", "spool_id")),
        sa.Column("ranges", Document(), nullable=False),
        sa.Column("position", sa.String, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_consumed_range"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "consumed_spool",
        *(sa.Column(name, identifier(), nullable=False) for name in ("topic", "spool_id")),
        sa.Column("ranges", Document(), nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("topic", "spool_id", name="pk_consumed_spool"),
    )
    op.create_table(
        "sequence_gap",
        *(sa.Column(name, identifier(), nullable=False) for name in ("topic", "spool_id")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("after", "through")),
        sa.Column("position", sa.String, nullable=False),
        sa.Column("noticed_at", UtcTime, nullable=False),
        sa.Column("lost_at", UtcTime),
        sa.PrimaryKeyConstraint("topic", "spool_id", "after", name="pk_sequence_gap"),
    )
