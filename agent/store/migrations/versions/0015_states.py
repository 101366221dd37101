"""Only submitted jobs wait for a retry: the scheduler starts no others, whatever was decided about their last run."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_JOB = sa.table("job", sa.column("job_id"), sa.column("state"))
_SUBMITTED = sa.table("submitted_job", sa.column("job_id"))


def upgrade() -> None:
    submitted = sa.exists().where(_SUBMITTED.c.job_id == _JOB.c.job_id)
    waiting = sa.update(_JOB).where(_JOB.c.state == "waiting", sa.not_(submitted))
    op.execute(waiting.values(state="still-failed"))
