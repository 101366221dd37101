"""Resources, with every version they had; and the rules that each cluster classifies by."""

import sqlalchemy as sa
from alembic import op

from agent.store.columns import Document, UtcTime, identifier

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_resources()
    op.create_table(
        "rule_set",
        sa.Column("cluster_id", identifier(), nullable=False),
        sa.Column("cluster", sa.String, nullable=False),
        sa.Column("revision", sa.String, nullable=False),
        sa.Column("categories", Document(), nullable=False),
        sa.Column("loaded_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("cluster_id", name="pk_rule_set"),
    )


def _create_resources() -> None:
    op.create_table(
        "resource",
        sa.Column("kind", identifier(), nullable=False),
        sa.Column("name", identifier(), nullable=False),
        sa.Column("uid", identifier(), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("created_by", sa.String, nullable=False),
        sa.Column("changed_at", UtcTime, nullable=False),
        sa.Column("changed_by", sa.String, nullable=False),
        sa.PrimaryKeyConstraint("kind", "name", name="pk_resource"),
    )
    op.create_table(
        "resource_history",
        sa.Column("revision", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("kind", identifier(), nullable=False),
        sa.Column("name", identifier(), nullable=False),
        sa.Column("uid", identifier(), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("change", sa.String, nullable=False),
        sa.Column("text", sa.Text),
        sa.Column("at", UtcTime, nullable=False),
        sa.Column("by", sa.String, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("revision", name="pk_resource_history"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_resource_history_kind_name_version", "resource_history", ["kind", "name", "version"], unique=True
    )
