"""A table of faults of API servers: whatever the server does, the reflector sends few requests and misses nothing.

Each fault lasts for a number of attempts, not for a time, and the requests are counted. How long the reflector waits
between them is decided by the back-off, which has tests of its own.
"""

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import pytest

from agent.backoff import DecorrelatedBackoff
from agent.kube.connection import Connection
from agent.kube.objects import Pod
from agent.kube.reflector.cache import Change
from agent.kube.reflector.reflector import Pace, Reflector
from agent.settings.kube import KubeSettings
from tests.kube.cluster import QUICK, STREAMED, Cluster, Ear, cluster, eventually, reflecting
from tests.kube.scripted import Scripted, bookmark, line, serving

TIMES = 3


class Row(NamedTuple):
    """A fault of TIMES requests, and the requests that are made until the watch runs again: paged, and streamed."""

    fault: dict[str, str | int]
    lists: int
    watches: int
    streamed: int


FAULTS = {
    "HTTP 500": Row({"kind": "status", "verb": "watch", "code": 500}, lists=1, watches=4, streamed=4),
    "HTTP 503": Row({"kind": "status", "verb": "watch", "code": 503}, lists=1, watches=4, streamed=4),
    "HTTP 500 of the list": Row({"kind": "status", "verb": "list", "code": 500}, lists=4, watches=1, streamed=1),
    "HTTP 403 of the list": Row({"kind": "status", "verb": "list", "code": 403}, lists=4, watches=1, streamed=1),
    "HTTP 403": Row({"kind": "status", "verb": "watch", "code": 403}, lists=1, watches=4, streamed=4),
    "HTTP 401": Row({"kind": "status", "verb": "watch", "code": 401}, lists=1, watches=4, streamed=4),
    "HTTP 429": Row({"kind": "status", "verb": "watch", "code": 429}, lists=1, watches=4, streamed=4),
    "HTTP 429 in plain text": Row(
        {"kind": "overload", "verb": "watch", "retry_after": 0}, lists=1, watches=4, streamed=4
    ),
    "HTTP 410": Row({"kind": "status", "verb": "watch", "code": 410}, lists=4, watches=4, streamed=4),
    "HTTP 410 of the list": Row({"kind": "status", "verb": "list", "code": 410}, lists=4, watches=1, streamed=1),
    "410 event": Row({"kind": "error-event", "verb": "watch", "code": 410}, lists=4, watches=4, streamed=4),
    "500 event": Row({"kind": "error-event", "verb": "watch", "code": 500}, lists=1, watches=4, streamed=4),
    "clean end": Row({"kind": "end", "verb": "watch"}, lists=1, watches=4, streamed=4),
    "cut in the middle of a line": Row({"kind": "cut", "verb": "watch"}, lists=1, watches=4, streamed=4),
    "silence": Row({"kind": "hang", "verb": "watch"}, lists=1, watches=4, streamed=4),
    "garbage": Row(
        {"kind": "garbage", "verb": "watch", "text": "<html>bad gateway</html>"}, lists=4, watches=4, streamed=4
    ),
    "garbage that is JSON": Row(
        {"kind": "garbage", "verb": "watch", "text": '["not", "an event"]'}, lists=4, watches=4, streamed=4
    ),
}


