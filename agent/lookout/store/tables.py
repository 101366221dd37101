"""The tables. A run has the scalars that people filter by in its row, and the rest in side tables.

Rows with large documents make a table slow to search: Postgres and SQLite both read them with the scalars.
"""

from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, MetaData, String, Table, text

from agent.lookout.store.documents import FailureDocument, LogDocument
from agent.store import attempts
from agent.store.columns import Document, UtcTime, identifier
from agent.store.metadata import metadata as store_metadata

metadata: Final = MetaData(naming_convention=store_metadata.naming_convention)


def _texts(*names: str) -> list[Column[Any]]:
    return [Column(name, identifier(), nullable=False) for name in names]


def _times(*names: str) -> list[Column[Any]]:
    return [Column(name, UtcTime) for name in names]


def _where(condition: str) -> dict[str, Any]:
    """The rows that an index has."""
    return {f"{dialect}_where": text(condition) for dialect in ("sqlite", "postgresql")}


FAILED: Final = (
    *("failed_at", "run_id", "cluster", "origin", "grade", "exit_code", "mechanism", "occurrence", "user_code_ran"),
    *("verdict", "attempt"),
)
ALL_BY: Final = ("queue", "node", "owner", "job_set")
"""Columns of which an index has all runs, by the time of the first report."""

FAILED_BY: Final = (
    *("category", "queue", "node", "namespace", "fingerprint", "reason", "exit_code", "container", "policy", "rule"),
)
"""Columns of which an index has the runs that failed."""

JOBS_BY: Final = ("queue", "job_set", "owner")
"""Columns of which an index has all jobs, by the time of the first report."""

NAMESPACE: Final = "namespace"
"""The column that these indexes, and the one by time alone, end with."""

job_table: Final = Table(
    "job",
    metadata,
    Column("job_id", identifier(), primary_key=True),
    *_texts("queue", "job_set", "owner", "namespace", "gang_id", "name", "client_id", "retry_policies"),
    Column("priority", Float),
    Column("first_at", UtcTime, nullable=False),
    Column("last_day", UtcTime, nullable=False),
    *_times("submitted_at", "state_at"),
    Column("state", identifier()),
    Column("sequence", BigInteger, nullable=False),
    Column("ended_by", identifier()),
    Column("ended_at", UtcTime),
    Index(None, "first_at", NAMESPACE),
    *(Index(None, name, "first_at", NAMESPACE) for name in JOBS_BY),
    Index(None, "last_day"),
    Index(None, "name"),
    Index(None, "client_id"),
)
"""``sequence`` is the number of the job event that ``state`` is of; 0 if none came.

The indexes that have the orders of lists have the namespace, too: most people ask for that of their team, and jobs of
others are passed by without being read.

``last_day`` is the day of the latest message about the job, its runs included. Not the time: it would change with each
message, and the row with it.
"""

