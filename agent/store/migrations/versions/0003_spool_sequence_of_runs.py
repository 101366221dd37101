"""The spool and sequence of the last state of a run, so that a repeated report is recognised."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Runs recorded before have no mark."""
    op.add_column("run", sa.Column("spool_id", sa.String))
    op.add_column("run", sa.Column("spool_sequence", sa.BigInteger))
