"""Which missing messages are lost: those that the broker no longer has."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import Connection
from structlog.testing import capture_logs

from agent.broker.port import Acknowledged, Unreachable
from agent.scheduler.schedule.gaps import KEPT, OVERDUE, Gaps
from agent.store import sequences
from agent.store.errors import LeadershipLost
from agent.store.ranges import Range
from agent.store.sequences import ConsumedRange, Gap
from agent.store.store import Store
from tests.broker.breakable import BreakableBroker
from tests.core.lifecycle.made import T0
from tests.store.databases import new_store

TOPIC = "run-events-east"


@dataclass
class Upto:
    """Everything in front of this position is acknowledged."""

    position: int

    def before(self, position: str) -> bool:
        return int(position) <= self.position

    def everything(self) -> bool:
        return False


@dataclass
class Broker(BreakableBroker):
    """Says what a test set: how far it is acknowledged, nothing, or an error."""

    says: Upto | Unreachable | None = field(default_factory=lambda: Upto(0))

    def __post_init__(self) -> None:
        super().__init__()

    def acknowledged(self, topic: str, subscription: str) -> Acknowledged | None:
        assert (topic, subscription) == (TOPIC, "scheduler")
        if isinstance(self.says, Unreachable):
            raise self.says
        return self.says


@dataclass
class Looking:
    """The leader's looks, with time of its own."""

    store: Store
    broker: Broker = field(default_factory=Broker)
    now: datetime = T0

    def look(self) -> list[str]:
        """Look once; what is logged of missing messages."""
        with capture_logs() as logged:
            Gaps(self.store, self.broker, clock=lambda _: self.now).run(lambda _: None)
        return [f"{line['topic']} {line['spool']} {line['first']}-{line['last']}" for line in logged if "last" in line]

    def consume(self, *ranges: Range, position: str = "9") -> None:
        consumed = ConsumedRange(topic=TOPIC, spool_id="s", ranges=ranges, position=position, at=self.now)
        with self.store.write() as connection:
            sequences.record(connection, [consumed])

    def there(self) -> list[Gap]:
        with self.store.read() as connection:
            return sequences.gaps(connection)


@pytest.fixture
def looking(tmp_path: Path) -> Iterator[Looking]:
    with Store.open(new_store(tmp_path)) as store:
        yield Looking(store)


def test_a_message_on_its_way_is_not_lost(looking: Looking) -> None:
    looking.consume((0, 3), (5, 6), position="9")
    looking.broker.says = Upto(8)

    assert looking.look() == []
    assert [gap.lost_at for gap in looking.there()] == [None]
    looking.now += 2 * OVERDUE
    assert looking.look() == []
    looking.consume((3, 5))
    assert looking.look() == []
    assert looking.there() == []


def test_a_message_that_the_broker_no_longer_has_is_lost_once(looking: Looking) -> None:
    lost = REGISTRY.get_sample_value("failure_agent_scheduler_lost_total") or 0
    looking.consume((0, 3), (5, 6), position="9")
    looking.broker.says = Upto(9)

    assert looking.look() == [f"{TOPIC} s 4-5"]
    assert looking.look() == []
    assert [gap.lost_at for gap in looking.there()] == [T0]
    assert REGISTRY.get_sample_value("failure_agent_scheduler_lost_total") == lost + 2
    assert REGISTRY.get_sample_value("failure_agent_scheduler_gaps") == 1


def test_what_was_committed_before_the_broker_answered_is_not_lost(
    looking: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking.consume((0, 3), (5, 6), position="9")
    looking.look()

    def late(*_: object) -> Upto:
        looking.consume((3, 5))
        return Upto(9)

    monkeypatch.setattr(Broker, "acknowledged", late)

    assert looking.look() == []
    assert looking.there() == []


@pytest.mark.parametrize("says", [None, Unreachable("nobody is there")], ids=["nothing", "an error"])
def test_if_the_broker_does_not_say_a_message_is_lost_when_it_is_overdue(
    looking: Looking, says: Unreachable | None
) -> None:
    looking.consume((0, 3), (5, 6))
    looking.broker.says = says
    looking.now += OVERDUE - timedelta(seconds=1)
    assert [line for line in looking.look() if "4-5" in line] == []

    looking.now += timedelta(seconds=1)
    assert [line for line in looking.look() if "4-5" in line] == [f"{TOPIC} s 4-5"]


def test_a_gap_is_forgotten_after_a_week(looking: Looking) -> None:
    looking.consume((0, 3), (5, 6), position="9")
    looking.broker.says = Upto(9)
    looking.look()
    looking.now += KEPT + timedelta(seconds=1)

    assert looking.look() == [f"{TOPIC} s 4-5"]
    assert looking.there() == []
    assert REGISTRY.get_sample_value("failure_agent_scheduler_gaps") == 0


def test_an_earlier_leader_changes_nothing(looking: Looking) -> None:
    looking.consume((0, 3), (5, 6))

    def lost(_: Connection) -> None:
        raise LeadershipLost("epoch 1 is over")

    with pytest.raises(LeadershipLost):
        Gaps(looking.store, looking.broker, clock=lambda _: T0).run(lost)
    assert looking.there() == []


def test_it_looks_now_and_then(looking: Looking) -> None:
    leader = Gaps(looking.store, looking.broker, clock=lambda _: T0, elapsed=iter([10.0, 14.9, 15.0]).__next__)
    found = []
    for _ in range(3):
        looking.consume((0, 1))
        leader.run(lambda _: None)
        with looking.store.read() as connection:
            found.append(sequences.any_added(connection))

    assert found == [False, True, False]


def test_that_the_broker_does_not_say_what_it_has_is_said_once_for_each_topic(
    looking: Looking, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_broker: Broker, topic: str, _subscription: str) -> Acknowledged | None:
        raise Unreachable(f"refused to read {topic}")

    monkeypatch.setattr("agent.scheduler.schedule.gaps._EVERY", 0.0)
    monkeypatch.setattr(Broker, "acknowledged", refused)
    looking.consume((0, 1), (2, 3))
    west = ConsumedRange(topic="run-events-west", spool_id="w", ranges=((0, 1), (2, 3)), position="9", at=T0)
    with looking.store.write() as connection:
        sequences.record(connection, [west])
    gaps = Gaps(looking.store, looking.broker, clock=lambda _: looking.now)
    with capture_logs() as logged:
        gaps.run(lambda _: None)
        gaps.run(lambda _: None)

    assert [line["topic"] for line in logged] == ["run-events-east", "run-events-west"]
