"""The spool of a replica that stands by: what it would publish goes to the standby buffer."""

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from agent.cluster.spool.entries import Held, Released
from agent.cluster.spool.spool import Spool
from tests.cluster.spool.test_spool import NOW, open_spool, report


@pytest.fixture(name="spool")
def a_spool_that_stands_by(tmp_path: Path) -> Iterator[Spool]:
    spool = open_spool(tmp_path)
    spool.become_standby()
    yield spool
    spool.close()


def waiting(spool: Spool) -> list[tuple[int, str]]:
    return [(row.sequence, row.properties["event_id"]) for row in spool.unacknowledged(after=0, at_most=100)]


def test_nothing_is_published_and_all_is_kept(spool: Spool) -> None:
    assert spool.commit([report("e1"), report("e2")], now=NOW) == {"e1", "e2"}

    assert waiting(spool) == []
    assert (spool.state().buffered, spool.state().waiting) == (2, 0)


def test_who_leads_publishes_in_order_what_was_buffered_and_then_what_comes(spool: Spool) -> None:
    spool.commit([report("e1"), report("e2")], now=NOW)

    assert spool.become_leader() == 2
    spool.commit([report("e3")], now=NOW)

    numbers, names = zip(*waiting(spool), strict=True)
    assert names == ("e1", "e2", "e3")
    assert list(numbers) == sorted(numbers)
    assert spool.state().buffered == 0


def test_an_event_is_new_once_in_the_standby_buffer_too(spool: Spool) -> None:
    spool.commit([report("e1")], now=NOW)

    assert spool.commit([report("e1")], now=NOW) == frozenset()
    assert spool.become_leader() == 1
    assert spool.commit([report("e1")], now=NOW) == frozenset()


def test_what_was_published_by_another_is_dropped_and_not_reported_again(spool: Spool) -> None:
    spool.commit([report("old")], now=NOW - timedelta(seconds=60))
    spool.commit([report("young")], now=NOW)

    assert spool.drop_published(before=NOW - timedelta(seconds=30)) == 1
    spool.commit([report("old")], now=NOW)

    assert spool.become_leader() == 1
    assert [name for _, name in waiting(spool)] == ["young"]


def test_what_it_spooled_while_it_led_stays_in_the_outbox(spool: Spool) -> None:
    spool.become_leader()
    spool.commit([report("mine")], now=NOW)
    spool.become_standby()
    spool.commit([report("theirs")], now=NOW)

    spool.drop_published(before=NOW + timedelta(hours=1))

    assert [name for _, name in waiting(spool)] == ["mine"]


def test_what_is_held_and_then_released_is_buffered(spool: Spool) -> None:
    spool.commit([Held(report=report("e1"))], now=NOW)
    spool.commit([Released(event_id="e1")], now=NOW)

    assert waiting(spool) == []
    assert spool.become_leader() == 1


def test_a_pod_is_not_settled_while_a_report_of_it_is_in_the_standby_buffer(spool: Spool) -> None:
    spool.commit([report("e1"), report("e2", pod="pod-2")], now=NOW)
    assert spool.settled(["pod-1", "pod-2", "pod-3"]) == {"pod-3"}

    spool.drop_published(before=NOW + timedelta(seconds=1))
    assert spool.settled(["pod-1", "pod-2"]) == {"pod-1", "pod-2"}


def fill(spool: Spool) -> None:
    for number in range(10_000):
        spool.commit([report(f"e{number}", pod=f"pod-{number}", payload=b"x" * 4000)], now=NOW)


def test_a_full_spool_has_room_for_what_was_in_its_standby_buffer(tmp_path: Path) -> None:
    spool = open_spool(tmp_path, max_bytes=1 << 20)
    spool.become_standby()
    with pytest.raises(sqlite3.OperationalError, match="full"):
        fill(spool)
    buffered = spool.state().buffered

    assert buffered > 0
    assert spool.become_leader() == buffered
    assert [name for _, name in waiting(spool)][:2] == ["e0", "e1"]
    spool.close()


def test_the_standby_buffer_outlives_the_process(tmp_path: Path) -> None:
    first = open_spool(tmp_path)
    first.become_standby()
    first.commit([report("e1")], now=NOW)
    first.close()
    second = open_spool(tmp_path)

    assert second.state().buffered == 1
    assert second.become_leader() == 1
    assert [name for _, name in waiting(second)] == ["e1"]
    second.close()
