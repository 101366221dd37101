"""The table of runs: for each, what its events say together."""

from sqlalchemy import BigInteger, Column, Index, String, Table

from agent.store.columns import UtcTime, identifier, identity
from agent.store.metadata import metadata

table = Table(
    "run",
    metadata,
    Column("run_id", identifier(), primary_key=True),
    *identity(),
    Column("phase", String),
    Column("phase_at", UtcTime),
    Column("first_occurred_at", UtcTime, nullable=False),
    Column("spool_id", String),
    Column("spool_sequence", BigInteger),
    Column("reversed_id", identifier(), nullable=False, server_default=""),
)
"""A run as its events describe it. ``phase`` is the furthest one reported, ``None`` before any was.

``spool_id`` is the last spool that reported a change of state, ``spool_sequence`` the highest sequence of one from it.
``reversed_id`` is ``run_id`` from its end, because people name runs by the end of the id.
"""
Index(None, table.c.job_id, table.c.first_occurred_at)
Index(None, table.c.first_occurred_at)
Index(None, table.c.queue, table.c.first_occurred_at)
Index(None, table.c.job_set, table.c.first_occurred_at)
Index(None, table.c.node, table.c.first_occurred_at)
Index(None, table.c.pod_name, table.c.namespace)
Index(None, table.c.reversed_id)
