"""How many job events each submitted job has; one of before counts as if its submission had one."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submitted_job", sa.Column("events", sa.Integer, nullable=False, server_default="1"))
