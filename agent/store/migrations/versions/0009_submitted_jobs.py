"""Submitted jobs with their runs, requests and endings; the outbox, the leader, and what clusters offer."""

import sqlalchemy as sa
from alembic import op

from agent.store.columns import Document, UtcTime, identifier

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _create_jobs()
    _create_runs()
    _create_side_tables()
    _create_pending_events()
    _create_outbox()
    _create_leader_and_clusters()


def _create_jobs() -> None:
    op.create_table(
        "submitted_job",
        sa.Column("job_id", identifier(), nullable=False),
        sa.Column("reversed_id", identifier(), nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("queue", "job_set", "namespace")),
        sa.Column("client_id", identifier()),
        sa.Column("spec_hash", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("priority", sa.Float, nullable=False),
        sa.Column("gang_id", sa.String, nullable=False),
        sa.Column("retry_policies", sa.Text, nullable=False),
        sa.Column("submitted_at", UtcTime, nullable=False),
        sa.Column("submitted_by", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("opening", sa.Integer, nullable=False),
        sa.Column("never_retry", sa.Boolean, nullable=False),
        sa.Column("next_index", sa.Integer),
        sa.Column("next_attempt", sa.Integer),
        sa.Column("next_not_before", UtcTime),
        sa.Column("next_granted", sa.Boolean),
        sa.Column("next_rejected", sa.Text),
        sa.Column("wakes_at", UtcTime),
        sa.PrimaryKeyConstraint("job_id", name="pk_submitted_job"),
    )
    op.create_index("ix_submitted_job_queue_client_id", "submitted_job", ["queue", "client_id"], unique=True)
    op.create_index("ix_submitted_job_queue_state", "submitted_job", ["queue", "state"])
    op.create_index("ix_submitted_job_wakes_at", "submitted_job", ["wakes_at"])
    op.create_index("ix_submitted_job_reversed_id", "submitted_job", ["reversed_id"])
    op.create_index("ix_submitted_job_submitted_at", "submitted_job", ["submitted_at"])


def _create_runs() -> None:
    op.create_table(
        "submitted_run",
        sa.Column("run_id", identifier(), nullable=False),
        sa.Column("job_id", identifier(), nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("place", "run_index", "attempt", "generation")),
        sa.Column("cluster_id", identifier(), nullable=False),
        sa.Column("lost_cluster", sa.String, nullable=False),
        sa.Column("graceful_shutdown", sa.String, nullable=False),
        sa.Column("grace_seconds", sa.Float, nullable=False),
        sa.Column("granted", sa.Boolean, nullable=False),
        sa.Column("opened_at", UtcTime, nullable=False),
        sa.Column("sent_at", UtcTime, nullable=False),
        sa.Column("sent", sa.Integer, nullable=False),
        sa.Column("uid", identifier()),
        sa.Column("node", sa.String, nullable=False),
        sa.Column("phase", sa.String),
        sa.Column("name_held_uid", identifier()),
        sa.Column("name_held_since", UtcTime),
        sa.Column("closed_why", sa.String),
        sa.Column("closed_at", UtcTime),
        sa.Column("verdict", sa.String),
        sa.Column("retry_at", UtcTime),
        sa.Column("grant_returned", sa.Boolean, nullable=False),
        sa.Column("answered", sa.String),
        sa.Column("confirmed", sa.String),
        sa.Column("memory", Document()),
        sa.PrimaryKeyConstraint("run_id", name="pk_submitted_run"),
        _of_job("submitted_run"),
    )
    op.create_index("ix_submitted_run_job_id_place", "submitted_run", ["job_id", "place"], unique=True)
    op.create_index("ix_submitted_run_uid_cluster_id", "submitted_run", ["uid", "cluster_id"], unique=True)
    is_open = sa.text("closed_at IS NULL")
    op.create_index(
        "ix_submitted_run_open", "submitted_run", ["cluster_id"], sqlite_where=is_open, postgresql_where=is_open
    )


def _create_side_tables() -> None:
    op.create_table(
        "submitted_spec",
        sa.Column("job_id", identifier(), nullable=False),
        sa.Column("pod", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("job_id", name="pk_submitted_spec"),
        _of_job("submitted_spec"),
    )
    op.create_table(
        "job_ending",
        sa.Column("job_id", identifier(), nullable=False),
        sa.Column("opening", sa.Integer, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("ended_by", sa.String, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("job_id", "opening", name="pk_job_ending"),
        _of_job("job_ending"),
    )
    op.create_table(
        "job_request",
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("job_id", identifier(), nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("by", sa.String, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_job_request"),
        _of_job("job_request"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_job_request_job_id_number", "job_request", ["job_id", "number"])


def _of_job(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["job_id"], ["submitted_job.job_id"], name=f"fk_{table}_job_id", ondelete="CASCADE")


def _create_pending_events() -> None:
    op.create_table(
        "pending_event",
        sa.Column("number", _NUMBER, nullable=False),
        *(sa.Column(name, identifier(), nullable=False) for name in ("event_id", "run_id")),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("received_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_pending_event"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_pending_event_event_id", "pending_event", ["event_id"], unique=True)
    op.create_index("ix_pending_event_run_id", "pending_event", ["run_id"])
    op.create_index("ix_pending_event_received_at", "pending_event", ["received_at"])


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("topic", identifier(), nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("properties", Document(), nullable=False),
        sa.Column("written_at", UtcTime, nullable=False),
        sa.Column("sequence", sa.BigInteger),
        sa.Column("error", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_topic_sequence", "outbox", ["topic", "sequence"], unique=True)
    waits = sa.text("sequence IS NULL AND error IS NULL")
    op.create_index("ix_outbox_waits", "outbox", ["topic", "id"], sqlite_where=waits, postgresql_where=waits)
    op.create_table(
        "outbox_topic",
        sa.Column("topic", identifier(), nullable=False),
        sa.Column("spool_id", identifier(), nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("numbered", "sent", "acknowledged")),
        sa.PrimaryKeyConstraint("topic", name="pk_outbox_topic"),
    )


def _create_leader_and_clusters() -> None:
    op.create_table(
        "leader",
        sa.Column("name", identifier(), nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("holder", sa.String, nullable=False),
        sa.Column("until", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_leader"),
    )
    op.create_table(
        "cluster",
        sa.Column("cluster_id", identifier(), nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("incarnation", sa.String, nullable=False),
        sa.Column("namespaces", Document(), nullable=False),
        sa.Column("max_runs", sa.Integer),
        sa.Column("received_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("cluster_id", name="pk_cluster"),
    )
