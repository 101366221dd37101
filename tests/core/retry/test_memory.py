from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.decision.decide import decide
from agent.core.decision.verdict import Verdict
from agent.core.evidence import ContainerKind, ContainerMemory
from agent.core.heartbeat import NodeShape
from agent.core.history import History
from agent.core.limit import Reason, VerdictAction
from agent.core.retry.dialect import Spread
from agent.core.retry.growth import MemoryGrowth
from agent.core.retry.memory import mutate
from agent.core.retry.policy import RetrySettings
from tests.core.retry.builders import NOW, RUN, effective, failure

GI = 1 << 30
A = ContainerMemory(name="a", request=GI, limit=2 * GI)
B = ContainerMemory(name="b", request=3 * GI, limit=3 * GI)
INIT = ContainerMemory(name="i", kind=ContainerKind.INIT, request=GI, limit=GI)
BARE = ContainerMemory(name="bare")
ALL = (A, B, INIT, BARE)


def grown(growth: MemoryGrowth, spread: Spread, culprit: str = "") -> dict[str, tuple[float | None, float | None]]:
    _, after = mutate(growth, spread=spread, culprit=culprit, memory=ALL)
    return {
        container.name: (container.request and container.request / GI, container.limit and container.limit / GI)
        for container in after
    }


def test_a_factor_grows_every_container() -> None:
    assert grown(MemoryGrowth(factor=1.5), Spread.EVERY) == {
        "a": (1.5, 3),
        "b": (4.5, 4.5),
        "i": (1.5, 1.5),
        "bare": (None, None),
    }


def test_a_static_amount_is_split_by_the_share_of_requests_and_whole_for_init_containers() -> None:
    assert grown(MemoryGrowth(static=4 * GI), Spread.EVERY) == {
        "a": (2, 3),
        "b": (6, 6),
        "i": (5, 5),
        "bare": (None, None),
    }


def test_a_split_never_lifts_a_request_above_its_limit() -> None:
    large, small = ContainerMemory(name="a", request=GI, limit=3 * GI), ContainerMemory(name="b", request=GI, limit=GI)

    _, after = mutate(MemoryGrowth(static=300 << 20), spread=Spread.EVERY, culprit="", memory=(large, small))

    assert [(container.request, container.limit) for container in after] == [
        (1174 << 20, 3222 << 20),
        (1174 << 20, 1174 << 20),
    ]


def test_a_share_is_rounded_down() -> None:
    thirds = tuple(ContainerMemory(name=name, request=GI, limit=GI) for name in "abc")

    _, after = mutate(MemoryGrowth(static=100 << 20), spread=Spread.EVERY, culprit="", memory=thirds)

    assert {container.request for container in after} == {GI + (100 << 20) // 3}


def test_the_culprit_alone_grows_up_to_its_ceiling() -> None:
    assert grown(MemoryGrowth(factor=2.0, ceiling=3 * GI), Spread.CULPRIT, "a")["a"] == (2, 3)
    assert grown(MemoryGrowth(factor=2.0, ceiling=3 * GI), Spread.CULPRIT, "a")["b"] == (3, 3)


@pytest.mark.parametrize("culprit", ["b", "bare", ""])
def test_what_cannot_grow_is_no_mutation(culprit: str) -> None:
    growth = MemoryGrowth(factor=2.0, ceiling=3 * GI)

    assert mutate(growth, spread=Spread.CULPRIT, culprit=culprit, memory=ALL) == (None, ALL)


@given(size=st.integers(1, 1 << 50), factor=st.floats(1.001, 100), ceiling=st.integers(1, 1 << 50))
def test_memory_never_shrinks_nor_passes_its_ceiling(size: int, factor: float, ceiling: int) -> None:
    before = ContainerMemory(name="m", request=size)
    _, (after,) = mutate(
        MemoryGrowth(factor=factor, ceiling=ceiling), spread=Spread.CULPRIT, culprit="m", memory=[before]
    )

    assert after.request is not None
    assert size <= after.request <= max(size, ceiling)


OOM = failure({"containers": [{"name": "a", "exitCode": 137, "reason": "OOMKilled"}]})


def verdict(room: str | None, *, ceiling: int = 100 * GI) -> Verdict:
    rule = {"name": "oom", "onConditions": ["OOMKilled"], "memory": {"factor": 2.0, "ceiling": ceiling}}
    shapes = None if room is None else [NodeShape(allocatable=(("memory", room),), ready=2, total=2)]
    return decide(
        OOM,
        run=replace(RUN, memory=(A, B)),
        history=History(),
        policies=effective({"rules": [rule]}),
        settings=RetrySettings(enabled=True),
        now=NOW,
        shapes=shapes,
    )


@pytest.mark.parametrize("room", [None, "5Gi"])
def test_the_container_that_ran_out_gets_more(room: str | None) -> None:
    given = verdict(room)

    assert given.action is VerdictAction.RETRY
    assert given.mutation is not None
    assert [(container.name, container.request) for container in given.mutation.after] == [("a", 2 * GI)]


def test_a_job_that_would_fit_no_node_is_not_tried_again() -> None:
    given = verdict("4Gi")

    assert (given.action, given.reason, given.mutation) == (VerdictAction.FAIL, Reason.NO_NODE, None)
    assert "the job with more memory fits no node" in given.explanation.impossible


def test_at_its_ceiling_it_is_tried_again_as_it_was_and_says_so() -> None:
    given = verdict("4Gi", ceiling=GI)

    assert (given.action, given.mutation) == (VerdictAction.RETRY, None)
    assert "mutate: memory is unchanged: container a is at its ceiling or sets none" in given.explanation.notes
