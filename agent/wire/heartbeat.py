"""Heartbeat: what travels on the cluster-heartbeats topics <-> Heartbeat."""

from agent.api.v1 import heartbeat_pb2 as pb
from agent.core.heartbeat import Heartbeat, NodeShape, RunOffer
from agent.wire.error import WireError
from agent.wire.failure import parse
from agent.wire.nul import without_nul
from agent.wire.time import fill_time, read_time

__all__ = ["WireError", "decode", "encode"]


def encode(heartbeat: Heartbeat) -> bytes:
    """A heartbeat as the bytes of a Heartbeat."""
    message = pb.Heartbeat(
        cluster_id=heartbeat.cluster_id,
        cluster=heartbeat.cluster,
        epoch=heartbeat.epoch,
        incarnation=heartbeat.incarnation,
        spool_id=heartbeat.spool_id,
        last_spooled_sequence=heartbeat.last_spooled,
        last_acknowledged_sequence=heartbeat.last_acknowledged,
    )
    for shape in heartbeat.node_shapes:
        message.node_shapes.add(allocatable=dict(shape.allocatable), ready=shape.ready, total=shape.total)
    if heartbeat.sent_at is not None:
        fill_time(message.sent_time, heartbeat.sent_at)
    if heartbeat.runs is not None:
        message.runs.SetInParent()
        message.runs.namespaces.extend(heartbeat.runs.namespaces)
        message.runs.max_runs = heartbeat.runs.max_runs
    return message.SerializeToString(deterministic=True)


def decode(payload: bytes) -> Heartbeat:
    """The heartbeat in the bytes of a Heartbeat; raises WireError with what is wrong."""
    message = parse(pb.Heartbeat, payload)
    if not message.cluster_id or not message.incarnation:
        raise WireError("cluster_id or incarnation missing")
    heartbeat = Heartbeat(
        cluster_id=message.cluster_id,
        cluster=message.cluster,
        epoch=message.epoch,
        incarnation=message.incarnation,
        spool_id=message.spool_id,
        last_spooled=message.last_spooled_sequence,
        last_acknowledged=message.last_acknowledged_sequence,
        node_shapes=tuple(map(_read_shape, message.node_shapes)),
        sent_at=read_time(message.sent_time) if message.HasField("sent_time") else None,
        runs=_read_offer(message.runs) if message.HasField("runs") else None,
    )
    return without_nul(heartbeat, payload)


def _read_shape(message: pb.NodeShape) -> NodeShape:
    return NodeShape(allocatable=tuple(sorted(message.allocatable.items())), ready=message.ready, total=message.total)


def _read_offer(message: pb.RunOffer) -> RunOffer:
    return RunOffer(namespaces=tuple(message.namespaces), max_runs=message.max_runs)
