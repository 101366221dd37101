"""The tables. Rows that are read in numbers hold scalars only; what is read one at a time is in a side table.

A row of ``failure`` is also the record that its event was consumed: ``event_id`` is the primary key. At most one
verdict per run: ``run_id`` is the primary key of ``verdict`` (design 4.6).
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    true,
)

from agent.store.columns import UtcTime, document

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

run = Table(
    "run",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("job_id", String, nullable=False),
    Column("job_set", String, nullable=False),
    Column("queue", String, nullable=False),
    Column("gang_id", String, nullable=False),
    Column("attempt", Integer),
    Column("cluster_id", String, nullable=False),
    Column("cluster", String, nullable=False),
    Column("namespace", String, nullable=False),
    Column("pod_name", String, nullable=False),
    Column("pod_uid", String, nullable=False),
    Column("node", String, nullable=False),
    Column("phase", String),
    Column("phase_at", UtcTime),
    Column("first_occurred_at", UtcTime, nullable=False),
    Column("spool_id", String),
    Column("spool_sequence", BigInteger),
)
"""A run as its events describe it. ``phase`` is the furthest one reported, ``None`` before any was.

``spool_id`` is the last spool that reported a change of state, ``spool_sequence`` the highest sequence of one from it.
"""
Index(None, run.c.job_id, run.c.first_occurred_at)

failure = Table(
    "failure",
    metadata,
    Column("event_id", String, primary_key=True),
    Column("run_id", String, nullable=False),
    Column("job_id", String, nullable=False),
    Column("job_set", String, nullable=False),
    Column("queue", String, nullable=False),
    Column("gang_id", String, nullable=False),
    Column("attempt", Integer),
    Column("cluster_id", String, nullable=False),
    Column("cluster", String, nullable=False),
    Column("namespace", String, nullable=False),
    Column("pod_name", String, nullable=False),
    Column("pod_uid", String, nullable=False),
    Column("node", String, nullable=False),
    Column("occurrence", String, nullable=False),
    Column("amends", String),
    Column("category", String, nullable=False),
    Column("subcategory", String, nullable=False),
    Column("origin", String, nullable=False),
    Column("advice", String),
    Column("matched", Boolean, nullable=False),
    Column("rules_revision", String, nullable=False),
    Column("exit_code", Integer),
    Column("signal", Integer),
    Column("container", String, nullable=False),
    Column("termination_reason", String, nullable=False),
    Column("user_code_ran", Boolean),
    Column("key_line", Text, nullable=False),
    Column("occurred_at", UtcTime, nullable=False),
    Column("observed_at", UtcTime, nullable=False),
    Column("stored_at", UtcTime, nullable=False),
)
"""A consumed failure, an amendment (``amends`` is the event it belongs to) or the refusal of a run."""
Index(None, failure.c.run_id)
Index(None, failure.c.job_id, failure.c.occurred_at)

failure_info = Table(
    "failure_info",
    metadata,
    Column("event_id", String, ForeignKey(failure.c.event_id, ondelete="CASCADE"), primary_key=True),
    Column("info", LargeBinary, nullable=False),
)
"""The whole failure as the contract's ``FailureInfo``, in protobuf."""

verdict = Table(
    "verdict",
    metadata,
    Column("run_id", String, primary_key=True),
    Column("job_id", String, nullable=False),
    Column("event_id", String, ForeignKey(failure.c.event_id), nullable=False),
    Column("action", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("policy", String),
    Column("rule_key", String),
    Column("delay_seconds", Float, nullable=False),
    Column("not_before", UtcTime),
    Column("avoid_nodes", document(), nullable=False),
    Column("decided_at", UtcTime, nullable=False),
    Column("explanation", document(), nullable=False),
    Column("charge", String),
    Column("undisturbed", Boolean, nullable=False, server_default=true()),
    Column("backoff_base", Integer, nullable=False, server_default="0"),
    Column("shadow_key", String),
)
"""The verdict on a run, the event it was made on, and why."""
Index(None, verdict.c.job_id, verdict.c.action, verdict.c.rule_key)
Index(None, verdict.c.event_id)
Index(None, verdict.c.decided_at)

attempt = Table(
    "attempt",
    metadata,
    Column("fingerprint", String, primary_key=True),
    Column("failed", Integer, nullable=False),
    Column("last_error", Text, nullable=False),
    Column("last_at", UtcTime, nullable=False),
)
"""How often handling a message failed although the store answered. Brokers' own counts may reset."""
Index(None, attempt.c.last_at)