@pytest.mark.parametrize("row", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("pace", [QUICK, STREAMED], ids=["paged", "streamed"])
async def test_a_fault_costs_few_requests_and_loses_nothing(row: Row, pace: Pace) -> None:
    async with cluster() as it:
        await it.put("before")
        await it.api.add_fault(**row.fault, times=TIMES)
        ear, began = Ear(), time.monotonic()
        quick = replace(pace, idle_seconds=0.2 if row.fault["kind"] == "hang" else pace.idle_seconds)
        async with reflecting(it.connection, ear, pace=quick):
            await ear.heard(1)
            await eventually(lambda: _reached(it, "watch pods", row.streamed if pace is STREAMED else row.watches))
            await it.put("meanwhile")
            await ear.heard(2)
            await it.touch("before", "1")
            await ear.heard(3)
            requests = await it.api.requests()
    silences = int((time.monotonic() - began) / quick.idle_seconds)
    assert ear.told == [("added", "before"), ("added", "meanwhile"), ("modified", "before")]
    lists, watches = (0, row.streamed) if pace is STREAMED else (row.lists, row.watches)
    assert requests.get("list pods", 0) == lists
    assert watches <= requests["watch pods"] <= max(watches, 1 + silences), "each silence costs one, of others too"


async def test_changes_are_notified_once_in_any_order_of_events() -> None:
    """Only changes are notified: not repeated events, deletions of unknown objects, or events of a namesake."""
    stream = b"".join(
        (
            line("ADDED", "a", version=5),
            bookmark(5, ends_list=True),
            line("MODIFIED", "never-added", version=7),
            line("DELETED", "never-there", version=6),
            line("ADDED", "a", version=5),
            line("ADDED", "a", uid="second", version=9),
            line("DELETED", "a", uid="a", version=8),
            line("MODIFIED", "a", uid="second", version=9),
            line("ADDED", "a", uid="second", version=10),
            line("ADDED", "end", version=11),
        )
    )
    ear = Ear()
    async with (
        serving(Scripted(streams=[stream]).answer) as url,
        await Connection.open(KubeSettings(url=url)) as connection,
        reflecting(connection, ear, pace=STREAMED),
    ):
        await ear.until(lambda: ("added", "end") in ear.told)
    assert [(change.kind.value, change.uid) for change in ear.changes] == [
        ("added", "a"),
        ("added", "never-added"),
        ("deleted", "a"),
        ("added", "second"),
        ("modified", "second"),
        ("added", "end"),
    ]


@pytest.mark.slow
async def test_a_busy_handler_stops_the_server_from_sending() -> None:
    """While the handler is busy nothing is read: the connection fills, and the server waits."""
    gate = asyncio.Event()

    async def wait(_change: Change[Pod, str]) -> None:
        await gate.wait()

    message = "x" * 10_000
    count = 5_000
    stream = b"".join(line("ADDED", f"p{number}", version=number, message=message) for number in range(1, count))
    server = Scripted(streams=[stream + bookmark(count, ends_list=True)])
    async with serving(server.answer) as url, await Connection.open(KubeSettings(url=url)) as connection:
        reflector = Reflector(
            connection, path="/api/v1/pods", decode=Pod, keep=lambda _: "", handler=wait, pace=STREAMED
        )
        running = asyncio.create_task(reflector.run())
        sent = await _settled(server)
        assert 0 < sent < len(stream) / 2
        assert (len(reflector.cache), reflector.stats.changes) == (1, 1)
        gate.set()
        await asyncio.wait_for(reflector.synced.wait(), 60)
        assert len(reflector.cache) == count - 1
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def _settled(server: Scripted) -> int:
    """How much was sent when nothing more is."""
    sent = -1
    while sent != server.sent or not sent:
        sent = server.sent
        await asyncio.sleep(0.3)
    return sent


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counting(DecorrelatedBackoff):
    """A back-off that waits for a test instead of the clock."""

    asked: list[float | None] = field(default_factory=list)

    def after(self, draw: float, *, retry_after: float | None = None) -> tuple["DecorrelatedBackoff", float]:
        assert 0 <= draw < 1
        self.asked.append(retry_after)
        return self, 0.01


async def test_retry_after_reaches_the_back_off() -> None:
    counting = _Counting()
    async with cluster() as it:
        await it.api.add_fault(kind="status", verb="watch", code=429, retry_after=7, times=2)
        async with reflecting(it.connection, Ear(), pace=replace(QUICK, backoff=counting)):
            await eventually(lambda: _reached(it, "watch pods", 3))
    assert counting.asked == [7.0, 7.0]


async def test_only_a_watch_that_lasted_resets_the_back_off() -> None:
    """Only a watch that lasted shows that the server is healthy, with events or without."""
    counting = _Counting()
    settled = replace(QUICK, backoff=counting, settled_seconds=-1.0, watch_seconds=(1.0, 1.0))
    async with cluster() as it:
        await it.api.add_fault(kind="end", verb="watch", times=3)
        async with reflecting(it.connection, Ear(), pace=settled):
            await eventually(lambda: _reached(it, "watch pods", 4))
        assert counting.asked == []
        await it.api.add_fault(kind="end", verb="watch", times=3)
        async with reflecting(it.connection, Ear(), pace=replace(settled, settled_seconds=10.0)):
            await eventually(lambda: _reached(it, "watch pods", 8))
    assert counting.asked == [None, None, None]


async def test_a_silent_stream_is_closed() -> None:
    async with cluster() as it:
        await it.put("before")
        await it.api.add_fault(kind="hang", verb="watch", times=1)
        ear = Ear()
        async with reflecting(it.connection, ear, pace=replace(QUICK, idle_seconds=0.1)) as reflector:
            await ear.heard(1)
            await it.put("meanwhile")
            assert await ear.heard(2) == [("added", "before"), ("added", "meanwhile")]
    assert reflector.stats.errors >= 1


async def test_the_reflector_waits_for_a_server_that_stopped() -> None:
    async with cluster() as it:
        await it.put("before")
        ear = Ear()
        async with reflecting(it.connection, ear) as reflector:
            await ear.heard(1)
            await it.simulation.__aexit__(None, None, None)
            await eventually(lambda: _failed(reflector))


async def test_a_403_is_counted_and_the_request_repeated() -> None:
    async with cluster() as it:
        await it.api.add_fault(kind="status", verb="list", code=403, times=2)
        async with reflecting(it.connection, Ear(), pace=QUICK) as reflector:
            await asyncio.wait_for(reflector.synced.wait(), 20)
    assert reflector.stats.forbidden == 2


async def _failed(reflector: Reflector[Pod, str]) -> bool:
    return reflector.stats.errors > 0


async def _reached(it: Cluster, sort: str, count: int) -> bool:
    return (await it.api.requests()).get(sort, 0) >= count
