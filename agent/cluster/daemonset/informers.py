"""The reflectors of mode daemonset: by field selector, the pods of one node or of none, and nodes."""

from collections.abc import Sequence

from agent.cluster.watch.informers import Informers, OnNode, OnPod, paths_of
from agent.kube import objects
from agent.kube.connection import Connection
from agent.kube.reflector.cache import Change
from agent.kube.reflector.reflector import Reflector
from agent.settings.cluster import WatchSettings

PodReflector = Reflector[objects.Pod, None]
NodeReflector = Reflector[objects.Node, str]


class NodeInformers:
    def __init__(self, connection: Connection, settings: WatchSettings) -> None:
        self._connection = connection
        self._settings = settings

    def pods_of(self, node: str, on_pod: OnPod) -> Sequence[PodReflector]:
        """The pods of this node; ``""``: pods that have no node yet."""
        return [
            Reflector(
                self._connection,
                path=path,
                decode=objects.Pod,
                handler=on_pod,
                labels=self._settings.label_selector,
                fields=f"spec.nodeName={node}",
            )
            for path in paths_of(self._settings.namespaces, "pods")
        ]

    def nodes(self, on_node: OnNode, *, name: str = "") -> NodeReflector:
        """All nodes, or the one of this name."""
        return Reflector(
            self._connection,
            path="/api/v1/nodes",
            decode=objects.Node,
            keep=_keep_name,
            handler=on_node,
            fields=f"metadata.name={name}" if name else "",
        )

    def of_node(self, name: str, *, on_pod: OnPod, on_node: OnNode) -> Informers:
        """The informers of one node and its pods.

        Their events are not watched: each such watch costs the API server as much as one of all events would.
        """
        return Informers(pods=self.pods_of(name, on_pod), events=(), nodes=[self.nodes(on_node, name=name)])


def node_name(change: Change[objects.Node, str]) -> str:
    """The name of the node a change is about."""
    return (change.object.metadata.name or "") if change.object is not None else change.previous or ""


def _keep_name(node: objects.Node) -> str:
    return node.metadata.name or ""
