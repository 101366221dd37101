"""Whether each failure's blame is corroborated; of what was stored before that is not known."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("job_run", "run_failure"):  # in the order in which a batch takes them
        op.add_column(table, sa.Column("corroborated", sa.Boolean))
