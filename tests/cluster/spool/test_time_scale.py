"""What a process takes over from one whose clock may have been wrong."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.cluster.spool.test_spool import NOW, open_spool, report

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)


def test_a_clock_that_nobody_marked_was_not_right(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    assert not spool.clock_was_right(now=NOW)
    spool.close()


@pytest.mark.parametrize("right", [True, False])
def test_the_next_process_knows_whether_the_clock_was_right(tmp_path: Path, *, right: bool) -> None:
    spool = open_spool(tmp_path)
    spool.mark_clock(right=not right)
    spool.mark_clock(right=right)
    spool.close()

    spool = open_spool(tmp_path)
    assert spool.clock_was_right(now=NOW) is right
    spool.close()


@pytest.mark.parametrize("ahead", [HOUR, -HOUR])
def test_what_was_buffered_by_a_wrong_clock_is_not_dropped_as_published_before(
    tmp_path: Path, ahead: timedelta
) -> None:
    spool = open_spool(tmp_path)
    spool.become_standby()
    spool.commit([report("e1")], now=NOW + ahead)

    spool.clock_was_right(now=NOW)
    spool.drop_published(before=NOW - SECOND)
    assert spool.state().buffered == 1
    spool.drop_published(before=NOW + SECOND)
    assert spool.state().buffered == 0
    spool.close()


@pytest.mark.parametrize("ahead", [HOUR, -HOUR])
def test_what_was_not_published_by_a_wrong_clock_counts_as_old(tmp_path: Path, ahead: timedelta) -> None:
    spool = open_spool(tmp_path)
    spool.commit([report("e1")], now=NOW + ahead)

    spool.clock_was_right(now=NOW)
    assert spool.state().oldest_waiting == NOW - timedelta(days=1)
    spool.close()


def test_times_of_a_right_clock_stay(tmp_path: Path) -> None:
    spool = open_spool(tmp_path)
    spool.mark_clock(right=True)
    spool.commit([report("e1")], now=NOW - SECOND)

    assert spool.clock_was_right(now=NOW)
    assert spool.state().oldest_waiting == NOW - SECOND
    spool.close()
