"""The grade of each failure's advice; what was stored before has none."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("failure", "job"):  # in the order in which a batch takes them
        op.add_column(table, sa.Column("grade", sa.String))
