"""What a verdict leaves to later ones of its lineage: its budget, its delays' base, its run's kind, its shadow."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; verdicts made before had no budgets, and of their runs no kind is known."""
    op.add_column("verdict", sa.Column("charge", sa.String))
    op.add_column("verdict", sa.Column("undisturbed", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("verdict", sa.Column("backoff_base", sa.Integer, nullable=False, server_default="0"))
    op.add_column("verdict", sa.Column("shadow_key", sa.String))
