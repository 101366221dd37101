"""Ours: which pods the agent may delete (design 8, the role *run*)."""

from collections.abc import Collection

from agent.kube import objects


class RunRole:
    """Pods in ``namespaces`` whose label ``label`` is not empty."""

    def __init__(self, *, namespaces: Collection[str], label: str) -> None:
        self._namespaces = frozenset(namespaces)
        self._label = label

    def may_delete(self, pod: objects.Pod) -> bool:
        """Whether this pod is ours to delete."""
        labels = pod.metadata.labels or {}
        return pod.metadata.namespace in self._namespaces and bool(labels.get(self._label))
