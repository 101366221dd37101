"""Identity: whose run a pod is (design 8: labels are claims, the uid is proof)."""

from sys import intern

from agent.core.bounds import cut
from agent.core.failure import Identity, PodReference
from agent.kube import objects
from agent.observe.text import strip

JOB_ID_LABEL = "armada_job_id"
RUN_ID_LABEL = "armada_job_run_id"
QUEUE_LABEL = "armada_queue_id"
RUN_INDEX_LABEL = "armada_job_run_index"
JOB_SET_ANNOTATION = "armada_jobset_id"
GANG_ANNOTATION = "armadaproject.io/gangId"

LONGEST_NAME = 253
"""Bytes of any part of an identity; Kubernetes' own names are no longer."""

_HIGHEST_ATTEMPT = 2**31 - 1


def identify(pod: objects.Pod) -> Identity:
    """Whose run the pod is: as Armada labels it, else by its controlling owner, else its own."""
    metadata = pod.metadata
    labels, annotations = metadata.labels or {}, metadata.annotations or {}
    uid = _name(metadata.uid)
    return Identity(
        job_id=_name(labels.get(JOB_ID_LABEL)) or _owner(metadata) or uid,
        run_id=_name(labels.get(RUN_ID_LABEL)) or uid,
        queue=intern(_name(labels.get(QUEUE_LABEL))),
        job_set=intern(_name(annotations.get(JOB_SET_ANNOTATION))),
        gang_id=intern(_name(annotations.get(GANG_ANNOTATION))),
        attempt=_attempt(labels.get(RUN_INDEX_LABEL)),
    )


def refer(pod: objects.Pod) -> PodReference:
    """The pod, named for good."""
    metadata = pod.metadata
    return PodReference(
        namespace=intern(_name(metadata.namespace)),
        name=_name(metadata.name),
        uid=_name(metadata.uid),
        node=intern(_name(pod.spec.nodeName)),
    )


def _owner(metadata: objects.Metadata) -> str:
    owners = metadata.ownerReferences or ()
    return next((_name(owner.uid) for owner in owners if owner.controller), "")


def _name(text: str | None) -> str:
    if not text:
        return ""
    if text.isascii() and text.isprintable() and len(text) <= LONGEST_NAME:
        return text
    return cut(strip(text), LONGEST_NAME)


def _attempt(label: str | None) -> int | None:
    if label is None or not (label.isascii() and label.isdigit()):
        return None
    number = int(label) if len(label) <= len(str(_HIGHEST_ATTEMPT)) else _HIGHEST_ATTEMPT + 1
    return number if number <= _HIGHEST_ATTEMPT else None
