"""Clusters: what the latest heartbeat of each says, and the rules that it classifies by."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import Field
from sqlalchemy import select

from agent.lookout.query.reader import Reading
from agent.lookout.query.shapes import Shape
from agent.lookout.query.times import EARLIEST
from agent.lookout.store.tables import cluster_table as table


class Cluster(Shape):
    """A cluster whose agent sent a heartbeat, or reported its rules."""

    cluster: str
    cluster_id: str
    sent_at: datetime | None = Field(
        description="When its agent sent the latest heartbeat, by the agent's clock; null if none came."
    )
    unacknowledged: int = Field(
        description="Events in the agent's spool that the broker had not acknowledged when it sent the heartbeat."
    )
    takes_runs: bool = Field(description="Whether a scheduler may lease runs to it.")
    nodes: int = Field(description="Nodes that the heartbeat counts.")
    ready_nodes: int
    rules_revision: str = Field(description="Empty if the agent has not reported its rules.")
    rules_loaded_at: datetime | None
    rules_left_out: int = Field(description="Rules that the report had no room for.")


def clusters(reading: Reading) -> list[dict[str, Any]]:
    """All clusters, by name."""
    return [_cluster(row) for row in reading.rows(select(table).order_by(table.c.cluster, table.c.cluster_id))]


def _cluster(row: Mapping[str, Any]) -> dict[str, Any]:
    shapes = row["node_shapes"]
    return Cluster.of(
        {
            **row,
            # An agent whose heartbeat names no time has one, but not one that people can use.
            "sent_at": None if row["sent_at"] == EARLIEST else row["sent_at"],
            "unacknowledged": max(0, row["last_spooled"] - row["last_acknowledged"]),
            "nodes": sum(shape["total"] for shape in shapes),
            "ready_nodes": sum(shape["ready"] for shape in shapes),
        }
    )
