"""Our finalizer, as it is written on pods."""

from typing import Final

from agent.kube import objects

FINALIZER: Final = "failure-agent.dev/reported"
"""Keeps a finished pod on the API server until its failure is safe elsewhere."""

HOLD_LABEL: Final = "failure-agent.dev/hold"
"""``true`` asks for the finalizer."""


def carries_finalizer(pod: objects.Pod) -> bool:
    """Whether the pod is held by us."""
    return FINALIZER in (pod.metadata.finalizers or ())


def asks_for_finalizer(pod: objects.Pod) -> bool:
    """Whether its label asks for our finalizer while it is neither there nor, the pod being deleted, allowed."""
    asked = (pod.metadata.labels or {}).get(HOLD_LABEL) == "true"
    return asked and not carries_finalizer(pod) and pod.metadata.deletionTimestamp is None
