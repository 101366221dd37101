import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.cluster.spool.entries import Known, Report
from agent.cluster.spool.spool import Spool
from agent.cluster.spool.writer import Saved, SpoolWriter
from tests.cluster.living import eventually

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def report(number: int, *, size: int = 1) -> Report:
    event_id = f"e{number}"
    return Report(
        event_id=event_id,
        pod_uid=event_id,
        key="k",
        payload=bytes(size),
        properties={"event_id": event_id},
        event_time=NOW,
    )


class Desk:
    def __init__(self, spool: Spool, *, at_most: int = 10, waiting: int = 5) -> None:
        self.spool = spool
        self.writer = SpoolWriter(spool, clock=lambda: NOW, at_most=at_most, waiting=waiting)
        self.commits: list[Saved] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.writer.run(self.commits.append))
        yield
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    def spooled(self) -> list[str]:
        return [row.properties["event_id"] for row in self.spool.unacknowledged(after=0, at_most=1000)]


@pytest.fixture(name="spool")
async def a_spool(tmp_path: Path) -> AsyncIterator[Spool]:
    spool = Spool.open(tmp_path / "spool.db", cluster="east", max_bytes=1 << 18, keep_acknowledged=0)
    yield spool
    spool.close()


async def test_what_is_put_is_on_disk_in_order_when_it_is_drained(spool: Spool) -> None:
    desk = Desk(spool)
    async with desk.running():
        for number in range(25):
            desk.writer.put(report(number))
        await desk.writer.drained()

        assert desk.spooled() == [f"e{number}" for number in range(25)]
    assert [len(saved.entries) for saved in desk.commits] == [10, 10, 5]
    assert desk.commits[0].new == {f"e{number}" for number in range(10)}


async def test_what_is_put_together_is_committed_together(spool: Spool) -> None:
    desk = Desk(spool, at_most=1)
    async with desk.running():
        desk.writer.put(report(1), Known(uid="e1", entry=b"x"))
        desk.writer.put(report(2))
        desk.writer.put()
        await desk.writer.drained()

    assert [len(saved.entries) for saved in desk.commits] == [2, 1]


async def test_there_is_room_again_when_the_disk_has_caught_up(spool: Spool) -> None:
    desk = Desk(spool, at_most=2, waiting=3)
    for number in range(3):
        await asyncio.wait_for(desk.writer.room(), 60)
        desk.writer.put(report(number))
    waiting = asyncio.create_task(desk.writer.room())
    await asyncio.sleep(0.05)
    assert not waiting.done()

    async with desk.running():
        await asyncio.wait_for(waiting, 60)


async def test_a_disk_that_refuses_is_asked_again_until_it_takes_everything(spool: Spool) -> None:
    desk = Desk(spool, at_most=1)
    big = [report(number, size=60_000) for number in range(4)]
    async with desk.running():
        for one in big:
            desk.writer.put(one)
        await eventually(lambda: "full" in (desk.writer.problem or ""))
        taken = desk.spooled()
        assert taken == [f"e{number}" for number in range(len(taken))]

        spool.acknowledge_through(len(taken))
        await asyncio.wait_for(desk.writer.drained(), 30)

        assert taken + desk.spooled() == ["e0", "e1", "e2", "e3"]
        assert desk.writer.problem is None
