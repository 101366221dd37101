"""Indexes for what people ask: most of them only of runs that failed. Texts are compared by their bytes everywhere."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_FORMER: Final = ("category", "cluster", "fingerprint", "namespace", "node", "owner", "policy", "queue")
_FAILED: Final = (
    *("failed_at", "run_id", "origin", "grade", "exit_code", "mechanism", "occurrence", "user_code_ran"),
    *("verdict", "attempt"),
)
_FAILED_BY: Final = (
    *("category", "queue", "node", "owner", "namespace", "job_set", "fingerprint", "pod_name", "reason", "exit_code"),
    *("container", "policy", "rule"),
)

_TEXTS: Final[Mapping[str, Sequence[str]]] = {
    "job": (
        *("queue", "job_set", "owner", "namespace", "gang_id", "name", "client_id", "retry_policies"),
        *("state", "ended_by"),
    ),
    "job_request": ("kind", "by", "reason", "refused"),
    "job_run": (
        *("queue", "job_set", "owner", "gang_id", "cluster_id", "cluster", "namespace", "pod_name", "pod_uid", "node"),
        *("rejection", "state", "pod_event", "occurrence", "category", "subcategory", "origin", "grade"),
        *("container", "reason", "mechanism", "key_line", "fingerprint"),
        *("decision_id", "verdict", "verdict_reason", "policy", "rule"),
    ),
    "run_failure": (
        *("occurrence", "category", "subcategory", "origin", "grade", "container", "reason", "mechanism"),
        *("key_line", "fingerprint", "rules_revision"),
    ),
    "retry_decision": (*("failure_id", "action", "reason", "sentence", "policy", "rule", "rule_key", "dialect"),),
    "cluster": ("cluster", "incarnation", "spool_id", "rules_revision"),
    "rule": ("name", "subcategory", "origin"),
}


def upgrade() -> None:
    for name in _FORMER:
        op.drop_index(f"ix_job_run_{name}_hour", "job_run")
    if op.get_bind().dialect.name == "postgresql":
        _compare_by_bytes()
    for name in ("queue", "node"):
        op.create_index(f"ix_job_run_{name}_first_at", "job_run", [name, "first_at"])
    _of_some("ix_job_run_unended", ("state", "first_at"), "hour IS NULL")
    _of_some("ix_job_run_failed", _FAILED, "failure_id IS NOT NULL")
    for name in _FAILED_BY:
        _of_some(f"ix_job_run_failed_{name}", (name, "failed_at"), "failure_id IS NOT NULL")


def _compare_by_bytes() -> None:
    for table, names in _TEXTS.items():
        changes = ", ".join(f'ALTER COLUMN "{name}" TYPE varchar COLLATE "C"' for name in names)
        op.execute(sa.text(f"ALTER TABLE {table} {changes}"))


def _of_some(name: str, columns: Sequence[str], condition: str) -> None:
    """An index of the rows for which the condition holds."""
    where: dict[str, Any] = {f"{dialect}_where": sa.text(condition) for dialect in ("sqlite", "postgresql")}
    op.create_index(name, "job_run", list(columns), **where)
