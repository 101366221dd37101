from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from agent.cluster.evidence.nodes import Nodes
from agent.core.heartbeat import NodeShape
from agent.kube.objects import Metadata, Node, NodeSpec, NodeStatus, PodCondition

NOW = datetime(2026, 11, 21, tzinfo=UTC)
HOUR = timedelta(hours=1)


def node(name: str, *, cpu: str = "8", ready: str = "True", cordoned: bool = False) -> Node:
    return Node(
        metadata=Metadata(name=name),
        spec=NodeSpec(unschedulable=cordoned),
        status=NodeStatus(conditions=[PodCondition(type="Ready", status=ready)], allocatable={"cpu": cpu}),
    )


def test_the_latest_state_counts() -> None:
    nodes = Nodes(age=HOUR)
    nodes.put(node("a"))
    nodes.put(node("a", ready="False"))

    assert nodes.get("a") == node("a", ready="False")
    assert nodes.get("b") is None


def test_what_nobody_reads_is_not_kept() -> None:
    nodes = Nodes(age=HOUR)
    nodes.put(replace(node("a"), metadata=Metadata(name="a", uid="u", labels={"zone": "1"}, annotations={"big": "x"})))

    assert nodes.get("a") == replace(node("a"), metadata=Metadata(name="a", uid="u"))


def test_a_node_that_is_gone_is_remembered_for_a_while() -> None:
    nodes = Nodes(age=HOUR)
    nodes.put(node("a"))
    nodes.put(node("b"))

    nodes.remove("a", now=NOW)
    assert nodes.get("a") is not None
    assert nodes.shapes() == (NodeShape(allocatable=(("cpu", "8"),), ready=1, total=1),)

    nodes.remove("b", now=NOW + HOUR + timedelta(seconds=1))
    assert nodes.get("a") is None
    assert nodes.get("b") is not None


def test_a_node_that_comes_back_is_there() -> None:
    nodes = Nodes(age=HOUR)
    nodes.put(node("a"))
    nodes.remove("a", now=NOW)
    nodes.put(node("a"))

    nodes.remove("unknown", now=NOW + 2 * HOUR)

    assert nodes.get("a") is not None
    assert nodes.shapes() == (NodeShape(allocatable=(("cpu", "8"),), ready=1, total=1),)


def test_capacity_is_counted_by_shape() -> None:
    nodes = Nodes(age=HOUR)
    nodes.put(node("a", cpu="64", cordoned=True))
    nodes.put(node("b"))
    nodes.put(node("c", ready="Unknown"))

    assert nodes.shapes() == (
        NodeShape(allocatable=(("cpu", "8"),), ready=1, total=2),
        NodeShape(allocatable=(("cpu", "64"),), ready=0, total=1),
    )
