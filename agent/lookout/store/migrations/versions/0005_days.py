"""Counts by day, and other indexes: of all runs by what few of them share, and of failed ones by the rest.

Those of failed runs go by a column that is in them: SQLite reads the row otherwise.
"""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

from agent.store.columns import UtcTime, identifier

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_KEY: Final = ("day", "category", "origin", "queue")
_FAILED: Final = (
    *("failed_at", "run_id", "cluster", "origin", "grade", "exit_code", "mechanism", "occurrence", "user_code_ran"),
    *("verdict", "attempt"),
)
_FAILED_BY: Final = (
    *("category", "queue", "node", "namespace", "fingerprint", "reason", "exit_code", "container", "policy", "rule"),
)
_DAY: Final = {
    "sqlite": "strftime('%Y-%m-%d 00:00:00.000000', hour)",
    "postgresql": "date_trunc('day', hour, 'UTC')",
}
_COUNTED: Final = """
    INSERT INTO rollup_day (day, category, origin, queue, runs, failures)
    SELECT {day}, category, origin, queue, sum(runs), sum(failures) FROM rollup_hour GROUP BY 1, 2, 3, 4
"""


def upgrade() -> None:
    _count_by_day()
    for name in (*_FAILED_BY, "owner", "job_set", "pod_name"):
        op.drop_index(f"ix_job_run_failed_{name}", "job_run")
    for name in _FAILED_BY:
        _of_failed(f"ix_job_run_failed_{name}", (name, "failed_at"))
    for name in ("owner", "job_set"):
        op.create_index(f"ix_job_run_{name}_first_at", "job_run", [name, "first_at"])
    op.create_index("ix_job_run_pod_name", "job_run", ["pod_name"])
    op.drop_index("ix_job_run_failed", "job_run")
    _of_failed("ix_job_run_failed", _FAILED)
    for name in ("name", "client_id"):
        op.create_index(f"ix_job_{name}", "job", [name])


def _count_by_day() -> None:
    op.create_table(
        "rollup_day",
        sa.Column("day", UtcTime, nullable=False),
        *(sa.Column(name, identifier(), nullable=False) for name in ("category", "origin", "queue")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("runs", "failures")),
        sa.PrimaryKeyConstraint(*_KEY, name="pk_rollup_day"),
    )
    op.execute(sa.text(_COUNTED.format(day=_DAY[op.get_bind().dialect.name])))


def _of_failed(name: str, columns: Sequence[str]) -> None:
    where: dict[str, Any] = {
        f"{dialect}_where": sa.text("failed_at IS NOT NULL") for dialect in ("sqlite", "postgresql")
    }
    op.create_index(name, "job_run", list(columns), **where)
