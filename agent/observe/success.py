"""Whether a pod that ended was successful, and when it ended, by the API server's clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from agent.core.classify.disruption import TARGETED
from agent.core.evidence import ContainerKind
from agent.kube import objects
from agent.observe.containers import Status
from agent.observe.deadlines import later
from agent.observe.node_clock import behind, by_server
from agent.observe.values import aware

FAILED = "Failed"
SUCCEEDED = "Succeeded"
FINISHED = frozenset({FAILED, SUCCEEDED})
_NODE_SHUTDOWN_REASONS = frozenset({"Terminated", "Shutdown", "NodeShutdown"})
"""Pod reasons of a graceful node shutdown (kubernetes pkg/kubelet/nodeshutdown)."""

_OOM_KILLED = "OOMKilled"
_ENDING = frozenset({ContainerKind.APP, ContainerKind.INIT})


def has_failed(pod: objects.Pod, found: Sequence[Status]) -> bool:
    """Whether it failed, also where its phase says that it succeeded."""
    phase = pod.status.phase
    return phase == FAILED or (phase == SUCCEEDED and (_container_failed(found) or _was_cut_short(pod, found)))


def _container_failed(found: Sequence[Status]) -> bool:
    """Whether an app or init container exited with a non-zero code, or with 0 after a child was killed for memory.

    Sidecars do not count: the kubelet kills them when the others are done.
    """
    ended = (status.state.terminated for kind, status in found if kind in _ENDING and status.state)
    return any(
        terminated is not None and (bool(terminated.exitCode) or terminated.reason == _OOM_KILLED)
        for terminated in ended
    )


def _was_cut_short(pod: objects.Pod, found: Sequence[Status]) -> bool:
    """Whether the pod was asked to end before its work was done, and therefore exited with code 0."""
    if pod.status.reason in _NODE_SHUTDOWN_REASONS:
        return True
    finished = last_finish(_apps(found))  # sidecars end later
    if finished is not None:
        finished = later(finished, behind(pod))  # only moved, so that what came after another time still does
    return any(
        condition.type in TARGETED
        and condition.status == "True"
        and (finished is None or (at := aware(condition.lastTransitionTime)) is None or at <= finished)
        for condition in pod.status.conditions or ()
    )


def ended_before_deletion(pod: objects.Pod, found: Sequence[Status]) -> bool:
    """Whether its work ended before anybody asked for its deletion.

    Times have whole seconds, so an end in the same second does not count: it may be the answer to the deletion.
    """
    requested = _deletion_requested(pod)
    if requested is None:
        return pod.metadata.deletionTimestamp is None
    finished = by_server(pod, last_finish(_apps(found)) or last_finish(found))
    return finished is not None and finished < requested


def _deletion_requested(pod: objects.Pod) -> datetime | None:
    """The deletionTimestamp is when the grace period ends (apiserver pkg/registry/rest/delete.go, BeforeDelete)."""
    ends, grace = aware(pod.metadata.deletionTimestamp), pod.metadata.deletionGracePeriodSeconds
    try:
        return None if ends is None else ends - timedelta(seconds=grace or 0)
    except OverflowError:
        return None


def last_finish(found: Sequence[Status]) -> datetime | None:
    """When the last of these containers ended, as its kubelet wrote it."""
    last: datetime | None = None
    for _, status in found:
        if (state := status.state) is not None and (ended := state.terminated) is not None:
            at = aware(ended.finishedAt)
            last = at if last is None or (at is not None and at > last) else last
    return last


def _apps(found: Sequence[Status]) -> list[Status]:
    return [status for status in found if status[0] is ContainerKind.APP]
