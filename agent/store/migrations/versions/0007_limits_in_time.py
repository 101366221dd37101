"""When a run began and how long it lasted, which ``giveUpAfter`` counts; not known of verdicts made before."""

import sqlalchemy as sa
from alembic import op

from agent.store.columns import UtcTime

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("verdict", sa.Column("began_at", UtcTime))
    op.add_column("verdict", sa.Column("lasted_seconds", sa.Float))
