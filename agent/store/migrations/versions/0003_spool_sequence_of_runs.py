"""How far the spool that told a run's state had got, so that what it tells again is known for that."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the mark; of runs told before, none is known."""
    op.add_column("run", sa.Column("spool_id", sa.String))
    op.add_column("run", sa.Column("spool_sequence", sa.BigInteger))
