"""Who starts a pod again that failed: its controller, the kubelet, or nobody."""

from collections.abc import Mapping
from typing import Final

from agent.core.evidence import ARMADA_JOB, OWN_JOB
from agent.core.failure import IN_RUN, Failure, Occurrence

NOBODY: Final = "nothing starts bare pods"
AGAIN: Final = "start it again yourself, e.g. kubectl replace --force -f POD.yaml"

_BY_KIND: Final[Mapping[str, str]] = {
    "": NOBODY,
    "Job": "the Job controller makes another pod, unless backoffLimit or podFailurePolicy of Job {name} forbids it",
    "Node": "the kubelet starts its static pod again",
    "Workflow": "Argo makes another pod if the retryStrategy of Workflow {name} says so",
    OWN_JOB: "the scheduler decides whether another run follows: failctl explain {name}",
    ARMADA_JOB: "Armada decides whether job {name} runs again",
    **dict.fromkeys(
        ("DaemonSet", "ReplicaSet", "ReplicationController", "StatefulSet"),
        "the controller of {kind} {name} makes another pod",
    ),
}
_OTHER: Final = "{kind} {name} made the pod, and decides whether another one follows"


def successor(failure: Failure) -> str:
    """Who starts the next pod, as a sentence without its full stop; empty if that is not known."""
    pod = failure.pod
    if failure.occurrence is Occurrence.NEVER_CREATED:
        return "its owner tries again by itself"
    if failure.occurrence in IN_RUN:
        policy = f" (restartPolicy: {pod.restart_policy})" if pod.restart_policy else ""
        return f"the kubelet restarts the container in the same pod{policy}"
    if pod.controller is None:
        return ""
    after = by_controller(pod.controller)
    return f"Kubernetes keeps trying while the pod exists; after that, {after}" if _may_start(failure) else after


def by_controller(controller: str) -> str:
    """Who starts another pod where this one had that controller, as ``Job train-0``; empty: none."""
    kind, _, name = controller.rpartition(" ")
    return _BY_KIND.get(kind, _OTHER).format(kind=kind, name=name)


def is_bare(failure: Failure) -> bool:
    """Whether it is known that nothing starts the pod again."""
    return failure.pod.controller == "" and failure.occurrence not in IN_RUN | {Occurrence.NEVER_CREATED}


def _may_start(failure: Failure) -> bool:
    pod = failure.pod
    return failure.occurrence is Occurrence.NEVER_STARTED and pod.phase == "Pending" and pod.deleted_at is None
