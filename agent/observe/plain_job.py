"""Pods of Jobs that somebody else makes: their index, and the conditions of ours that they have."""

from sys import intern
from typing import Final, NamedTuple

from agent.core.identity.conditions import PREFIX
from agent.core.job.pod import INDEX, read_index
from agent.kube import objects

_JOB: Final = "Job"
_GROUP: Final = "batch/"


class Index(NamedTuple):
    """What a limit is for: an index of an Indexed Job, or all of another Job (``number`` is ``None``)."""

    job: str
    number: int | None


def index_of(pod: objects.Pod) -> Index | None:
    """The index of a pod; ``None`` if no Job controls it."""
    owner = next((owner for owner in pod.metadata.ownerReferences or () if owner.controller), None)
    if owner is None or owner.kind != _JOB or not owner.uid or not (owner.apiVersion or "").startswith(_GROUP):
        return None
    return Index(intern(owner.uid), read_index((pod.metadata.annotations or {}).get(INDEX)))


def our_conditions(pod: objects.Pod) -> frozenset[str]:
    """The types of our conditions that the pod has with the status True."""
    return frozenset(
        condition.type
        for condition in pod.status.conditions or ()
        if condition.status == "True" and condition.type and condition.type.startswith(PREFIX)
    )
