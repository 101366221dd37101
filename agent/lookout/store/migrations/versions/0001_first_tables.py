"""The first tables."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from agent.store.columns import Document, UtcTime, identifier

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_JSON = sa.Text().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    _job()
    _job_request()
    _job_run()
    _run_category()
    _run_failure()
    _run_log()
    _retry_decision()
    _cluster()
    _rule()
    _rollup_hour()
    _rollup_node_day()
    _horizon()
    _attempt()


def _job() -> None:
    op.create_table(
        "job",
        sa.Column("job_id", identifier(), nullable=False),
        *(
            sa.Column(name, sa.String, nullable=False)
            for name in ("queue", "job_set", "owner", "namespace", "gang_id", "name", "client_id", "retry_policies")
        ),
        sa.Column("priority", sa.Float),
        sa.Column("first_at", UtcTime, nullable=False),
        *(sa.Column(name, UtcTime) for name in ("submitted_at", "state_at")),
        sa.Column("state", sa.String),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("ended_by", sa.String),
        sa.Column("ended_at", UtcTime),
        sa.PrimaryKeyConstraint("job_id", name="pk_job"),
    )
    op.create_index("ix_job_first_at", "job", ["first_at"])
    op.create_index("ix_job_job_set_first_at", "job", ["job_set", "first_at"])
    op.create_index("ix_job_owner_first_at", "job", ["owner", "first_at"])
    op.create_index("ix_job_queue_first_at", "job", ["queue", "first_at"])


def _job_request() -> None:
    op.create_table(
        "job_request",
        *(sa.Column(name, identifier(), nullable=False) for name in ("event_id", "job_id")),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("kind", "by", "reason", "refused")),
        sa.PrimaryKeyConstraint("event_id", name="pk_job_request"),
    )
    op.create_index("ix_job_request_job_id", "job_request", ["job_id"])


def _job_run() -> None:
    op.create_table("job_run", *_of_run(), *_of_failure(), sa.PrimaryKeyConstraint("run_id", name="pk_job_run"))
    for name in ("first_at", "hour", "job_id"):
        op.create_index(f"ix_job_run_{name}", "job_run", [name])
    for name in ("category", "cluster", "fingerprint", "namespace", "node", "owner", "policy", "queue"):
        op.create_index(f"ix_job_run_{name}_hour", "job_run", [name, "hour"])


def _of_run() -> list[sa.Column[Any]]:
    whose = ("queue", "job_set", "owner", "gang_id", "cluster_id", "cluster")
    pod = ("namespace", "pod_name", "pod_uid", "node", "pod_event")
    decision = ("decision_id", "verdict", "verdict_reason", "policy", "rule")
    times = ("leased_at", "pending_at", "running_at", "succeeded_at", "rejected_at", "pod_at", "decided_at", "hour")
    return [
        *(sa.Column(name, identifier(), nullable=False) for name in ("run_id", "job_id")),
        *(sa.Column(name, sa.String, nullable=False) for name in (*whose, *pod, *decision, "rejection", "state")),
        *(sa.Column(name, sa.Integer) for name in ("attempt", "index")),
        sa.Column("first_at", UtcTime, nullable=False),
        *(sa.Column(name, UtcTime) for name in times),
        sa.Column("sanitized", Document(), nullable=False),
    ]


def _of_failure() -> list[sa.Column[Any]]:
    given = ("occurrence", "category", "subcategory", "origin")
    found = ("container", "reason", "mechanism", "key_line", "fingerprint")
    return [
        sa.Column("failure_id", identifier()),
        sa.Column("failed_at", UtcTime),
        *(sa.Column(name, sa.String, nullable=False) for name in (*given, *found)),
        sa.Column("detail", Document()),
        sa.Column("grade", sa.String),
        sa.Column("exit_code", sa.Integer),
        sa.Column("user_code_ran", sa.Boolean),
    ]


def _run_category() -> None:
    op.create_table(
        "run_category",
        *(sa.Column(name, identifier(), nullable=False) for name in ("category", "run_id")),
        sa.PrimaryKeyConstraint("category", "run_id", name="pk_run_category"),
    )
    op.create_index("ix_run_category_run_id", "run_category", ["run_id"])


def _run_failure() -> None:
    op.create_table(
        "run_failure",
        *(sa.Column(name, identifier(), nullable=False) for name in ("event_id", "run_id")),
        sa.Column("amends", identifier()),
        *(sa.Column(name, UtcTime, nullable=False) for name in ("occurred_at", "observed_at")),
        *(sa.Column(name, sa.String, nullable=False) for name in ("occurrence", "category", "subcategory", "origin")),
        sa.Column("detail", Document(), nullable=False),
        sa.Column("grade", sa.String),
        sa.Column("exit_code", sa.Integer),
        *(
            sa.Column(name, sa.String, nullable=False)
            for name in ("container", "reason", "mechanism", "key_line", "fingerprint")
        ),
        sa.Column("user_code_ran", sa.Boolean),
        sa.Column("categories", Document(), nullable=False),
        sa.Column("info", _JSON, nullable=False),
        sa.PrimaryKeyConstraint("event_id", name="pk_run_failure"),
    )
    op.create_index("ix_run_failure_occurred_at", "run_failure", ["occurred_at"])
    op.create_index("ix_run_failure_run_id", "run_failure", ["run_id"])


def _run_log() -> None:
    op.create_table(
        "run_log",
        sa.Column("event_id", identifier(), nullable=False),
        sa.Column("occurred_at", UtcTime, nullable=False),
        sa.Column("tails", _JSON, nullable=False),
        sa.PrimaryKeyConstraint("event_id", name="pk_run_log"),
    )
    op.create_index("ix_run_log_occurred_at", "run_log", ["occurred_at"])


def _retry_decision() -> None:
    op.create_table(
        "retry_decision",
        *(sa.Column(name, identifier(), nullable=False) for name in ("event_id", "run_id", "job_id")),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("decided_at", UtcTime, nullable=False),
        sa.Column("attempt", sa.Integer),
        *(
            sa.Column(name, sa.String, nullable=False)
            for name in ("failure_id", "action", "reason", "sentence", "policy", "rule", "rule_key", "dialect")
        ),
        sa.Column("rule_number", sa.Integer),
        sa.Column("delay_seconds", sa.Float),
        sa.Column("not_before", UtcTime),
        sa.Column("avoid_nodes", Document(), nullable=False),
        sa.Column("avoid_nodes_left_out", sa.Integer, nullable=False),
        sa.Column("avoid_preferred", sa.Boolean, nullable=False),
        sa.Column("memory", Document(), nullable=False),
        sa.Column("memory_left_out", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("event_id", name="pk_retry_decision"),
    )
    op.create_index("ix_retry_decision_decided_at", "retry_decision", ["decided_at"])
    op.create_index("ix_retry_decision_job_id", "retry_decision", ["job_id"])
    op.create_index("ix_retry_decision_run_id", "retry_decision", ["run_id"])


def _cluster() -> None:
    op.create_table(
        "cluster",
        sa.Column("cluster_id", identifier(), nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("cluster", "incarnation", "spool_id")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("epoch", "last_spooled", "last_acknowledged")),
        sa.Column("node_shapes", Document(), nullable=False),
        sa.Column("takes_runs", sa.Boolean, nullable=False),
        *(sa.Column(name, UtcTime) for name in ("sent_at", "rules_loaded_at")),
        sa.Column("rules_revision", sa.String, nullable=False),
        sa.Column("rules_left_out", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("cluster_id", name="pk_cluster"),
    )


def _rule() -> None:
    op.create_table(
        "rule",
        *(sa.Column(name, identifier(), nullable=False) for name in ("revision", "pack", "category")),
        sa.Column("rule_index", sa.Integer, nullable=False),
        *(sa.Column(name, sa.String, nullable=False) for name in ("name", "subcategory", "origin")),
        sa.PrimaryKeyConstraint("revision", "pack", "category", "rule_index", name="pk_rule"),
    )


def _rollup_hour() -> None:
    op.create_table(
        "rollup_hour",
        sa.Column("hour", UtcTime, nullable=False),
        *(
            sa.Column(name, identifier(), nullable=False)
            for name in ("category", "subcategory", "origin", "queue", "cluster")
        ),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("runs", "failures")),
        sa.PrimaryKeyConstraint("hour", "category", "subcategory", "origin", "queue", "cluster", name="pk_rollup_hour"),
    )


def _rollup_node_day() -> None:
    op.create_table(
        "rollup_node_day",
        sa.Column("day", UtcTime, nullable=False),
        *(sa.Column(name, identifier(), nullable=False) for name in ("cluster", "node")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("runs", "failures")),
        sa.PrimaryKeyConstraint("day", "cluster", "node", name="pk_rollup_node_day"),
    )


def _horizon() -> None:
    op.create_table(
        "horizon",
        sa.Column("name", sa.String, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_horizon"),
    )


def _attempt() -> None:
    op.create_table(
        "attempt",
        sa.Column("fingerprint", sa.String, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("last_error", sa.Text, nullable=False),
        sa.Column("last_at", UtcTime, nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name="pk_attempt"),
    )
    op.create_index("ix_attempt_last_at", "attempt", ["last_at"])
