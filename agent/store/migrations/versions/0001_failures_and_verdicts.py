"""Runs, their failures, the verdicts on them, and failed attempts to handle a message."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from agent.store.columns import Document, UtcTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _run()
    _failure()
    _failure_info()
    _verdict()
    _attempt()


def _identity() -> list[sa.Column[Any]]:
    text = ("job_id", "job_set", "queue", "gang_id")
    place = ("cluster_id", "cluster", "namespace", "pod_name", "pod_uid", "node")
    return [
        *(sa.Column(name, sa.String, nullable=False) for name in text),
        sa.Column("attempt", sa.Integer),
        *(sa.Column(name, sa.String, nullable=False) for name in place),
    ]


def _run() -> None:
    op.create_table(
        "run",
        sa.Column("run_id", sa.String),
        *_identity(),
        sa.Column("phase", sa.String),
        sa.Column("phase_at", UtcTime),
        sa.Column("first_occurred_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_run"),
    )
    op.create_index("ix_run_job_id_first_occurred_at", "run", ["job_id", "first_occurred_at"])


def _failure() -> None:
    op.create_table(
        "failure",
        sa.Column("event_id", sa.String),
        sa.Column("run_id", sa.String, nullable=False),
        *_identity(),
        sa.Column("occurrence", sa.String, nullable=False),
        sa.Column("amends", sa.String),
        *(sa.Column(name, sa.String, nullable=False) for name in ("category", "subcategory", "origin")),
        sa.Column("advice", sa.String),
        sa.Column("matched", sa.Boolean, nullable=False),
        sa.Column("rules_revision", sa.String, nullable=False),
        sa.Column("exit_code", sa.Integer),
        sa.Column("signal", sa.Integer),
        sa.Column("container", sa.String, nullable=False),
        sa.Column("termination_reason", sa.String, nullable=False),
        sa.Column("user_code_ran", sa.Boolean),
        sa.Column("key_line", sa.Text, nullable=False),
        *(sa.Column(name, UtcTime, nullable=False) for name in ("occurred_at", "observed_at", "stored_at")),
        sa.PrimaryKeyConstraint("event_id", name="pk_failure"),
    )
    op.create_index("ix_failure_run_id", "failure", ["run_id"])
    op.create_index("ix_failure_job_id_occurred_at", "failure", ["job_id", "occurred_at"])


def _failure_info() -> None:
    op.create_table(
        "failure_info",
        sa.Column("event_id", sa.String),
        sa.Column("info", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("event_id", name="pk_failure_info"),
        sa.ForeignKeyConstraint(
            ["event_id"], ["failure.event_id"], name="fk_failure_info_event_id", ondelete="CASCADE"
        ),
    )


def _verdict() -> None:
    op.create_table(
        "verdict",
        sa.Column("run_id", sa.String),
        *(sa.Column(name, sa.String, nullable=False) for name in ("job_id", "event_id", "action", "reason")),
        *(sa.Column(name, sa.String) for name in ("policy", "rule_key")),
        sa.Column("delay_seconds", sa.Float, nullable=False),
        sa.Column("not_before", UtcTime),
        sa.Column("avoid_nodes", Document(), nullable=False),
        sa.Column("decided_at", UtcTime, nullable=False),
        sa.Column("explanation", Document(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_verdict"),
        sa.ForeignKeyConstraint(["event_id"], ["failure.event_id"], name="fk_verdict_event_id"),
    )
    op.create_index("ix_verdict_job_id_action_rule_key", "verdict", ["job_id", "action", "rule_key"])
    op.create_index("ix_verdict_event_id", "verdict", ["event_id"])
    op.create_index("ix_verdict_decided_at", "verdict", ["decided_at"])


def _attempt() -> None:
    op.create_table(
        "attempt",
        sa.Column("fingerprint", sa.String),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("last_error", sa.Text, nullable=False),
        sa.Column("last_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name="pk_attempt"),
    )
    op.create_index("ix_attempt_last_at", "attempt", ["last_at"])
