"""The tables of failures. A row is also the record that its event was consumed: ``event_id`` is the primary key."""

from typing import Final

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, LargeBinary, String, Table, Text

from agent.store.columns import UtcTime, identifier, identity
from agent.store.metadata import metadata

table = Table(
    "failure",
    metadata,
    Column("event_id", identifier(), primary_key=True),
    Column("run_id", identifier(), nullable=False),
    *identity(),
    Column("occurrence", String, nullable=False),
    Column("amends", identifier()),
    Column("category", String, nullable=False),
    Column("subcategory", String, nullable=False),
    Column("origin", String, nullable=False),
    Column("advice", String),
    Column("grade", String),
    Column("corroborated", Boolean),
    Column("matched", Boolean, nullable=False),
    Column("rules_revision", String, nullable=False),
    Column("exit_code", Integer),
    Column("signal", Integer),
    Column("container", String, nullable=False),
    Column("termination_reason", String, nullable=False),
    Column("user_code_ran", Boolean),
    Column("key_line", Text, nullable=False),
    Column("fingerprint", identifier(), nullable=False, server_default=""),
    Column("occurred_at", UtcTime, nullable=False),
    Column("observed_at", UtcTime, nullable=False),
    Column("stored_at", UtcTime, nullable=False),
)
"""A consumed failure, an amendment (``amends`` is the event it belongs to) or the refusal of a run.

``grade`` and ``corroborated`` are ``None`` where there is none, and for failures that were stored before the column was
added.
"""
Index(None, table.c.run_id)
Index(None, table.c.job_id, table.c.occurred_at)
Index(None, table.c.occurred_at)
Index(None, table.c.queue, table.c.occurred_at)
Index(None, table.c.job_set, table.c.occurred_at)
Index(None, table.c.node, table.c.occurred_at)
Index(None, table.c.category, table.c.occurred_at)
Index(None, table.c.fingerprint, table.c.occurred_at)

OUTLINE: Final = ("category", "subcategory", "origin", "grade", "corroborated", "container", "exit_code")
"""The columns of a failure that a job's row repeats."""

info_table = Table(
    "failure_info",
    metadata,
    Column("event_id", identifier(), ForeignKey(table.c.event_id, ondelete="CASCADE"), primary_key=True),
    Column("info", LargeBinary, nullable=False),
)
"""The whole failure as the contract's ``FailureInfo``, in protobuf."""

detail_table = Table(
    "failure_detail",
    metadata,
    Column("event_id", identifier(), ForeignKey(table.c.event_id, ondelete="CASCADE"), primary_key=True),
    Column("key", String, primary_key=True),
    Column("value", String, nullable=False),
    Column("occurred_at", UtcTime, nullable=False),
)
"""The details of a failure, and its time, so that one index gives failures with a detail in the order of a list."""
Index(None, detail_table.c.key, detail_table.c.value, detail_table.c.occurred_at)

LONGEST_VALUE: Final = 256
"""Characters of a detail's value that its row holds: an index on Postgres refuses rows of more than 2,704 bytes."""
