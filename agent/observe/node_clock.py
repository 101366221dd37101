"""The clock of a pod's node: times that the kubelet writes are by it, and it may differ from the API server's.

The API server writes when a pod got its node; the kubelet writes ``startTime`` after that. If it is before, the node's
clock is behind by at least the difference. A clock that is ahead looks like a slow kubelet; by its times
deadlines end late, never early.
"""

from datetime import datetime, timedelta

from agent.kube import objects
from agent.observe.values import aware

SCHEDULED = "PodScheduled"
"""The condition that the API server writes when it binds a pod, and the scheduler before."""


def scheduled_at(pod: objects.Pod) -> datetime | None:
    """When the pod got its node, by the API server's clock, which sets this time when it binds the pod.

    Kubernetes pkg/registry/core/pod/storage; the kubelet keeps the time (pkg/kubelet/status, updateLastTransitionTime).
    """
    for condition in pod.status.conditions or ():
        if condition.type == SCHEDULED and condition.status == "True":
            return aware(condition.lastTransitionTime)
    return None


def earliest_start(pod: objects.Pod) -> datetime | None:
    """Before this, by the API server's clock, nothing of the pod can have begun."""
    return scheduled_at(pod) or aware(pod.metadata.creationTimestamp)


def behind(pod: objects.Pod) -> timedelta:
    """By how much the node's clock is behind the API server's, at least."""
    earliest, started = earliest_start(pod), aware(pod.status.startTime)
    if earliest is None or started is None:
        return timedelta(0)
    return max(timedelta(0), earliest - started)


def by_server(pod: objects.Pod, at: datetime | None) -> datetime | None:
    """A time that the kubelet wrote, as it would be by the API server's clock if the node's is behind."""
    given = aware(at)
    if given is None:
        return None
    try:
        shifted = given + behind(pod)
    except OverflowError:
        return given
    earliest = earliest_start(pod)
    return shifted if earliest is None else max(shifted, earliest)
