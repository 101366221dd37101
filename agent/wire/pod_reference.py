"""References to pods: PodReference of the protocol <-> PodReference."""

from agent.api.v1 import events_pb2 as pb
from agent.core.run_event import PodReference


def fill_pod_reference(message: pb.PodReference, pod: PodReference) -> None:
    """Write a reference to a pod into an empty message."""
    message.namespace = pod.namespace
    message.name = pod.name
    message.uid = pod.uid
    message.node = pod.node


def read_pod_reference(message: pb.PodReference) -> PodReference:
    """The pod."""
    return PodReference(namespace=message.namespace, name=message.name, uid=message.uid, node=message.node)
