import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.run_event import PodReference
from agent.kube.logs import LogReader, LogUnavailable, _cut
from agent.simulator.kinds import PODS as POD_KIND
from tests.kube.cluster import Cluster, cluster
from tests.simulator.api import PODS, pod

LINES = "".join(f"line {number}\n" for number in range(10)) + "größer\n"


async def logged(it: Cluster) -> PodReference:
    made = await it.api.create(PODS, pod("a", node="n1"))
    ended = {"terminated": {"exitCode": 1}}
    status = {"containerStatuses": [{"name": "main", "state": {"running": {}}, "lastState": ended}]}
    await it.api.patch(f"{PODS}/a/status", {"status": status})
    uid = made["metadata"]["uid"]
    assert it.simulation.registry.store.get(POD_KIND, ("default", "a")) is not None
    it.simulation.logs.append(uid, "main", "before\n")
    it.simulation.logs.rotate(uid, "main")
    it.simulation.logs.append(uid, "main", LINES)
    return PodReference(namespace="default", name="a", uid=uid)


async def test_a_tail_is_the_end_of_a_log() -> None:
    async with cluster() as it:
        ref = await logged(it)
        reader = LogReader(it.connection)
        three = await reader.tail(ref, "main", previous=False, lines=3, max_bytes=1000, deadline=10)
        short = await reader.tail(ref, "main", previous=False, lines=3, max_bytes=6, deadline=10)
        before = await reader.tail(ref, "main", previous=True, lines=3, max_bytes=1000, deadline=10)
    assert three == "line 8\nline 9\ngrößer\n"
    assert short == "ßer\n", "the end, in whole characters"
    assert before == "before\n"


async def test_a_log_that_cannot_be_read_says_why() -> None:
    async with cluster() as it:
        ref = await logged(it)
        reader = LogReader(it.connection)
        with pytest.raises(LogUnavailable, match="container none is not valid for pod a"):
            await reader.tail(ref, "none", previous=False, lines=3, max_bytes=10, deadline=10)
        await it.api.add_fault(kind="status", verb="log", code=500, times=1)
        with pytest.raises(LogUnavailable, match="500"):
            await reader.tail(ref, "main", previous=False, lines=3, max_bytes=10, deadline=10)


async def test_waiting_for_a_free_slot_counts_against_the_deadline() -> None:
    async with cluster() as it:
        ref = await logged(it)
        reader = LogReader(it.connection, concurrent=1)
        async with reader._slots:
            with pytest.raises(LogUnavailable, match="not read within"):
                await reader.tail(ref, "main", previous=False, lines=3, max_bytes=10, deadline=0.05)
        many = [reader.tail(ref, "main", previous=False, lines=1, max_bytes=100, deadline=10) for _ in range(5)]
        assert await asyncio.gather(*many) == ["größer\n"] * 5


@given(text=st.text(), limit=st.integers(0, 12))
def test_a_cut_keeps_whole_characters_of_the_end(text: str, limit: int) -> None:
    kept = _cut(text.encode(), limit)
    assert len(kept) <= limit
    assert text.endswith(kept.decode())
    assert len(text.encode()) - len(kept) < 4 or len(kept) > limit - 4
