"""The fault table of reference/performance.md 2a: whatever the server does, few requests, and in the end all is known.

Each row is held for a number of attempts, not for a time: the waits between them are asked of the back-off, whose law
is tested on its own.
"""

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from agent.kube.backoff import Backoff
from agent.kube.objects import Pod
from agent.kube.reflector import Pace, Reflector
from tests.kube.cluster import QUICK, Cluster, Ear, cluster, eventually, reflecting

FAULTS = {
    "HTTP 500": {"kind": "status", "verb": "watch", "code": 500},
    "HTTP 500 of the list": {"kind": "status", "verb": "list", "code": 500},
    "HTTP 403": {"kind": "status", "verb": "list", "code": 403},
    "HTTP 401": {"kind": "status", "verb": "list", "code": 401},
    "HTTP 429": {"kind": "status", "verb": "watch", "code": 429},
    "HTTP 410": {"kind": "status", "verb": "watch", "code": 410},
    "410 event": {"kind": "error-event", "verb": "watch", "code": 410},
    "500 event": {"kind": "error-event", "verb": "watch", "code": 500},
    "clean end": {"kind": "end", "verb": "watch"},
    "cut in the middle of a line": {"kind": "cut", "verb": "watch"},
    "garbage": {"kind": "garbage", "verb": "watch", "text": "<html>bad gateway</html>"},
    "garbage that is JSON": {"kind": "garbage", "verb": "watch", "text": '["not", "an event"]'},
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_a_fault_costs_few_requests_and_loses_nothing(fault: dict[str, str | int]) -> None:
    times = 3
    async with cluster() as it:
        await it.put("before")
        await it.api.add_fault(**fault, times=times)
        ear = Ear()
        async with reflecting(it.connection, ear) as reflector:
            await ear.heard(1)
            await it.put("meanwhile")
            await ear.heard(2)
            await it.touch("before", "1")
            await ear.heard(3)
            requests = await it.api.requests()
    assert ear.told == [("added", "before"), ("added", "meanwhile"), ("modified", "before")]
    assert requests.get("watch pods", 0) <= times + 1
    assert requests["list pods"] <= times + 1
    assert reflector.stats.lists + reflector.stats.watches <= 2 * (times + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counting(Backoff):
    """A back-off that waits for a test instead of the clock."""

    asked: list[float | None] = field(default_factory=list)

    def after(self, draw: float, *, retry_after: float | None = None) -> tuple["Backoff", float]:
        assert 0 <= draw < 1
        self.asked.append(retry_after)
        return self, 0.01


async def test_the_servers_wish_to_be_left_alone_reaches_the_back_off() -> None:
    counting = _Counting()
    async with cluster() as it:
        await it.api.add_fault(kind="status", verb="watch", code=429, retry_after=7, times=2)
        async with reflecting(it.connection, Ear(), pace=replace(QUICK, backoff=counting)):
            await eventually(lambda: _reached(it, "watch pods", 3))
    assert counting.asked == [7.0, 7.0]


async def test_a_watch_that_dies_young_waits_and_one_that_lived_does_not() -> None:
    """Only a stream that lived says that all is well, events or not (performance.md 2c.6)."""
    counting = _Counting()
    settled = Pace(backoff=counting, settled_seconds=-1.0, watch_seconds=(1.0, 1.0))
    async with cluster() as it:
        await it.api.add_fault(kind="end", verb="watch", times=3)
        async with reflecting(it.connection, Ear(), pace=settled):
            await eventually(lambda: _reached(it, "watch pods", 4))
        assert counting.asked == []
        await it.api.add_fault(kind="end", verb="watch", times=3)
        async with reflecting(it.connection, Ear(), pace=replace(settled, settled_seconds=10.0)):
            await eventually(lambda: _reached(it, "watch pods", 8))
    assert counting.asked == [None, None, None]


async def test_a_silent_stream_is_given_up() -> None:
    async with cluster() as it:
        await it.put("before")
        await it.api.add_fault(kind="hang", verb="watch", times=1)
        ear = Ear()
        async with reflecting(it.connection, ear, pace=replace(QUICK, idle_seconds=0.1)) as reflector:
            await ear.heard(1)
            await it.put("meanwhile")
            assert await ear.heard(2) == [("added", "before"), ("added", "meanwhile")]
    assert reflector.stats.errors >= 1


async def test_a_server_that_goes_away_is_waited_for() -> None:
    async with cluster() as it:
        await it.put("before")
        ear = Ear()
        async with reflecting(it.connection, ear) as reflector:
            await ear.heard(1)
            await it.simulation.__aexit__(None, None, None)
            await eventually(lambda: _failed(reflector))


async def test_being_forbidden_is_counted_and_asked_again() -> None:
    async with cluster() as it:
        await it.api.add_fault(kind="status", verb="list", code=403, times=2)
        async with reflecting(it.connection, Ear()) as reflector:
            await asyncio.wait_for(reflector.synced.wait(), 20)
    assert reflector.stats.forbidden == 2


async def _failed(reflector: Reflector[Pod, str]) -> bool:
    return reflector.stats.errors > 0


async def _reached(it: Cluster, sort: str, count: int) -> bool:
    return (await it.api.requests()).get(sort, 0) >= count
