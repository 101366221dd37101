"""The tables of submitted jobs."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from agent.store.columns import Document, UtcTime, identifier
from agent.store.metadata import metadata

job_table: Final = Table(
    "submitted_job",
    metadata,
    Column("job_id", identifier(), primary_key=True),
    Column("reversed_id", identifier(), nullable=False),
    *(Column(name, String, nullable=False) for name in ("queue", "job_set", "namespace")),
    Column("client_id", identifier()),
    Column("spec_hash", String, nullable=False),
    Column("name", String, nullable=False),
    Column("priority", Float, nullable=False),
    Column("gang_id", String, nullable=False),
    Column("retry_policies", Text, nullable=False),
    Column("submitted_at", UtcTime, nullable=False),
    Column("submitted_by", String, nullable=False),
    Column("state", String, nullable=False),
    Column("opening", Integer, nullable=False),
    Column("never_retry", Boolean, nullable=False),
    Column("next_index", Integer),
    Column("next_attempt", Integer),
    Column("next_not_before", UtcTime),
    Column("next_granted", Boolean),
    Column("next_rejected", Text),
    Column("wakes_at", UtcTime),
    Column("events", Integer, nullable=False, server_default="1"),
)
"""A submitted job. ``client_id`` is ``None`` if the submitter gave none; ``next_index`` is ``None`` if no run waits.

``wakes_at`` is when the scheduling pass is to look at it, ``None`` if only a report or a request changes it. ``events``
is how many job events it has, that of its submission included. Its ending is the row of ``ending_table`` with its
``opening``.
"""
Index(None, job_table.c.queue, job_table.c.client_id, unique=True)
Index(None, job_table.c.queue, job_table.c.state)
Index(None, job_table.c.wakes_at)
Index(None, job_table.c.reversed_id)
Index(None, job_table.c.submitted_at)

spec_table: Final = Table(
    "submitted_spec",
    metadata,
    Column("job_id", identifier(), ForeignKey(job_table.c.job_id, ondelete="CASCADE"), primary_key=True),
    Column("pod", LargeBinary, nullable=False),
)
"""The pod of a job, as JSON."""

run_table: Final = Table(
    "submitted_run",
    metadata,
    Column("run_id", identifier(), primary_key=True),
    Column("job_id", identifier(), ForeignKey(job_table.c.job_id, ondelete="CASCADE"), nullable=False),
    Column("place", Integer, nullable=False),
    *(Column(name, Integer, nullable=False) for name in ("run_index", "attempt", "generation")),
    Column("cluster_id", identifier(), nullable=False),
    Column("lost_cluster", String, nullable=False),
    Column("graceful_shutdown", String, nullable=False),
    Column("grace_seconds", Float, nullable=False),
    Column("pod_name", String, nullable=False),
    Column("granted", Boolean, nullable=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("sent_at", UtcTime, nullable=False),
    Column("sent", Integer, nullable=False),
    Column("uid", identifier()),
    Column("node", String, nullable=False),
    Column("phase", String),
    Column("name_held_uid", identifier()),
    Column("name_held_since", UtcTime),
    Column("closed_why", String),
    Column("closed_at", UtcTime),
    Column("verdict", String),
    Column("retry_at", UtcTime),
    Column("grant_returned", Boolean, nullable=False),
    Column("answered", String),
    Column("confirmed", String),
    Column("changed_at", UtcTime, nullable=False),
    Column("memory", Document()),
)
"""A run of a submitted job. ``place`` counts all runs of the job; ``run_index`` does not count rejected ones.

``changed_at``: when anything of it changed last. ``memory`` is what the create sets of some containers instead of the
memory in the spec; ``None`` if nothing.
"""
Index(None, run_table.c.job_id, run_table.c.place, unique=True)
Index(None, run_table.c.uid, run_table.c.cluster_id, unique=True)

ending_table: Final = Table(
    "job_ending",
    metadata,
    Column("job_id", identifier(), ForeignKey(job_table.c.job_id, ondelete="CASCADE"), primary_key=True),
    Column("opening", Integer, primary_key=True),
    Column("state", String, nullable=False),
    Column("ended_by", String, nullable=False),
    Column("at", UtcTime, nullable=False),
)
"""How a job ended: at most once for each time that it was opened."""

request_table: Final = Table(
    "job_request",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("job_id", identifier(), ForeignKey(job_table.c.job_id, ondelete="CASCADE"), nullable=False),
    Column("kind", String, nullable=False),
    Column("by", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("outcome", Text, nullable=False),
    sqlite_autoincrement=True,
)
"""What people asked for and what came of it, never changed."""
Index(None, request_table.c.job_id, request_table.c.number)

pending_table: Final = Table(
    "pending_event",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("event_id", identifier(), nullable=False),
    Column("run_id", identifier(), nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("received_at", UtcTime, nullable=False),
    sqlite_autoincrement=True,
)
"""Events about pods that a run may record, in the order of their arrival."""
Index(None, pending_table.c.event_id, unique=True)
Index(None, pending_table.c.run_id)
Index(None, pending_table.c.received_at)
