"""Pods that were never created: their owner reports that it could not create one, so there is no pod to look at.

Kubernetes' controllers and JobSet write such an event each time the API server refuses: a quota, a service account that
does not exist, an admission webhook that denies or does not answer. The subject is the owner, by its uid.
"""

from typing import Final

from agent.core.classify.mechanism import FAILED_CREATIONS
from agent.core.failure import Classification
from agent.core.summary.fingerprint import masked
from agent.kube import objects
from agent.observe.templates import JOB_SET_NAME, JOB_SET_UID

OWNERS: Final = frozenset({"Job", "JobSet", "ReplicaSet"})


def uncreated_pod(event: objects.Event) -> objects.Pod | None:
    """The pod that an owner could not create, as far as it is known; ``None`` for any other event.

    It has the name and the uid of its owner, and nothing else: what its metadata would have been, no event says.
    """
    about = event.involvedObject
    if event.reason not in FAILED_CREATIONS or about.kind not in OWNERS or not about.uid:
        return None
    owner = objects.Owner(apiVersion=about.apiVersion, kind=about.kind, name=about.name, uid=about.uid, controller=True)
    labels = {JOB_SET_NAME: about.name, JOB_SET_UID: about.uid} if about.kind == "JobSet" else None
    metadata = objects.Metadata(
        namespace=about.namespace, name=about.name, uid=about.uid, labels=labels, ownerReferences=[owner]
    )
    return objects.Pod(metadata=metadata, status=objects.PodStatus(message=event.message))


def cause_of(given: Classification, message: str) -> str:
    """What distinguishes two causes of one owner: the leaf, else the words of the message that do not change."""
    if given.matched:
        return f"{given.category}/{given.subcategory}"
    return " ".join(masked(message))
