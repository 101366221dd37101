"""The table of clusters, each as its latest heartbeat describes it."""

from typing import Final

from sqlalchemy import BigInteger, Column, Integer, String, Table

from agent.store.columns import Document, UtcTime, identifier
from agent.store.metadata import metadata

table: Final = Table(
    "cluster",
    metadata,
    Column("cluster_id", identifier(), primary_key=True),
    Column("name", String, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("incarnation", String, nullable=False),
    Column("namespaces", Document(), nullable=False),
    Column("max_runs", Integer),
    Column("received_at", UtcTime, nullable=False),
)
"""``max_runs`` is ``None`` if the cluster takes no runs. ``received_at`` is by the scheduler's clock."""
