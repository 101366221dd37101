"""What the words about a job that waits need to know of its surroundings."""

from collections.abc import Collection

from sqlalchemy import Connection

from agent.core.lifecycle.wait_text import Surroundings
from agent.store import clusters, runs
from agent.store.submitted.held import Held


def load(connection: Connection, found: Collection[Held]) -> dict[str, Surroundings]:
    """By job id."""
    known = clusters.everything(connection)
    named = {cluster.cluster_id: cluster.name for cluster in known}
    offered = {name for cluster in known if cluster.runs is not None for name in cluster.runs.namespaces}
    living = [run.run_id for held in found for run in held.job.runs if run.may_still_live]
    pods = runs.pod_names(connection, living) if living else {}
    return {
        held.job.job_id: Surroundings(
            job_id=held.job.job_id,
            namespace=held.submission.namespace,
            offered=held.submission.namespace in offered,
            clusters=named,
            pods=pods,
        )
        for held in found
    }
