"""The table of jobs: a summary of each job's runs and verdicts, so that listing jobs needs no counting."""

from sqlalchemy import Boolean, Column, Index, Integer, String, Table

from agent.store.columns import UtcTime, identifier
from agent.store.metadata import metadata

table = Table(
    "job",
    metadata,
    Column("job_id", identifier(), primary_key=True),
    Column("reversed_id", identifier(), nullable=False),
    *(Column(name, String, nullable=False) for name in ("queue", "job_set", "cluster", "namespace")),
    Column("first_at", UtcTime, nullable=False),
    Column("last_end_at", UtcTime),
    Column("last_at", UtcTime, nullable=False),
    Column("runs", Integer, nullable=False),
    Column("latest_run", identifier(), nullable=False),
    Column("latest_run_at", UtcTime, nullable=False),
    Column("phase", String),
    Column("action", String),
    Column("failed_at", UtcTime),
    Column("failed_run", identifier()),
    Column("decided_event", identifier()),
    Column("decided_event_at", UtcTime),
    *(Column(name, String) for name in ("category", "subcategory", "origin", "grade", "container")),
    Column("corroborated", Boolean),
    Column("exit_code", Integer),
    Column("state", String, nullable=False),
)
"""A job as its runs describe it. ``last_end_at`` is when a run ended, failed or was refused last, ``last_at`` that or
when the latest run was first seen: other changes of the run do not update it, so no index has to change.

``latest_run`` is the one first seen last, at ``latest_run_at``; ``cluster``,
``namespace``, ``phase`` and ``action`` (of its verdict) are that run's.

``failed_at`` and ``failed_run`` are of the first failure. ``decided_event`` is the latest failure with a verdict, and
``category`` to ``exit_code`` are what is known of it, amendments included. All are ``None`` before there is one.
"""
Index(None, table.c.last_at)
Index(None, table.c.queue, table.c.last_at)
Index(None, table.c.job_set, table.c.last_at)
Index(None, table.c.reversed_id)
