"""Node: the snapshot of a node <-> protobuf."""

from agent.api.v1 import failure_pb2 as pb
from agent.core.evidence import Node, Taint
from agent.core.memo import memo
from agent.wire.pod import fill_conditions, read_conditions
from agent.wire.time import fill_time, read_time


def fill_node(message: pb.NodeSnapshot, node: Node) -> None:
    """Write a node into an empty message."""
    message.CopyFrom(_snapshot(node))


def _make_snapshot(node: Node) -> pb.NodeSnapshot:
    message = pb.NodeSnapshot(name=node.name)
    fill_conditions(message.conditions, node.conditions)
    for taint in node.taints:
        added = message.taints.add()
        added.key = taint.key
        added.value = taint.value
        added.effect = taint.effect
        if taint.added_at is not None:
            fill_time(added.time_added, taint.added_at)
    if node.unschedulable:
        message.unschedulable = True
    if node.log_lines:
        message.log_lines.extend(node.log_lines)
    return message


_snapshot = memo(_make_snapshot)
"""Cached by node: many pods fail on one node, and a node changes far less often."""


def read_node(message: pb.NodeSnapshot) -> Node:
    """The node that a message holds."""
    return Node(
        name=message.name,
        conditions=read_conditions(message.conditions),
        taints=tuple(map(_read_taint, message.taints)),
        unschedulable=message.unschedulable,
        log_lines=tuple(message.log_lines),
    )


def _read_taint(message: pb.Taint) -> Taint:
    return Taint(
        key=message.key,
        value=message.value,
        effect=message.effect,
        added_at=read_time(message.time_added) if message.HasField("time_added") else None,
    )
