"""Our finalizer, and the label that asks for it."""

from typing import Final

from agent.kube import objects

FINALIZER: Final = "failure-agent.dev/reported"
"""Keeps a finished pod on the API server until its failure is reported: until then the pod is the second copy."""

HOLD_LABEL: Final = "failure-agent.dev/hold"
"""The value ``true`` asks the agent to add the finalizer."""


def carries_finalizer(pod: objects.Pod) -> bool:
    return FINALIZER in (pod.metadata.finalizers or ())


def asks_for_finalizer(pod: objects.Pod) -> bool:
    """Whether the finalizer is to be added. The API server allows none on a pod that is being deleted."""
    asked = (pod.metadata.labels or {}).get(HOLD_LABEL) == "true"
    return asked and not carries_finalizer(pod) and pod.metadata.deletionTimestamp is None
