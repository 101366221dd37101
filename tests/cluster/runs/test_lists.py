"""Who asks for a list gets one that began later, or an error: the lists of one process, over a spool."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from prometheus_client import REGISTRY

from agent.backoff import Backoff
from agent.cluster.runs.envelope import Envelope
from agent.cluster.runs.lists import Dropped, RunLists
from agent.cluster.spool.spool import Spool
from agent.cluster.spool.writer import SpoolWriter
from agent.core.run_event import ListedRun, PodReference, RunPhase, RunsListed
from agent.kube.codec import Unreadable
from agent.kube.errors import ApiError, Gone, Unreachable
from agent.telemetry.cluster_metrics import ListDropped
from agent.wire.events import decode_any
from tests.cluster.living import eventually
from tests.cluster.spool.test_spool import NOW, open_spool, report

MINUTE = timedelta(minutes=1)


def listed(uid: str) -> ListedRun:
    pod = PodReference(namespace="default", name="armada-j1-0", uid=uid)
    return ListedRun(pod=pod, job_id="j1", run_id="r1", queue="q", phase=RunPhase.PENDING, gated=True)


@dataclass(kw_only=True)
class Desk:
    """Lists two pods, in two pages, between which ``may_end`` is waited for; or fails with the first of ``errors``."""

    spool: Spool
    writer: SpoolWriter
    errors: list[Exception] = field(default_factory=list)
    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    term: int | None = 1
    ordered: bool = True
    begun: int = 0

    def __post_init__(self) -> None:
        self.may_end.set()
        ids = iter(f"l{number}" for number in range(100))
        self.envelope = Envelope(cluster_id="c", cluster="east", clock=lambda: NOW, new_id=lambda: next(ids))
        self.lists = self.lists_that_wait(3600)

    def lists_that_wait(self, seconds: float) -> RunLists:
        """Lists over the same spool that wait so long for the broker to have the last one."""
        return RunLists(
            self.pages,
            self.envelope,
            self.writer,
            term=lambda: self.term,
            ordered=self.ordered,
            patience=seconds,
            backoff=Backoff(first=0.01, most=0.01),
            jitter=lambda: 1.0,
        )

    async def pages(self) -> AsyncGenerator[Sequence[ListedRun]]:
        self.begun += 1
        yield (listed("u1"),)
        await self.may_end.wait()
        if self.errors:
            raise self.errors.pop(0)
        yield (listed("u2"),)

    def spooled(self) -> list[RunsListed]:
        read = [decode_any(row.payload) for row in self.spool.unacknowledged(after=0, at_most=100)]
        return [each for each in read if isinstance(each, RunsListed)]

    def publish(self) -> list[RunsListed]:
        """The broker has all pages from now on."""
        pages = self.spooled()
        self.spool.acknowledge_through(self.spool.state().last_spooled)
        return pages

    async def ask(self, count: int) -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(self.lists.ask()) for _ in range(count)]
        await asyncio.sleep(0)
        return tasks


@asynccontextmanager
async def desk_with(spool: Spool) -> AsyncIterator[Desk]:
    writer = SpoolWriter(spool, clock=lambda: NOW, at_most=10, waiting=10)
    running = asyncio.create_task(writer.run(lambda _: None))
    try:
        yield Desk(spool=spool, writer=writer)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.fixture(name="desk")
async def a_desk(tmp_path: Path) -> AsyncIterator[Desk]:
    spool = open_spool(tmp_path)
    async with desk_with(spool) as desk, asyncio.timeout(30):
        yield desk
    spool.close()


def dropped(why: ListDropped) -> float:
    return REGISTRY.get_sample_value("failure_agent_run_lists_dropped_total", {"reason": why.value}) or 0.0


async def test_who_asks_has_a_list_on_disk(desk: Desk) -> None:
    await desk.lists.ask()

    (page,) = desk.spooled()
    assert [run.pod.uid for run in page.runs] == ["u1", "u2"]
    assert (page.cluster_id, page.cluster, page.list_id, page.listed_at) == ("c", "east", "l0", NOW)
    assert page.as_of is None, "no command was received"


async def test_a_list_is_as_of_the_latest_command_that_was_received_before_it_began(desk: Desk) -> None:
    desk.lists.hear(NOW + MINUTE)
    desk.lists.hear(NOW)
    desk.may_end.clear()
    (asked,) = await desk.ask(1)
    await eventually(lambda: desk.begun == 1)
    desk.lists.hear(NOW + 2 * MINUTE)
    desk.may_end.set()
    await asked

    assert [page.as_of for page in desk.spooled()] == [NOW + MINUTE]


async def test_all_that_ask_while_a_list_runs_are_answered_by_the_next_one(desk: Desk) -> None:
    desk.may_end.clear()
    (first,) = await desk.ask(1)
    await eventually(lambda: desk.begun == 1)
    later = await desk.ask(500)
    desk.may_end.set()
    await first
    assert not any(each.done() for each in later)
    assert [page.list_id for page in desk.publish()] == ["l0"]

    await asyncio.gather(*later)

    assert [page.list_id for page in desk.spooled()] == ["l1"]
    assert desk.begun == 2


async def test_of_those_that_ask_in_vain_the_last_asks_again(desk: Desk) -> None:
    desk.may_end.clear()
    desk.errors = [Unreachable("first"), Unreachable("second")]
    asked = await desk.ask(1)
    await eventually(lambda: desk.begun == 1)
    asked += await desk.ask(3)
    desk.may_end.set()

    outcomes = [str(each) for each in await asyncio.gather(*asked, return_exceptions=True)]

    assert outcomes == ["first", "None", "None", "second"]
    assert desk.begun == 2
    assert desk.spooled() == []
    await desk.lists.ask()
    assert len(desk.spooled()) == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Gone(410, "Expired"), ListDropped.GONE),
        (ApiError(403, "Forbidden"), ListDropped.REFUSED),
        (Unreachable("no route"), ListDropped.UNREACHABLE),
        (Unreadable("not a list"), ListDropped.UNREADABLE),
        (ValueError("a bug"), ListDropped.UNFORESEEN),
    ],
)
async def test_a_list_that_cannot_be_finished_is_dropped(desk: Desk, error: Exception, reason: ListDropped) -> None:
    before, desk.errors = dropped(reason), [error]

    with pytest.raises(type(error)):
        await desk.lists.ask()

    assert desk.spooled() == []
    assert dropped(reason) == before + 1


@pytest.mark.parametrize("then", [None, 2])
async def test_no_page_goes_out_if_the_lead_is_lost_in_the_middle(desk: Desk, then: int | None) -> None:
    desk.may_end.clear()
    (asked,) = await desk.ask(1)
    await eventually(lambda: desk.begun == 1)
    desk.term = then
    desk.may_end.set()

    with pytest.raises(Dropped, match="no longer the leader"):
        await asked
    assert desk.spooled() == []


async def test_a_replica_that_became_a_standby_meanwhile_spools_none(desk: Desk) -> None:
    desk.spool.become_standby()
    with pytest.raises(Dropped):
        await desk.lists.ask()
    assert desk.spooled() == []


async def test_a_list_that_is_cut_off_is_not_the_one_that_is_waited_for(desk: Desk) -> None:
    desk.may_end.clear()
    first, second = await desk.ask(2)
    await eventually(lambda: desk.begun == 1)
    first.cancel()
    desk.may_end.set()
    await second

    assert [page.list_id for page in desk.spooled()] == ["l1"]


async def test_there_is_no_other_list_before_the_broker_has_the_last_one(desk: Desk) -> None:
    await desk.lists.ask()
    with pytest.raises(Dropped, match="does not have all pages of the last list"):
        await desk.lists_that_wait(0.5).ask()
    assert desk.begun == 1

    (asked,) = await desk.ask(1)
    desk.publish()
    await asked
    assert desk.begun == 2


async def test_a_spool_that_takes_nothing_gets_no_list(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_events=1)
    async with desk_with(spool) as desk, asyncio.timeout(30):
        await desk.lists.ask()
        desk.publish()
        spool.commit([report("e1")], now=NOW)
        with pytest.raises(Dropped, match="no room"):
            await desk.lists.ask()
        assert desk.writer.problem is None, "nothing else waits for it"
        desk.writer.problem = "the disk is full"
        with pytest.raises(Dropped, match="the disk is full"):
            await desk.lists.ask()
        assert desk.begun == 2
    spool.close()


async def test_each_term_begins_with_a_list(desk: Desk) -> None:
    desk.term, desk.errors = None, [Unreachable("no route")]
    running = asyncio.create_task(desk.lists.run())
    await asyncio.sleep(0.3)
    assert desk.begun == 0

    desk.term = 7
    await eventually(lambda: len(desk.spooled()) == 1)
    desk.publish()
    await asyncio.sleep(0.3)
    assert desk.begun == 2, "once, and once in vain"
    desk.term = 9
    await eventually(lambda: desk.begun == 3)
    running.cancel()


async def test_a_list_that_was_asked_for_begins_the_term_as_well(desk: Desk) -> None:
    await desk.lists.ask()
    running = asyncio.create_task(desk.lists.run())
    await asyncio.sleep(0.3)
    running.cancel()
    assert desk.begun == 1
