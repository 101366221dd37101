"""The day of the latest message about each run and job, and the revision of the rules that classified each failure.

Of what was stored before, the day is that of the latest time in its rows.
"""

from typing import Final

import sqlalchemy as sa
from alembic import op

from agent.store.columns import UtcTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_EPOCH: Final = sa.text("'1970-01-01 00:00:00.000000+00'")
_EPOCH_IN_SQLITE: Final = sa.text("'1970-01-01 00:00:00.000000'")

_LATEST: Final = {
    "job_run": (
        *("first_at", "leased_at", "pending_at", "running_at", "succeeded_at", "rejected_at", "pod_at", "decided_at"),
        "(SELECT max(occurred_at) FROM run_failure WHERE run_failure.run_id = job_run.run_id)",
        "(SELECT max(observed_at) FROM run_failure WHERE run_failure.run_id = job_run.run_id)",
    ),
    "job": (
        *("first_at", "submitted_at", "state_at"),
        "(SELECT max(last_day) FROM job_run WHERE job_run.job_id = job.job_id)",
        "(SELECT max(at) FROM job_request WHERE job_request.job_id = job.job_id)",
    ),
}
"""Times in the rows of each table, in the order in which they are read."""

_DAY: Final = {
    "sqlite": "strftime('%Y-%m-%d 00:00:00.000000', {latest})",
    "postgresql": "date_trunc('day', {latest}, 'UTC')",
}
_GREATEST: Final = {"sqlite": "max", "postgresql": "greatest"}
_REVISION: Final = {
    "sqlite": "json_extract(info, '$.classification.revision')",
    "postgresql": "info #>> '{classification,revision}'",
}


def upgrade() -> None:
    dialect = op.get_bind().dialect.name
    epoch = _EPOCH_IN_SQLITE if dialect == "sqlite" else _EPOCH
    for table, times in _LATEST.items():
        op.add_column(table, sa.Column("last_day", UtcTime, nullable=False, server_default=epoch))
        latest = f"{_GREATEST[dialect]}({', '.join(f'coalesce({time}, first_at)' for time in times)})"
        rows = sa.table(table, sa.column("last_day"))
        op.execute(sa.update(rows).values(last_day=sa.text(_DAY[dialect].format(latest=latest))))
    op.create_index("ix_job_last_day", "job", ["last_day"])
    op.add_column("run_failure", sa.Column("rules_revision", sa.String, nullable=False, server_default=""))
    failures = sa.table("run_failure", sa.column("rules_revision"))
    op.execute(sa.update(failures).values(rules_revision=sa.text(f"coalesce({_REVISION[dialect]}, '')")))
    op.create_index("ix_run_failure_rules_revision", "run_failure", ["rules_revision"])
