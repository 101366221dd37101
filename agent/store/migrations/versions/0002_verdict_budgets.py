"""What later verdicts of a lineage need of earlier ones: budget, base of the back-off, kind of run, shadow."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Earlier verdicts had no budgets, and the kind of their runs is not known."""
    op.add_column("verdict", sa.Column("charge", sa.String))
    op.add_column("verdict", sa.Column("undisturbed", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("verdict", sa.Column("backoff_base", sa.Integer, nullable=False, server_default="0"))
    op.add_column("verdict", sa.Column("shadow_key", sa.String))
