"""Clusters, as their latest heartbeats describe them: which runs each takes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, RowMapping, select

from agent.core.heartbeat import Heartbeat, RunOffer
from agent.store.columns import Row
from agent.store.insert import insert_or_replace
from agent.store.tables.clusters import table


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster that sent heartbeats. ``runs`` is ``None`` if it takes none. Its topics have its ``name``."""

    cluster_id: str
    name: str
    epoch: int
    incarnation: str
    runs: RunOffer | None
    received_at: datetime


EARLIER_LEADER: Final = timedelta(minutes=5)
"""A lower epoch within this time is that of an agent that is no longer the leader; after it, of a Lease made again."""


def record(connection: Connection, heartbeat: Heartbeat, *, received_at: datetime) -> bool:
    """Keep what the heartbeat says, unless a later one is kept; return whether it is."""
    query = select(table).where(table.c.cluster_id == heartbeat.cluster_id).with_for_update()
    known = connection.execute(query).mappings().one_or_none()
    if known is not None and _is_later(known, heartbeat, received_at):
        return False
    insert_or_replace(connection, table, [_row(heartbeat, received_at)], key="cluster_id")
    return True


def _is_later(known: RowMapping, heartbeat: Heartbeat, received_at: datetime) -> bool:
    earlier_leader = heartbeat.epoch < known["epoch"] and received_at < known["received_at"] + EARLIER_LEADER
    return bool(earlier_leader or received_at < known["received_at"])


def _row(heartbeat: Heartbeat, received_at: datetime) -> Row:
    return {
        "cluster_id": heartbeat.cluster_id,
        "name": heartbeat.cluster,
        "epoch": heartbeat.epoch,
        "incarnation": heartbeat.incarnation,
        "namespaces": [] if heartbeat.runs is None else list(heartbeat.runs.namespaces),
        "max_runs": None if heartbeat.runs is None else heartbeat.runs.max_runs,
        "received_at": received_at,
    }


def everything(connection: Connection) -> list[Cluster]:
    """All clusters, by name."""
    query = select(table).order_by(table.c.name, table.c.cluster_id)
    return [_cluster(row) for row in connection.execute(query).mappings()]


def _cluster(row: RowMapping) -> Cluster:
    offer = RunOffer(namespaces=tuple(row["namespaces"]), max_runs=row["max_runs"] or 0)
    return Cluster(
        cluster_id=row["cluster_id"],
        name=row["name"],
        epoch=row["epoch"],
        incarnation=row["incarnation"],
        runs=None if row["max_runs"] is None else offer,
        received_at=row["received_at"],
    )
