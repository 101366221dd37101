"""Who leads, and what an earlier leader can still do: nothing."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import func, select

from agent.broker.topics import commands_topic
from agent.core.lifecycle.state import State
from agent.scheduler.schedule.leadership import KEPT, Duties, Leadership
from agent.scheduler.schedule.publishing import Publishing
from agent.scheduler.schedule.scheduling_pass import SchedulingPass
from agent.scheduler.schedule.slices import Fence
from agent.scheduler.schedule.terms import PassTerms
from agent.store import leader, outbox
from agent.store.outbox import NewMessage
from agent.store.store import Store
from agent.store.submitted import pending
from agent.store.submitted.pending import PendingEvent
from agent.store.submitted.tables import pending_table
from tests.broker.breakable import BreakableBroker
from tests.scheduler.path import now, wait_until
from tests.scheduler.runs import Loop
from tests.scheduler.schedule.test_scheduling_pass import SETTINGS
from tests.store.databases import new_store

LASTS = timedelta(seconds=5)
"""Longer than a busy machine keeps the leader from renewing."""

COMMANDS = commands_topic("east")


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    """A store, and a cluster that sends heartbeats now."""
    with Store.open(new_store(tmp_path)) as opened:
        yield Loop(opened, now=now())


@contextmanager
def leading(
    loop: Loop,
    broker: BreakableBroker,
    name: str,
    *,
    passes: type[SchedulingPass] = SchedulingPass,
    interval: float = 0.01,
) -> Iterator[Leadership]:
    """A scheduler's leadership in a thread."""
    terms = PassTerms(inputs=loop.inputs, runs=SETTINGS)
    numbers = iter(range(1000))
    scheduling = passes(
        loop.store, terms=lambda: terms, clock=lambda _: now(), new_run_id=lambda: f"{name}-{next(numbers)}"
    )
    duties = Duties(
        passes=(scheduling,),
        publishing=lambda epoch: Publishing(loop.store, broker, epoch=epoch),
        interval=lambda: interval,
    )
    leadership = Leadership(loop.store, holder=name, clock=lambda _: now(), duties=duties, lasts=LASTS)
    stop = Event()
    thread = Thread(target=leadership.run, args=(stop,))
    thread.start()
    try:
        yield leadership
    finally:
        stop.set()
        thread.join()


def holder(loop: Loop) -> str | None:
    """Who the leader is, as the row has it; ``None`` before there was one."""
    with loop.store.read() as connection:
        return connection.scalar(select(leader.table.c.holder))


def leased(loop: Loop, job_id: str) -> Callable[[], bool]:
    return lambda: loop.job(job_id).state is State.LEASED


@pytest.mark.slow
def test_a_standby_leads_when_the_leader_stops(loop: Loop) -> None:
    broker = BreakableBroker()
    with ExitStack() as first:
        first.enter_context(leading(loop, broker, "a"))
        wait_until(lambda: holder(loop) == "a")
        with leading(loop, broker, "b") as standby:
            loop.submit("j1")
            wait_until(leased(loop, "j1"))
            wait_until(lambda: standby.check() is None)
            assert holder(loop) == "a"
            first.close()
            loop.submit("j2")
            wait_until(leased(loop, "j2"))
            assert holder(loop) == "b"
            wait_until(lambda: len(broker.sequences(COMMANDS)) == 2)
    assert broker.sequences(COMMANDS) == [1, 2]
    assert loop.job("j2").runs[0].run_id.startswith("b-")


@pytest.mark.slow
def test_a_leader_that_died_is_replaced_after_its_time(loop: Loop) -> None:
    with loop.store.write() as connection:
        leader.take(connection, "died", now=now(), lasts=timedelta(seconds=0.2))
    with leading(loop, BreakableBroker(), "b"):
        loop.submit()
        wait_until(leased(loop, "j"))


@pytest.mark.slow
def test_a_leader_that_was_replaced_stops_and_takes_over_again_when_it_may(loop: Loop) -> None:
    """Another one takes over without waiting, as if this one had slept."""
    broker = BreakableBroker()
    with leading(loop, broker, "a"):
        wait_until(lambda: holder(loop) == "a")
        with loop.store.write() as connection:
            epoch = leader.take(connection, "a", now=now(), lasts=timedelta(seconds=1))
        assert epoch is not None
        loop.submit()
        wait_until(leased(loop, "j"))
        wait_until(lambda: len(broker.sequences(COMMANDS)) == 1)
        with loop.store.read() as connection:
            assert connection.scalar(select(leader.table.c.holder)) == "a"


@pytest.mark.slow
def test_a_store_that_comes_back_is_used_again(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    broker = BreakableBroker()
    with leading(loop, broker, "a") as leadership:
        wait_until(lambda: leadership.check() is None)
        broken = SchedulingPass.run

        def fail(*_: object) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(SchedulingPass, "run", fail)
        wait_until(lambda: leadership.check() == "OSError: disk full")
        loop.submit()
        time.sleep(0.1)
        assert loop.job().state is State.QUEUED

        monkeypatch.setattr(SchedulingPass, "run", broken)
        wait_until(leased(loop, "j"))
        wait_until(lambda: leadership.check() is None)


@pytest.mark.slow
def test_what_others_write_is_published_before_the_next_pass(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The publisher would look for itself only after an hour, and the next pass is run after one."""
    monkeypatch.setattr("agent.broker.publish.publisher._IDLE_SECONDS", 3600.0)
    broker = BreakableBroker()
    with leading(loop, broker, "a", interval=3600.0) as leadership:
        loop.submit()
        wait_until(lambda: leadership.check() is None)
        with loop.store.write() as connection:
            outbox.put(connection, [NewMessage(topic="run-commands-east", key="j", payload=b"start")], written_at=now())
        leadership.publish()
        wait_until(lambda: b"start" in [message.payload for _, _, message in broker.stored])


class BusyPass(SchedulingPass):
    """Writes something in every pass."""

    def run(self, fence: Fence) -> None:
        with self._store.write() as connection:
            fence(connection)


@pytest.mark.slow
def test_a_leader_whose_passes_always_have_work_still_drops_old_events(loop: Loop) -> None:
    old = PendingEvent(event_id="e", run_id="r", payload=b"", received_at=now() - 2 * KEPT)
    with loop.store.write() as connection:
        pending.keep(connection, [old])
    with leading(loop, BreakableBroker(), "a", passes=BusyPass):
        wait_until(lambda: not kept(loop))


def kept(loop: Loop) -> int:
    with loop.store.read() as connection:
        count: int = connection.execute(select(func.count()).select_from(pending_table)).scalar_one()
    return count
