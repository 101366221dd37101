"""What is known about the cluster's nodes; deleted ones are kept for a while. No I/O."""

from collections import Counter
from datetime import datetime, timedelta

from msgspec.structs import replace

from agent.core.heartbeat import NodeShape
from agent.kube import objects


class Nodes:
    """The latest state of each node, by name: conditions, taints, whether it is cordoned, what can be allocated.

    A node that is gone is remembered for ``age``: pods outlive nodes.
    """

    def __init__(self, *, age: timedelta) -> None:
        self._age = age
        self._nodes: dict[str, objects.Node] = {}
        self._gone: dict[str, datetime] = {}

    def put(self, node: objects.Node) -> None:
        if name := node.metadata.name:
            # Without labels and annotations: nobody reads them, and there are many.
            self._nodes[name] = replace(node, metadata=objects.Metadata(name=name, uid=node.metadata.uid))
            self._gone.pop(name, None)

    def remove(self, name: str, *, now: datetime) -> None:
        if name in self._nodes:
            self._gone.setdefault(name, now)
        for old in [gone for gone, since in self._gone.items() if now - since > self._age]:
            del self._nodes[old], self._gone[old]

    def get(self, name: str) -> objects.Node | None:
        """The node as it is, or as it last was."""
        return self._nodes.get(name)

    def shapes(self) -> tuple[NodeShape, ...]:
        """The nodes there are, a row for each kind, the most frequent first."""
        total: Counter[tuple[tuple[str, str], ...]] = Counter()
        ready: Counter[tuple[tuple[str, str], ...]] = Counter()
        for name, node in self._nodes.items():
            if name not in self._gone:
                kind = tuple(sorted((key, value or "") for key, value in (node.status.allocatable or {}).items()))
                total[kind] += 1
                ready[kind] += is_ready(node)
        return tuple(
            NodeShape(allocatable=kind, ready=ready[kind], total=number) for kind, number in total.most_common()
        )


def is_ready(node: objects.Node) -> bool:
    """Whether pods can be placed on it: its condition Ready is True and it is not cordoned."""
    conditions = node.status.conditions or ()
    return not node.spec.unschedulable and any(
        condition.type == "Ready" and condition.status == "True" for condition in conditions
    )
