from agent.kube import objects
from agent.observe.node import read_node

NODE = objects.Node(metadata=objects.Metadata(name="n"), spec=objects.NodeSpec(unschedulable=True))


def test_a_node_is_read_once_as_long_as_it_and_its_log_are_the_same() -> None:
    first = read_node(NODE, name="n", log_lines=["ready", "out of memory"])
    same = read_node(NODE, name="n", log_lines=["ready", "out of memory"])
    more = read_node(NODE, name="n", log_lines=["ready", "out of memory", "ready"])

    assert first is same
    assert first is not None
    assert first.log_lines == ("ready", "out of memory")
    assert more is not None
    assert (more.name, more.unschedulable, more.log_lines) == ("n", True, ("ready", "out of memory", "ready"))


def test_a_node_without_a_log_has_no_lines_of_another_time() -> None:
    read_node(NODE, name="n", log_lines=["ready"])

    found = read_node(NODE, name="n")

    assert found is not None
    assert found.log_lines == ()


def test_of_a_node_that_is_not_known_only_the_log_is() -> None:
    assert read_node(None, name="n") is None
    found = read_node(None, name="n", log_lines=["ready"])

    assert found is not None
    assert (found.name, found.log_lines) == ("n", ("ready",))
