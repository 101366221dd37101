"""The memory in a pod's JSON."""

import json
from typing import Any

import pytest

from agent.core.evidence import ContainerKind, ContainerMemory
from agent.scheduler.effects.pod_memory import memory_of, raised, read_pod, with_memory

MI = 1 << 20


def pod(**containers: list[dict[str, Any]]) -> bytes:
    return json.dumps({"metadata": {"labels": {"a": "b"}}, "spec": {"restartPolicy": "Never", **containers}}).encode()


def container(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "image": "x", **more}


def with_limit(size: str) -> dict[str, Any]:
    return container("main", resources={"limits": {"memory": size, "cpu": "1"}})


def test_every_container_but_ephemeral_ones_has_memory() -> None:
    init = [container("fetch"), container("proxy", restartPolicy="Always", resources={"requests": {"memory": "64Mi"}})]

    assert memory_of(pod(initContainers=init, containers=[with_limit("1Gi")])) == (
        ContainerMemory(name="fetch", kind=ContainerKind.INIT),
        ContainerMemory(name="proxy", kind=ContainerKind.SIDECAR, request=64 * MI),
        ContainerMemory(name="main", limit=1024 * MI),
    )


@pytest.mark.parametrize("written", ["much", "", "1..5Gi"])
def test_what_is_no_quantity_is_not_known(written: str) -> None:
    assert memory_of(pod(containers=[with_limit(written)])) == (ContainerMemory(name="main"),)


@pytest.mark.parametrize("resources", [None, {}, {"limits": None}, {"limits": {"memory": None}}])
def test_what_is_not_set_is_not_known(resources: object) -> None:
    assert memory_of(pod(containers=[container("main", resources=resources)])) == (ContainerMemory(name="main"),)


def test_a_run_with_other_memory_has_that() -> None:
    more = ContainerMemory(name="main", limit=2048 * MI)

    assert memory_of(pod(containers=[with_limit("1Gi"), container("b")]), instead=[more]) == (
        more,
        ContainerMemory(name="b"),
    )


@pytest.mark.parametrize(
    ("metadata", "annotations"), [({"annotations": {"a": "b"}}, {"a": "b"}), ({"annotations": None}, {}), (None, {})]
)
def test_a_decision_reads_annotations_and_memory_at_once(metadata: object, annotations: dict[str, str]) -> None:
    spec = {"metadata": metadata, "spec": {"containers": [with_limit("1Gi")]}}
    more = ContainerMemory(name="main", limit=2048 * MI)

    assert read_pod(json.dumps(spec).encode(), instead=[more]) == (annotations, (more,))


def test_memory_is_raised_and_all_else_stays() -> None:
    before = pod(initContainers=[container("fetch")], containers=[with_limit("1Gi"), container("b")])

    after = with_memory(before, [ContainerMemory(name="main", request=1536 * MI, limit=2048 * MI)])

    expected = json.loads(before)
    expected["spec"]["containers"][0]["resources"] = {
        "limits": {"memory": "2Gi", "cpu": "1"},
        "requests": {"memory": "1536Mi"},
    }
    assert json.loads(after) == expected
    assert memory_of(after)[1] == ContainerMemory(name="main", request=1536 * MI, limit=2048 * MI)


def test_a_pod_whose_memory_stays_is_the_same_text() -> None:
    before = pod(containers=[with_limit("1Gi")])

    assert with_memory(before, []) is before


def test_memory_that_was_raised_before_is_raised_again_by_name() -> None:
    small, large = ContainerMemory(name="a", limit=1), ContainerMemory(name="a", limit=2)
    other = ContainerMemory(name="b", limit=1)

    assert raised([small, other], [large]) == (large, other)
    assert raised([], [large]) == (large,)
