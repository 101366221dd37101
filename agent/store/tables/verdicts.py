"""The table of verdicts."""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, String, Table, true

from agent.store.columns import Document, UtcTime, identifier
from agent.store.metadata import metadata
from agent.store.tables.failures import table as failure

table = Table(
    "verdict",
    metadata,
    Column("run_id", identifier(), primary_key=True),
    Column("job_id", identifier(), nullable=False),
    Column("event_id", identifier(), ForeignKey(failure.c.event_id), nullable=False),
    Column("action", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("policy", String),
    Column("rule_key", String),
    Column("delay_seconds", Float, nullable=False),
    Column("not_before", UtcTime),
    Column("avoid_nodes", Document(), nullable=False),
    Column("decided_at", UtcTime, nullable=False),
    Column("explanation", Document(), nullable=False),
    Column("charge", String),
    Column("undisturbed", Boolean, nullable=False, server_default=true()),
    Column("backoff_base", Integer, nullable=False, server_default="0"),
    Column("shadow_key", String),
    Column("began_at", UtcTime),
    Column("lasted_seconds", Float),
)
"""The verdict on a run, the event it was made on, and why."""
Index(None, table.c.job_id, table.c.action, table.c.rule_key)
Index(None, table.c.event_id)
Index(None, table.c.decided_at)
