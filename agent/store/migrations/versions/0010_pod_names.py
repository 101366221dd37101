"""The name of each run's pod, fixed when it is leased. An earlier run has the one that was reported or asked for."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_RUN = sa.table(
    "submitted_run", *(sa.column(name) for name in ("run_id", "job_id", "run_index", "pod_name")), schema=None
)
_OBSERVED = sa.table("run", sa.column("run_id"), sa.column("pod_name"))


def upgrade() -> None:
    op.add_column("submitted_run", sa.Column("pod_name", sa.String, nullable=False, server_default=""))
    reported = sa.select(_OBSERVED.c.pod_name).where(_OBSERVED.c.run_id == _RUN.c.run_id).scalar_subquery()
    first = sa.literal("armada-") + _RUN.c.job_id + "-0"
    asked = sa.case((_RUN.c.run_index == 0, first), else_=first + "-" + sa.cast(_RUN.c.run_index, sa.String))
    named = sa.func.coalesce(sa.func.nullif(reported, ""), asked)
    op.execute(sa.update(_RUN).values(pod_name=named))
