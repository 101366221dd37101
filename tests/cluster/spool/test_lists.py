"""Lists of the pods of runs in the spool: whole, in order, and never in the way of what cannot be found out again."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.cluster.spool.entries import LISTS, RunList, page_report
from agent.cluster.spool.quota import SpoolFull
from agent.cluster.spool.spool import Spool
from agent.core.run_event import ListedRun, PodReference, RunPhase, RunsListed
from agent.wire.events import decode_any
from tests.cluster.spool.test_spool import NOW, open_spool, report
from tests.cluster.spool.test_writer import Desk
from tests.cluster.spool.test_writer import report as numbered


def run_list(name: str, *, pages: int = 2, runs: int = 0) -> RunList:
    return RunList(pages=tuple(page_report(page(name, number, pages=pages, runs=runs)) for number in range(pages)))


def page(name: str, number: int, *, pages: int, runs: int) -> RunsListed:
    pod = PodReference(namespace="default", name="armada-j1-0", uid="u" * 36)
    run = ListedRun(pod=pod, job_id="j1", run_id="r1", queue="q", phase=RunPhase.PENDING, gated=True)
    return RunsListed(
        event_id=f"{name}/{number}",
        cluster_id="c",
        cluster="east",
        list_id=name,
        page=number,
        pages=pages,
        as_of=None,
        listed_at=datetime(2026, 11, 21, tzinfo=UTC),
        runs=(run,) * runs,
    )


def waiting(spool: Spool) -> Sequence[str]:
    return [row.properties["event_id"] for row in spool.unacknowledged(after=0, at_most=100)]


def test_the_pages_of_a_list_follow_what_was_spooled_before_it(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    assert spool.commit([report("e1"), run_list("a"), report("e2")], now=NOW) == {"e1", "a/0", "e2"}

    assert waiting(spool) == ["e1", "a/0", "a/1", "e2"]
    pages = [decode_any(row.payload) for row in spool.unacknowledged(after=1, at_most=2)]
    assert pages == [page("a", 0, pages=2, runs=0), page("a", 1, pages=2, runs=0)]
    assert {row.key for row in spool.unacknowledged(after=1, at_most=2)} == {"run-list/c"}, "no scope waits for them"
    spool.close()


def test_a_list_is_settled_when_the_broker_has_all_its_pages_of_which_none_is_kept(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, keep=100)
    spool.commit([report("e1"), run_list("a")], now=NOW)

    spool.acknowledge([1, 2])
    assert spool.settled([LISTS]) == frozenset()
    spool.acknowledge([3])

    assert spool.settled([LISTS]) == {LISTS}
    kept = spool._connection.execute("SELECT event_id FROM outbox").fetchall()
    assert kept == [("e1",)], "lists come every minute, and are large"
    spool.close()


def test_only_the_last_list_is_remembered(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    for name in ("a", "b", "c"):
        spool.commit([run_list(name)], now=NOW)

    assert spool.reported() == {LISTS: frozenset({"c/0", "c/1"})}
    spool.close()


def test_a_standby_drops_lists(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    spool.become_standby()

    assert spool.commit([report("e1"), run_list("a")], now=NOW) == {"e1"}

    assert spool.become_leader() == 1
    assert waiting(spool) == ["e1"]
    spool.close()


def test_a_list_that_waits_makes_room_for_what_happens(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_events=3)
    spool.commit([run_list("a", pages=3)], now=NOW)

    spool.commit([report("e1")], now=NOW)

    assert waiting(spool) == ["e1"]
    assert spool.settled([LISTS]) == {LISTS}, "another one may begin"
    spool.close()


def test_pages_that_the_broker_may_have_stay_and_count_towards_the_bound(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_events=3)
    spool.commit([run_list("a", pages=3)], now=NOW)
    spool.record_sent(1)

    spool.commit([report("e1"), report("e2")], now=NOW)
    with pytest.raises(SpoolFull):
        spool.commit([report("e3")], now=NOW)

    assert waiting(spool) == ["a/0", "e1", "e2"]
    spool.close()


def test_a_list_that_waits_makes_room_on_a_full_disk(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_bytes=1 << 19)
    spool.commit([run_list("a", runs=1_500)], now=NOW)

    for number in range(3):
        spool.commit([report(f"e{number}", payload=bytes(100_000))], now=NOW)

    assert waiting(spool) == ["e0", "e1", "e2"]
    spool.close()


async def test_a_list_that_was_offered_is_on_disk(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    desk = Desk(spool)
    async with desk.running():
        desk.writer.put(numbered(1))
        assert await asyncio.wait_for(desk.writer.offer(run_list("a")), 30)

        assert waiting(spool) == ["e1", "a/0", "a/1"]
    spool.close()


async def test_a_list_for_which_there_is_no_room_is_dropped_and_keeps_nothing_else_waiting(tmp_path: Path) -> None:
    spool = Spool.open(tmp_path / "spool.db", cluster="east", max_bytes=1 << 18, keep_acknowledged=0)
    desk = Desk(spool)
    async with desk.running():
        desk.writer.put(numbered(1))
        offered = asyncio.create_task(desk.writer.offer(run_list("a", runs=5_000)))
        await asyncio.sleep(0)
        desk.writer.put(numbered(2))

        assert not await asyncio.wait_for(offered, 30)
        await asyncio.wait_for(desk.writer.drained(), 30)
        assert waiting(spool) == ["e1", "e2"]
        assert desk.writer.problem is None
    spool.close()
