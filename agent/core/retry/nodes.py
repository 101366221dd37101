"""Whether a cluster has nodes for a pod, told by the shapes of its nodes."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from agent.core.heartbeat import NodeShape
from agent.core.quantity import parse

Requests = Mapping[str, Fraction]


def as_requests(requests: Sequence[tuple[str, str]]) -> Requests:
    """Requests as numbers. Raises QuantityError."""
    return {name: parse(quantity) for name, quantity in requests}


def fitting(shapes: Sequence[NodeShape], requests: Requests) -> int:
    """How many ready nodes could hold the pod if they were empty. Raises QuantityError."""
    return sum(shape.ready for shape in shapes if _fits(shape, requests))


def _fits(shape: NodeShape, requests: Requests) -> bool:
    allocatable = dict(shape.allocatable)
    return all(wanted <= parse(allocatable.get(name, "0")) for name, wanted in requests.items())
