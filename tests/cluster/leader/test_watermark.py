"""How far replicas are, and what one may drop because another has published it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from agent.cluster.leader.watermark import MARGIN, Watermark
from agent.cluster.spool.spool import Spool
from tests.cluster.spool.test_spool import NOW, open_spool, report


@dataclass
class Replica:
    spool: Spool
    now: datetime = NOW
    seen: datetime | None = NOW

    def __post_init__(self) -> None:
        self.watermark = Watermark(self.spool, seen=[lambda: self.seen], clock=lambda: self.now)


@pytest.fixture(name="replica")
def a_replica(tmp_path: Path) -> Iterator[Replica]:
    spool = open_spool(tmp_path)
    yield Replica(spool)
    spool.close()


async def test_before_it_looked_it_does_not_say(replica: Replica) -> None:
    assert replica.watermark.behind() is None


async def test_it_is_as_far_behind_as_it_was_when_it_looked(replica: Replica) -> None:
    await replica.watermark.update()
    replica.now += timedelta(seconds=3)

    assert replica.watermark.behind() == 3.0


async def test_what_waits_for_the_broker_counts_from_when_it_was_spooled(replica: Replica) -> None:
    replica.spool.commit([report("e1")], now=NOW - timedelta(seconds=40))
    await replica.watermark.update()
    assert replica.watermark.behind() == 40.0

    replica.spool.acknowledge([1])
    await replica.watermark.update()
    assert replica.watermark.behind() == 0.0


async def test_what_is_in_hand_or_not_heard_yet_counts_too(replica: Replica) -> None:
    replica.seen = NOW - timedelta(seconds=7)
    await replica.watermark.update()
    assert replica.watermark.behind() == 7.0

    replica.seen = None
    await replica.watermark.update()
    assert replica.watermark.behind() is None


async def test_only_what_the_other_surely_published_is_dropped(replica: Replica) -> None:
    replica.spool.become_standby()
    for age in (100, 21 + MARGIN.seconds, 19 + MARGIN.seconds, 0):
        replica.spool.commit([report(f"e{age}")], now=NOW - timedelta(seconds=age))
    replica.watermark.on_published(20.0)
    await replica.watermark.update()

    assert replica.spool.state().buffered == 2


async def test_nothing_is_dropped_while_the_other_says_nothing(replica: Replica) -> None:
    replica.spool.become_standby()
    replica.spool.commit([report("e1")], now=NOW - timedelta(days=1))
    await replica.watermark.update()

    assert replica.spool.state().buffered == 1
