"""Descriptions of the names that Kubernetes and failure-agent use: a table by condition and one by occurrence."""

from typing import NamedTuple

from agent.core.failure import Occurrence


class Words(NamedTuple):
    """``name`` follows "failed:"; ``said`` follows the container or the pod."""

    name: str
    said: str


_REFUSED = Words("refused by its node", "was refused by its node")
_NODE_FULL = Words("refused by a full node", "was refused: its node had too few resources left")
_PREEMPTED = Words("preempted", "was preempted")
_SHUT_DOWN = Words("node shut down", "was ended by the shutdown of its node")
_TAINTED = Words("evicted from its node", "was evicted from its node by a taint")
_NODE_LOST = Words("node lost", "was lost with its node")
_NO_IMAGE = Words("image cannot be pulled", "cannot start: its image cannot be pulled")
_NO_START = Words("container cannot start", "cannot be started")
_NO_COMMAND = Words("command cannot be run", "could not run its command")
_LOST_STATE = Words("container lost", "was lost by its node")
_HOOK = Words("container hook failed", "cannot start: its hook failed")

CONDITIONS = {
    "OOMKilled": Words("out of memory", "was killed for memory"),
    "Evicted": Words("evicted", "was evicted by its node"),
    "DeadlineExceeded": Words("ran past its deadline", "ran longer than its deadline"),
    "PreemptionByScheduler": _PREEMPTED,
    "PreemptionByKubeScheduler": _PREEMPTED,
    "WorkloadEvictedDueToPreempted": _PREEMPTED,
    "Preempted": _PREEMPTED,
    "Preempting": Words("preempted", "had to make room for a critical pod"),
    "DeletionByTaintManager": _TAINTED,
    "TaintManagerEviction": _TAINTED,
    "EvictionByEvictionAPI": Words("evicted", "was evicted: its node is drained or scaled away"),
    "DeletionByPodGC": _NODE_LOST,
    "NodeLost": _NODE_LOST,
    "TerminationByKubelet": Words("ended by its node", "was ended by its node"),
    "NodeShutdown": _SHUT_DOWN,
    "Terminated": _SHUT_DOWN,
    "Shutdown": _SHUT_DOWN,
    "Unschedulable": Words("no node fits", "fits no node"),
    "UnexpectedAdmissionError": _REFUSED,
    "NodeAffinity": _REFUSED,
    "NodePorts": _REFUSED,
    "TaintToleration": _REFUSED,
    "AppArmor": _REFUSED,
    "SysctlForbidden": _REFUSED,
    "TopologyAffinityError": _REFUSED,
    "ErrImagePull": _NO_IMAGE,
    "ImagePullBackOff": _NO_IMAGE,
    "InvalidImageName": Words("image name not valid", "cannot start: its image's name is not valid"),
    "ErrImageNeverPull": Words("image not on the node", "cannot start: its image is not there and may not be pulled"),
    "ImageInspectError": Words("image cannot be read", "cannot start: its image cannot be inspected"),
    "RegistryUnavailable": Words("registry does not answer", "cannot start: the registry does not answer"),
    "SignatureValidationFailed": Words("image signature not valid", "cannot start: its image's signature is not valid"),
    "CreateContainerConfigError": Words("container configuration wrong", "cannot start: an object it names is missing"),
    "CreateContainerError": _NO_START,
    "RunContainerError": _NO_START,
    "PreCreateHookError": _HOOK,
    "PreStartHookError": _HOOK,
    "PostStartHookError": _HOOK,
    "CrashLoopBackOff": Words("container keeps exiting", "keeps exiting"),
    "ContainerCannotRun": _NO_COMMAND,
    "StartError": _NO_COMMAND,
    "ContainerStatusUnknown": _LOST_STATE,
    "Unknown": _LOST_STATE,
}
"""Descriptions by the reason in the status of a pod or container, or of its condition or event."""

FULL_NODE = "OutOf"
"""The prefix of reasons that name the resource a node lacked, such as ``OutOfcpu``."""


def condition(reason: str) -> Words | None:
    """The description of a reason; ``None`` if we have none."""
    if reason.startswith(FULL_NODE) and reason != FULL_NODE:
        return _NODE_FULL
    return CONDITIONS.get(reason)


OCCURRENCES = {
    Occurrence.POD_FAILED: Words("pod failed", "failed"),
    Occurrence.DELETED_EXTERNALLY: Words("pod deleted from outside", "was deleted, and not by us"),
    Occurrence.MISSING: Words("pod vanished", "vanished from its cluster"),
    Occurrence.NEVER_STARTED: Words("never started", "did not start within the time allowed"),
    Occurrence.DEADLINE_EXCEEDED: Words("ran past its deadline", "ran longer than its deadline and still runs"),
    Occurrence.STUCK_TERMINATING: Words("stuck while terminating", "could not be torn down"),
    Occurrence.CONTAINER_RESTARTED: Words("container restarted", "restarted a container in place"),
    Occurrence.NEVER_CREATED: Words("never created", "could not be created"),
    Occurrence.LEASE_EXPIRED: Words("cluster stopped answering", "was lost: its cluster stopped answering"),
}

STEPS = {
    Occurrence.DELETED_EXTERNALLY: "find out who deleted the pod",
    Occurrence.MISSING: "find out what removed the pod",
    Occurrence.NEVER_STARTED: "look at what the pod waited for",
    Occurrence.DEADLINE_EXCEEDED: "find out why the kubelet did not end it; a longer job needs a longer deadline",
    Occurrence.STUCK_TERMINATING: "have the node checked before anything else runs there",
    Occurrence.LEASE_EXPIRED: "have the cluster checked",
}
"""What to do about a finding of the agent itself, for which no rule has a hint."""
