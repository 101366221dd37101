"""Clusters: the latest heartbeat of each, and the rules that it classifies by."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import to_builtins
from sqlalchemy import Connection

from agent.core.heartbeat import Heartbeat
from agent.core.run_event import RuleSetLoaded
from agent.lookout.store import merged
from agent.lookout.store.fitting import fit, fitted
from agent.lookout.store.tables import cluster_table as table
from agent.lookout.store.tables import rule_table
from agent.store.columns import Row
from agent.store.insert import insert_missing

_HEARTBEAT: Final = (
    *("sent_at", "epoch", "incarnation", "spool_id", "last_spooled", "last_acknowledged"),
    *("node_shapes", "takes_runs"),
)
_RULES: Final = ("rules_loaded_at", "rules_revision", "rules_left_out")
_NOTHING: Final[Row] = {
    **dict.fromkeys(("incarnation", "spool_id", "rules_revision"), ""),
    **dict.fromkeys(("epoch", "last_spooled", "last_acknowledged", "rules_left_out"), 0),
    **dict.fromkeys(("sent_at", "rules_loaded_at")),
    "node_shapes": [],
    "takes_runs": False,
}
_UNKNOWN: Final = datetime.fromtimestamp(0, UTC)
"""The time of what names none: before that of any other, and one that every session of Postgres can show."""


def of_heartbeat(heartbeat: Heartbeat) -> Row:
    """What a heartbeat says of its cluster."""
    row = {
        "cluster_id": heartbeat.cluster_id,
        "cluster": heartbeat.cluster,
        "epoch": heartbeat.epoch,
        "incarnation": heartbeat.incarnation,
        "spool_id": heartbeat.spool_id,
        "last_spooled": heartbeat.last_spooled,
        "last_acknowledged": heartbeat.last_acknowledged,
        "node_shapes": to_builtins(heartbeat.node_shapes),
        "takes_runs": heartbeat.runs is not None,
        "sent_at": heartbeat.sent_at or _UNKNOWN,
    }
    return {**_NOTHING, **fitted(row)}


def of_rule_set(loaded: RuleSetLoaded) -> Row:
    """What a report of rules says of its cluster."""
    row = {
        "cluster_id": loaded.cluster_id,
        "cluster": loaded.cluster,
        "rules_loaded_at": loaded.loaded_at,
        "rules_revision": loaded.revision,
        "rules_left_out": loaded.rules_left_out,
    }
    return {**_NOTHING, **fitted(row)}


def rule_rows(loaded: RuleSetLoaded) -> dict[tuple[Any, ...], Row]:
    """The rows of the rules, by key."""
    revision = fit("revision", loaded.revision)
    rows = [fitted({**to_builtins(rule), "revision": revision, "origin": rule.origin.value}) for rule in loaded.rules]
    return {tuple(row[key.name] for key in rule_table.primary_key): row for row in rows}


def merge(first: Row, second: Row) -> Row:
    """The later heartbeat and the later rules of both."""
    heartbeat = max(first, second, key=_heartbeat_rank)
    rules = max(first, second, key=_rules_rank)
    return {
        "cluster_id": first["cluster_id"],
        "cluster": max(first["cluster"], second["cluster"]),
        **{name: heartbeat[name] for name in _HEARTBEAT},
        **{name: rules[name] for name in _RULES},
    }


def _heartbeat_rank(row: Row) -> tuple[Any, ...]:
    numbers = (row["epoch"], row["last_spooled"], row["last_acknowledged"])
    return (row["sent_at"] is not None, row["sent_at"] or _UNKNOWN, *numbers, row["incarnation"])


def _rules_rank(row: Row) -> tuple[Any, ...]:
    return (row["rules_loaded_at"] or _UNKNOWN, row["rules_revision"], -row["rules_left_out"])


def record(connection: Connection, reported: Mapping[str, Row]) -> int:
    """Store what a batch says of clusters; return how many that were known changed."""
    return merged.record(connection, table, reported, merge)


def record_rules(connection: Connection, rules: dict[tuple[Any, ...], Row]) -> None:
    """Store rules that are not stored yet."""
    insert_missing(connection, rule_table, [rules[key] for key in sorted(rules)])
