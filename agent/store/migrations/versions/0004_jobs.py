"""A row for each job, filled from runs and verdicts; ids compared by their bytes; what lists and names are found by."""

import sqlite3

import sqlalchemy as sa
from alembic import op

from agent.store.columns import UtcTime, identifier

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_IDENTIFIERS = {
    "run": (("run_id", False), ("job_id", False)),
    "failure": (("event_id", False), ("run_id", False), ("job_id", False), ("amends", True)),
    "failure_info": (("event_id", False),),
    "verdict": (("run_id", False), ("job_id", False), ("event_id", False)),
}


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        _compare_by_bytes()
    else:
        _teach_reverse()
    _reverse_runs()
    _job()
    op.execute(FILL)
    _indexes()


def _compare_by_bytes() -> None:
    # In the order in which a batch takes them, which would else wait for this and this for it.
    op.execute("LOCK TABLE failure, failure_info, verdict, run IN ACCESS EXCLUSIVE MODE")
    for table, columns in _IDENTIFIERS.items():
        for name, nullable in columns:
            op.alter_column(table, name, type_=identifier(), existing_type=sa.String, existing_nullable=nullable)


def _teach_reverse() -> None:
    """SQLite has no such function; this is for the connection that migrates."""
    connection = op.get_bind().connection.driver_connection
    if isinstance(connection, sqlite3.Connection):
        connection.create_function("reverse", 1, lambda text: text[::-1], deterministic=True)


def _reverse_runs() -> None:
    op.add_column("run", sa.Column("reversed_id", identifier(), nullable=False, server_default=""))
    op.execute("UPDATE run SET reversed_id = reverse(run_id)")


def _job() -> None:
    op.create_table(
        "job",
        sa.Column("job_id", identifier()),
        sa.Column("reversed_id", identifier(), nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("queue", "job_set", "cluster", "namespace")),
        sa.Column("first_at", UtcTime, nullable=False),
        sa.Column("last_end_at", UtcTime),
        sa.Column("last_at", UtcTime, nullable=False),
        sa.Column("runs", sa.Integer, nullable=False),
        sa.Column("latest_run", identifier(), nullable=False),
        sa.Column("latest_run_at", UtcTime, nullable=False),
        sa.Column("phase", sa.String),
        sa.Column("action", sa.String),
        sa.Column("failed_at", UtcTime),
        sa.Column("failed_run", identifier()),
        sa.Column("decided_event", identifier()),
        sa.Column("decided_event_at", UtcTime),
        *(sa.Column(name, sa.String) for name in ("category", "subcategory", "origin", "container")),
        sa.Column("exit_code", sa.Integer),
        sa.Column("state", sa.String, nullable=False),
        sa.PrimaryKeyConstraint("job_id", name="pk_job"),
        # Room for rows that change without their indexes.
        postgresql_with={"fillfactor": "80"},
    )


def _indexes() -> None:
    """Made after the rows, which is quicker."""
    for table, time, columns in (
        ("job", "last_at", ("queue", "job_set")),
        ("run", "first_occurred_at", ("queue", "job_set", "node")),
        ("failure", "occurred_at", ("queue", "job_set", "node", "category")),
    ):
        op.create_index(f"ix_{table}_{time}", table, [time])
        for name in columns:
            op.create_index(f"ix_{table}_{name}_{time}", table, [name, time])
    op.create_index("ix_job_reversed_id", "job", ["reversed_id"])
    op.create_index("ix_run_reversed_id", "run", ["reversed_id"])
    op.create_index("ix_run_pod_name_namespace", "run", ["pod_name", "namespace"])
    for name, on in (("state", sa.text("failed_at IS NOT NULL")), ("category", sa.text("category IS NOT NULL"))):
        op.create_index(f"ix_job_{name}_last_at", "job", [name, "last_at"], sqlite_where=on, postgresql_where=on)


FILL = """
INSERT INTO job (
    job_id, reversed_id, queue, job_set, cluster, namespace, first_at, last_end_at, last_at, runs, latest_run,
    latest_run_at, phase, action, failed_at, failed_run, decided_event, decided_event_at, category, subcategory, origin,
    container, exit_code, state
)
WITH of_job AS (
    SELECT job_id, max(queue) AS queue, max(job_set) AS job_set, min(first_occurred_at) AS first_at, count(*) AS runs,
           max(CASE WHEN phase IN ('succeeded', 'failed') THEN phase_at END) AS ended_at
    FROM run GROUP BY job_id
), latest AS (
    SELECT run.*, verdict.action,
           row_number() OVER (PARTITION BY run.job_id ORDER BY run.first_occurred_at DESC, run.run_id DESC) AS place
    FROM run LEFT JOIN verdict ON verdict.run_id = run.run_id
), failed AS (
    SELECT job_id, run_id, occurred_at, row_number() OVER (PARTITION BY job_id ORDER BY occurred_at, run_id) AS place
    FROM failure WHERE occurrence <> 'container-restarted'
), newest AS (
    SELECT job_id, max(occurred_at) AS ended_at FROM failure GROUP BY job_id
), last_end AS (
    SELECT of_job.job_id,
           CASE WHEN newest.ended_at IS NULL OR of_job.ended_at > newest.ended_at THEN of_job.ended_at
                ELSE newest.ended_at END AS at
    FROM of_job LEFT JOIN newest ON newest.job_id = of_job.job_id
), decided AS (
    SELECT failure.*,
           row_number() OVER (PARTITION BY failure.job_id ORDER BY occurred_at DESC, failure.event_id DESC) AS place
    FROM verdict JOIN failure ON failure.event_id = verdict.event_id
)
SELECT of_job.job_id, reverse(of_job.job_id), of_job.queue, of_job.job_set, latest.cluster, latest.namespace,
       of_job.first_at, last_end.at,
       CASE WHEN last_end.at > latest.first_occurred_at THEN last_end.at ELSE latest.first_occurred_at END,
       of_job.runs, latest.run_id, latest.first_occurred_at, latest.phase, latest.action,
       failed.occurred_at, failed.run_id, decided.event_id, decided.occurred_at,
       coalesce(amendment.category, decided.category), coalesce(amendment.subcategory, decided.subcategory),
       coalesce(amendment.origin, decided.origin), coalesce(amendment.container, decided.container),
       CASE WHEN amendment.event_id IS NULL THEN decided.exit_code ELSE amendment.exit_code END,
       CASE WHEN latest.phase = 'succeeded' AND failed.run_id <> latest.run_id THEN 'recovered'
            WHEN latest.phase = 'succeeded' THEN 'succeeded'
            WHEN latest.action = 'retry' THEN 'waiting'
            WHEN latest.phase = 'failed' OR latest.action = 'fail' THEN 'still-failed'
            ELSE 'running' END
FROM of_job
JOIN last_end ON last_end.job_id = of_job.job_id
JOIN latest ON latest.job_id = of_job.job_id AND latest.place = 1
LEFT JOIN failed ON failed.job_id = of_job.job_id AND failed.place = 1
LEFT JOIN decided ON decided.job_id = of_job.job_id AND decided.place = 1
LEFT JOIN failure AS amendment ON amendment.run_id = decided.run_id AND amendment.amends = decided.event_id
"""
"""At most one amendment of a failure exists, so that a job has one row."""
