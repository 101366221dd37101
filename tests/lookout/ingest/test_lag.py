"""How far what is stored is behind what was published."""

from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client import REGISTRY

from agent.broker.consume.batch import PoisonError, TransientError
from agent.broker.port import Delivery, Message
from agent.lookout.ingest.lag import Lag

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Clock:
    """Seconds after START."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> datetime:
        return START + timedelta(seconds=self.seconds)


def published(*seconds: float) -> list[Delivery]:
    """Messages published so many seconds after START."""
    return [
        Delivery(
            topic="run-events-east",
            message=Message(key="j", payload=b""),
            producer="agent",
            published_at=START + timedelta(seconds=after),
            redeliveries=0,
            position="1",
            token=None,
        )
        for after in seconds
    ]


def store(lag: Lag, *seconds: float) -> None:
    with lag.storing(published(*seconds)):
        pass


def fail(lag: Lag, error: Exception) -> None:
    with lag.storing(published(-1)):
        raise error


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lag(clock: Clock) -> Lag:
    return Lag(clock)


def test_it_is_the_age_of_the_oldest_message_when_it_was_stored(clock: Clock, lag: Lag) -> None:
    assert lag.now() == timedelta(0)
    clock.seconds = 10
    store(lag, 9, 4, 8)
    clock.seconds = 50

    assert lag.now() == timedelta(seconds=6)
    assert REGISTRY.get_sample_value("failure_agent_lookout_lag_seconds") == 6


def test_it_grows_while_a_batch_waits_until_one_is_stored(clock: Clock, lag: Lag) -> None:
    with pytest.raises(TransientError):
        fail(lag, TransientError())
    clock.seconds = 30
    assert lag.now() == timedelta(seconds=31)
    store(lag, -1)
    clock.seconds = 60
    assert lag.now() == timedelta(seconds=31)


def test_it_grows_while_a_batch_is_stored(clock: Clock, lag: Lag) -> None:
    with lag.storing(published(0)):
        clock.seconds = 40
        assert lag.now() == timedelta(seconds=40)


def test_nothing_waits_for_a_message_that_cannot_be_stored(clock: Clock, lag: Lag) -> None:
    for error in (TransientError(), PoisonError()):
        with pytest.raises(type(error)):
            fail(lag, error)
    clock.seconds = 1_000

    assert lag.now() == timedelta(0)


def test_who_has_had_nothing_to_store_for_a_while_is_not_behind(clock: Clock, lag: Lag) -> None:
    clock.seconds = 1_000
    store(lag, 0)
    assert lag.now() == timedelta(seconds=1_000)
    clock.seconds = 1_061

    assert lag.problem(timedelta(0)) is None


def test_a_message_from_the_future_of_this_clock_is_not_behind(lag: Lag) -> None:
    store(lag, 5)

    assert lag.now() == timedelta(0)


@pytest.mark.parametrize(
    ("at_most", "problem"),
    [
        (90, None),
        (89, "what is stored is 1m30s behind what was published; maxLag is 1m29s"),
    ],
)
def test_more_than_settings_allow_is_a_problem(clock: Clock, lag: Lag, at_most: float, problem: str | None) -> None:
    clock.seconds = 90
    store(lag, 0)

    assert lag.problem(timedelta(seconds=at_most)) == problem
