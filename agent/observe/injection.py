"""Injection: which containers of a pod were submitted, and which were added on the way."""

from collections.abc import Collection
from functools import lru_cache

from agent.core.submission import UNKNOWN, Submission
from agent.kube import objects

CONTAINERS_ANNOTATION = "failure-agent.dev/containers"
"""Names the containers that were submitted, init containers too, separated by commas."""


def submission(
    pod: objects.Pod, *, template: Collection[str] | None = None, injected: Collection[str] = ()
) -> Submission:
    """How the user's containers are told from injected ones.

    The pod's annotation says, else ``template`` (the container names of its owner's pod template), else
    ``injected`` (shell patterns from settings; every other container is then the user's), else nobody.
    """
    named = (pod.metadata.annotations or {}).get(CONTAINERS_ANNOTATION)
    if named and (listed := _listed(named)) is not None:
        return listed
    if template is not None:
        return Submission(submitted=frozenset(template), reason="the owner's pod template lists the containers")
    if injected:
        return Submission(injected=tuple(injected), reason="settings name the injected containers")
    return UNKNOWN


@lru_cache
def _listed(annotation: str) -> Submission | None:
    """What the annotation says; the pods of a job all say the same."""
    names = frozenset(name.strip() for name in annotation.split(",")) - {""}
    reason = f"annotation {CONTAINERS_ANNOTATION} lists the submitted containers"
    return Submission(submitted=names, reason=reason) if names else None
