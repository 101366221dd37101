"""What the words about a job that waits need to know of its surroundings."""

from collections.abc import Collection

from sqlalchemy import Connection, select

from agent.core.lifecycle.wait_text import Surroundings
from agent.store.submitted.held import Held
from agent.store.tables.clusters import table as cluster


def load(connection: Connection, found: Collection[Held]) -> dict[str, Surroundings]:
    """By job id."""
    known = connection.execute(select(cluster.c.cluster_id, cluster.c.name, cluster.c.namespaces)).all()
    named = {row.cluster_id: row.name for row in known}
    offered = {namespace for row in known for namespace in row.namespaces}
    return {
        held.job.job_id: Surroundings(
            namespace=held.submission.namespace,
            no_cluster=_no_cluster(held.submission.namespace, offered),
            clusters=named,
        )
        for held in found
    }


def _no_cluster(namespace: str, offered: Collection[str]) -> str:
    """As far as the store alone says it: how much room there is depends on the scheduler's settings."""
    first = "waits for a cluster with room for" if namespace in offered else "no cluster offers"
    return f"{first} runs in namespace {namespace}"
