"""Orphans: pods of runs that nobody started, as the latest list of each cluster has them.

An orphan has the labels of a run and no gate of ours, its uid was never recorded, and nothing proves that it ended. It
is shown and never stopped. A person may vouch that it does not run. One that has ended is kept while an open run needs
its name.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Index,
    RowMapping,
    String,
    Table,
    Text,
    func,
    select,
)

from agent.core.run_event import RunPhase
from agent.store.columns import UtcTime, identifier
from agent.store.metadata import metadata
from agent.store.tables.clusters import table as cluster_table

table: Final = Table(
    "orphan",
    metadata,
    Column("cluster_id", identifier(), primary_key=True),
    Column("uid", identifier(), primary_key=True),
    *(Column(name, String, nullable=False) for name in ("namespace", "pod_name", "node")),
    Column("job_id", identifier(), nullable=False),
    Column("run_id", identifier(), nullable=False),
    *(Column(name, String, nullable=False) for name in ("queue", "phase")),
    Column("ended", Boolean, nullable=False),
    Column("since", UtcTime, nullable=False),
    Column("confirmed_at", UtcTime),
    Column("confirmed_by", String),
    Column("confirmed_reason", Text),
)
"""``since``: when it was found first. ``confirmed_at``: when a person vouched for it, ``None`` if nobody did."""
Index(None, table.c.job_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """A pod that nobody started. ``job_id``, ``run_id`` and ``queue`` are what its labels say.

    ``ended``: it is proved that it does not run, and no pod of an open run can be created under its name.
    """

    cluster_id: str
    uid: str
    namespace: str
    pod_name: str
    node: str
    job_id: str
    run_id: str
    queue: str
    phase: RunPhase
    since: datetime
    ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOrphan:
    """An orphan, the name of its cluster, and who vouched that it does not run; ``None`` if nobody did."""

    orphan: Orphan
    cluster: str
    confirmed_by: str | None = None
    confirmed_at: datetime | None = None
    confirmed_reason: str | None = None

    @property
    def in_words(self) -> str:
        """The pod, as ``pod team-a/train-0 on node-7 in cluster east``."""
        pod = self.orphan
        on_node = f" on {pod.node}" if pod.node else ""
        return f"pod {pod.namespace}/{pod.pod_name}{on_node} in cluster {self.cluster}"


def everything(connection: Connection) -> list[KnownOrphan]:
    """All orphans, by cluster, namespace and name."""
    return _known(connection, None)


def named(connection: Connection, uids: Collection[str]) -> list[KnownOrphan]:
    """Those with these uids; several with one uid in copies of a cluster."""
    return _known(connection, table.c.uid.in_(uids)) if uids else []


def of_job(connection: Connection, job_id: str) -> list[KnownOrphan]:
    """Those whose labels name this job."""
    return _known(connection, table.c.job_id == job_id)


def _known(connection: Connection, condition: ColumnElement[bool] | None) -> list[KnownOrphan]:
    there = table.outerjoin(cluster_table, cluster_table.c.cluster_id == table.c.cluster_id)
    order = ("cluster_id", "namespace", "pod_name", "uid")
    query = select(table, cluster_table.c.name).select_from(there).order_by(*(table.c[name] for name in order))
    rows = connection.execute(query if condition is None else query.where(condition)).mappings()
    return [_known_orphan(row) for row in rows]


def _known_orphan(row: RowMapping) -> KnownOrphan:
    values = {name: row[name] for name in Orphan.__slots__}
    return KnownOrphan(
        orphan=Orphan(**(values | {"phase": RunPhase(row["phase"])})),
        cluster=row["name"] or row["cluster_id"],
        confirmed_by=row["confirmed_by"],
        confirmed_at=row["confirmed_at"],
        confirmed_reason=row["confirmed_reason"],
    )


def counts(connection: Connection) -> dict[str, int]:
    """How many there are that may run, by the name of their cluster; 0 of a cluster that has none."""
    may_run = table.c.confirmed_at.is_(None) & table.c.ended.is_(False)
    there = cluster_table.outerjoin(table, (table.c.cluster_id == cluster_table.c.cluster_id) & may_run)
    query = select(cluster_table.c.name, func.count(table.c.uid).label("orphans")).select_from(there)
    return {row.name: row.orphans for row in connection.execute(query.group_by(cluster_table.c.name))}
