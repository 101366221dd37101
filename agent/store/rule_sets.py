"""The table of the rules that each cluster classifies by, as its agent reported them last."""

from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy import Column, Connection, String, Table, select

from agent.core.run_event import RuleSetLoaded
from agent.store.columns import Document, UtcTime, identifier
from agent.store.insert import insert_or_replace
from agent.store.metadata import metadata

table: Final = Table(
    "rule_set",
    metadata,
    Column("cluster_id", identifier(), primary_key=True),
    Column("cluster", String, nullable=False),
    Column("revision", String, nullable=False),
    Column("categories", Document(), nullable=False),
    Column("loaded_at", UtcTime, nullable=False),
)
"""``categories`` are the names of those that the rules of this revision give."""


def record(connection: Connection, loaded: Iterable[RuleSetLoaded]) -> None:
    """Keep the latest of each cluster. Neither the order of reports nor their repetition matters."""
    latest: dict[str, RuleSetLoaded] = {}
    for report in sorted(loaded, key=lambda report: report.loaded_at):
        latest[report.cluster_id] = report
    query = select(table.c.cluster_id, table.c.loaded_at).where(table.c.cluster_id.in_(latest)).with_for_update()
    known = {row.cluster_id: row.loaded_at for row in connection.execute(query)}
    rows = [
        {
            "cluster_id": report.cluster_id,
            "cluster": report.cluster,
            "revision": report.revision,
            "categories": list(report.categories),
            "loaded_at": report.loaded_at,
        }
        for report in latest.values()
        if report.cluster_id not in known or known[report.cluster_id] < report.loaded_at
    ]
    insert_or_replace(connection, table, rows, key="cluster_id")


def categories(connection: Connection) -> Mapping[str, frozenset[str]]:
    """The categories that each cluster's rules give, by the cluster's name."""
    found: dict[str, frozenset[str]] = {}
    for row in connection.execute(select(table.c.cluster, table.c.categories)):
        found[row.cluster] = found.get(row.cluster, frozenset()) | frozenset(row.categories)
    return found
