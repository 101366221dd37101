"""The columns that say whose a row is: the same in every table that has them."""

from typing import Any

from agent.core.failure import RunEvent

Row = dict[str, Any]


def whose(event: RunEvent) -> Row:
    """The identity, cluster and pod of an event as columns."""
    identity, pod = event.identity, event.pod
    return {
        "run_id": identity.run_id,
        "job_id": identity.job_id,
        "job_set": identity.job_set,
        "queue": identity.queue,
        "gang_id": identity.gang_id,
        "attempt": identity.attempt,
        "cluster_id": event.cluster_id,
        "cluster": event.cluster,
        "namespace": pod.namespace,
        "pod_name": pod.name,
        "pod_uid": pod.uid,
        "node": pod.node,
    }
