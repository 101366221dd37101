"""Who made a pod, and may make another one in its place."""

from typing import Any, Final

from agent.core.evidence import ARMADA_JOB, OWN_JOB
from agent.core.identity.labels import JOB, RUN
from agent.kube import objects

_ARMADA: Final = "armada_job_id"


def controller_of(pod: objects.Pod) -> str | None:
    """Its kind and name, as ``Job train-0``; empty for a pod that nobody makes again, ``None`` if that is not known.

    Armada, and the scheduler of this project, are not among the owners of their pods: labels say it. A pod without a
    uid is not as an API server gives it, and may have lost its owners, too.
    """
    labels = pod.metadata.labels or {}
    if labels.get(JOB) and labels.get(RUN):
        return f"{OWN_JOB} {labels[JOB]}"
    for owner in pod.metadata.ownerReferences or ():
        if owner.controller:
            return f"{owner.kind or 'controller'} {owner.name or ''}".rstrip()
    if armada := labels.get(_ARMADA):
        return f"{ARMADA_JOB} {armada}"
    return "" if pod.metadata.uid else None


def made_by(controller: str) -> dict[str, Any]:
    """The metadata of a pod by which it has this controller; none for a pod that has none."""
    kind, _, name = controller.rpartition(" ")
    if kind == OWN_JOB:
        return {"labels": {JOB: name, RUN: name}}
    if kind == ARMADA_JOB:
        return {"labels": {_ARMADA: name}}
    return {"ownerReferences": [{"kind": kind, "name": name, "controller": True}]} if kind else {}
