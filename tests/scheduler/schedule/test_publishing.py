"""Whether the scheduler says that it is ready while its publishers begin."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event

from agent.broker.port import Producer
from agent.scheduler.schedule.publishing import OPENING_SECONDS, Publishing
from agent.store import leader
from agent.store.store import Store
from tests.broker.breakable import BreakableBroker
from tests.scheduler.path import wait_until
from tests.scheduler.schedule.test_outbox import TOPIC, put
from tests.store.events import START


class SlowBroker(BreakableBroker):
    """Opens no producer before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_open = Event()

    def producer(self, topic: str, *, name: str, exclusive: bool = False) -> Producer:
        assert self.may_open.wait(60)
        return super().producer(topic, name=name, exclusive=exclusive)


@contextmanager
def publishing(store: Store, broker: BreakableBroker, times: Iterator[float]) -> Iterator[Publishing]:
    """The publishers of a leader to which a topic is new."""
    put(store, "a")
    with store.write() as connection:
        epoch = leader.take(connection, "scheduler", now=START, lasts=timedelta(0))
    assert epoch is not None
    begun = Publishing(store, broker, epoch=epoch, clock=lambda: next(times))
    begun.follow()
    try:
        yield begun
    finally:
        begun.close()


def test_the_topic_of_a_new_cluster_has_a_time_to_be_opened(store: Store) -> None:
    broker, times = SlowBroker(), iter([0.0, OPENING_SECONDS - 0.1, *[OPENING_SECONDS] * 100_000])
    with publishing(store, broker, times) as begun:
        early, late = begun.check(), begun.check()
        broker.may_open.set()
        wait_until(lambda: begun.check() is None)

    assert (early, late) == (None, f"not connected to {TOPIC}: not opened yet")


def test_what_keeps_a_topic_from_being_opened_is_said_at_once(store: Store) -> None:
    broker = BreakableBroker()
    broker.weather.refuse_opens = 1_000
    with publishing(store, broker, iter([0.0] * 100_000)) as begun:
        wait_until(lambda: begun.check() == f"not connected to {TOPIC}: Unreachable: nobody is there")
        broker.weather.refuse_opens = 0
        wait_until(lambda: begun.check() is None)