job_request_table: Final = Table(
    "job_request",
    metadata,
    Column("event_id", identifier(), primary_key=True),
    Column("job_id", identifier(), nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("at", UtcTime, nullable=False),
    *_texts("kind", "by", "reason", "refused"),
    Index(None, "job_id"),
)

run_table: Final = Table(
    "job_run",
    metadata,
    Column("run_id", identifier(), primary_key=True),
    Column("job_id", identifier(), nullable=False),
    *_texts("queue", "job_set", "owner", "gang_id", "cluster_id", "cluster"),
    *_texts("namespace", "pod_name", "pod_uid", "node"),
    Column("attempt", Integer),
    Column("index", Integer),
    *(Column(name, UtcTime, nullable=False) for name in ("first_at", "last_day")),
    *_times("leased_at", "pending_at", "running_at", "succeeded_at", "rejected_at"),
    *_texts("rejection", "state"),
    Column("pod_at", UtcTime),
    *_texts("pod_event"),
    Column("failure_id", identifier()),
    Column("failed_at", UtcTime),
    *_texts("occurrence", "category", "subcategory", "origin"),
    Column("detail", Document()),
    Column("grade", identifier()),
    Column("corroborated", Boolean),
    Column("exit_code", Integer),
    *_texts("container", "reason", "mechanism", "key_line", "fingerprint"),
    Column("user_code_ran", Boolean),
    Column("decided_at", UtcTime),
    *_texts("decision_id", "verdict", "verdict_reason", "policy", "rule"),
    Column("hour", UtcTime),
    Column("sanitized", Document(), nullable=False),
    Index(None, "job_id"),
    Index(None, "hour"),
    Index(None, "first_at"),
    *(Index(None, name, "first_at") for name in ALL_BY),
    Index(None, "pod_name"),
    Index("ix_job_run_unended", "state", "first_at", **_where("hour IS NULL")),
    Index("ix_job_run_failed", *FAILED, **_where("failed_at IS NOT NULL")),
    *(Index(f"ix_job_run_failed_{name}", name, "failed_at", **_where("failed_at IS NOT NULL")) for name in FAILED_BY),
)
"""``hour`` is the one in which the run ended, and is counted; ``None`` while it goes on.

Most runs succeed, and people look for those that failed: most indexes have only these. One has all that has few values,
so that a rare one among them is found without reading rows.

``pod_at`` and ``pod_event`` are of the event that the pod's name, uid and node are of. ``sanitized`` names the columns
whose text was cut.
"""

run_category_table: Final = Table(
    "run_category",
    metadata,
    Column("category", identifier(), primary_key=True),
    Column("run_id", identifier(), primary_key=True),
    Index(None, "run_id"),
)
"""All categories that a run's failure matched, also the first."""

failure_table: Final = Table(
    "run_failure",
    metadata,
    Column("event_id", identifier(), primary_key=True),
    Column("run_id", identifier(), nullable=False),
    Column("amends", identifier()),
    Column("occurred_at", UtcTime, nullable=False),
    Column("observed_at", UtcTime, nullable=False),
    *_texts("occurrence", "category", "subcategory", "origin"),
    Column("detail", Document(), nullable=False),
    Column("grade", identifier()),
    Column("corroborated", Boolean),
    Column("exit_code", Integer),
    *_texts("container", "reason", "mechanism", "key_line", "fingerprint"),
    Column("user_code_ran", Boolean),
    Column("categories", Document(), nullable=False),
    *_texts("rules_revision"),
    Column("info", FailureDocument(), nullable=False),
    Index(None, "run_id"),
    Index(None, "occurred_at"),
    Index(None, "rules_revision"),
)
"""One failure of a run, or what amends it. ``info`` is all of it but the texts of its logs."""

log_table: Final = Table(
    "run_log",
    metadata,
    Column("event_id", identifier(), primary_key=True),
    Column("occurred_at", UtcTime, nullable=False),
    Column("tails", LogDocument(), nullable=False),
    Index(None, "occurred_at"),
)
"""The ends of the logs of a failure, in rows of their own: they are kept for a shorter time."""

decision_table: Final = Table(
    "retry_decision",
    metadata,
    Column("event_id", identifier(), primary_key=True),
    Column("run_id", identifier(), nullable=False),
    Column("job_id", identifier(), nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("decided_at", UtcTime, nullable=False),
    Column("attempt", Integer),
    *_texts("failure_id", "action", "reason", "sentence", "policy", "rule", "rule_key", "dialect"),
    Column("rule_number", Integer),
    Column("delay_seconds", Float),
    Column("not_before", UtcTime),
    Column("avoid_nodes", Document(), nullable=False),
    Column("avoid_nodes_left_out", Integer, nullable=False),
    Column("avoid_preferred", Boolean, nullable=False),
    Column("memory", Document(), nullable=False),
    Column("memory_left_out", Integer, nullable=False),
    Index(None, "run_id"),
    Index(None, "job_id"),
    Index(None, "decided_at"),
)

cluster_table: Final = Table(
    "cluster",
    metadata,
    Column("cluster_id", identifier(), primary_key=True),
    *_texts("cluster", "incarnation", "spool_id"),
    *(Column(name, BigInteger, nullable=False) for name in ("epoch", "last_spooled", "last_acknowledged")),
    Column("node_shapes", Document(), nullable=False),
    Column("takes_runs", Boolean, nullable=False),
    *_times("sent_at", "rules_loaded_at"),
    *_texts("rules_revision"),
    Column("rules_left_out", Integer, nullable=False),
)
"""``sent_at`` is ``None`` if no heartbeat came, ``rules_revision`` empty if no rules were reported."""

rule_table: Final = Table(
    "rule",
    metadata,
    *(Column(name, identifier(), primary_key=True) for name in ("revision", "pack", "category")),
    Column("rule_index", Integer, primary_key=True),
    *_texts("name", "subcategory", "origin"),
)
"""The rules of each revision."""

hour_table: Final = Table(
    "rollup_hour",
    metadata,
    Column("hour", UtcTime, primary_key=True),
    *(
        Column(name, identifier(), primary_key=True)
        for name in ("category", "subcategory", "origin", "queue", "cluster")
    ),
    Column("runs", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
)
"""How many runs ended in an hour, and how many of them failed. A category is empty if the runs succeeded."""

day_table: Final = Table(
    "rollup_day",
    metadata,
    Column("day", UtcTime, primary_key=True),
    *(Column(name, identifier(), primary_key=True) for name in ("category", "origin", "queue")),
    Column("runs", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
)
"""The same by days in UTC and fewer columns: so few rows that all of them are counted in a moment."""

node_day_table: Final = Table(
    "rollup_node_day",
    metadata,
    Column("day", UtcTime, primary_key=True),
    *(Column(name, identifier(), primary_key=True) for name in ("cluster", "node")),
    Column("runs", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
)

horizon_table: Final = Table(
    "horizon",
    metadata,
    Column("name", String, primary_key=True),
    Column("at", UtcTime, nullable=False),
)

correction_table: Final = Table(
    "correction",
    metadata,
    Column("correction_id", identifier(), primary_key=True),
    *(Column(name, identifier(), nullable=False) for name in ("job_id", "run_id", "failure_id")),
    Column("at", UtcTime, nullable=False),
    *_texts("by", "category", "subcategory", "origin"),
    Column("retryable", Boolean),
    *_texts("reason", "said_category", "said_subcategory", "said_origin", "namespace", "pod_name", "node"),
    Column("info", FailureDocument(), nullable=False),
    Index(None, "job_id"),
    Index(None, "run_id"),
    Index(None, "at"),
)
"""What people say a failure was instead. ``info`` is all that was known of it, ends of logs included.

It is kept when the failure is pruned: rules are judged by it.
"""

attempt_table: Final = attempts.table.to_metadata(metadata)
"""Failed attempts to handle a message; ``agent.store.attempts`` reads and writes it."""
