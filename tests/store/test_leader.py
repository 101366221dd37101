"""One leader at a time; an old one can do nothing in a transaction that checks its epoch."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy import Connection, select

from agent.store import leader
from agent.store.errors import LeadershipLost
from agent.store.store import Store
from tests.store.events import START

LASTS = timedelta(seconds=10)


def take(store: Store, holder: str, *, after: float = 0) -> int | None:
    with store.write() as connection:
        return leader.take(connection, holder, now=START + timedelta(seconds=after), lasts=LASTS)


def taken(store: Store, holder: str, *, after: float = 0) -> int:
    epoch = take(store, holder, after=after)
    assert epoch is not None
    return epoch


def holder(connection: Connection) -> str | None:
    """Who the leader is, as the row has it."""
    return connection.scalar(select(leader.table.c.holder))


def check(store: Store, epoch: int) -> None:
    with store.write() as connection:
        leader.check(connection, epoch)


def test_another_takes_over_once_the_time_is_over(store: Store) -> None:
    first = taken(store, "a")

    assert take(store, "b", after=9.9) is None
    check(store, first)
    second = taken(store, "b", after=10)
    assert second > first
    check(store, second)
    with pytest.raises(LeadershipLost, match=f"^epoch {first} is over: b leads with {second}$"):
        check(store, first)


def test_a_renewed_leader_stays_also_if_its_time_was_over(store: Store) -> None:
    epoch = taken(store, "a")
    for after in (5, 30):
        with store.write() as connection:
            leader.renew(connection, epoch, now=START + timedelta(seconds=after), lasts=LASTS)
        assert take(store, "b", after=after + 9) is None
        check(store, epoch)

    second = taken(store, "b", after=40)
    with pytest.raises(LeadershipLost), store.write() as connection:
        leader.renew(connection, epoch, now=START + timedelta(seconds=41), lasts=LASTS)
    check(store, second)


def test_a_restarted_process_of_the_same_name_leads_at_once_and_ends_the_term_before(store: Store) -> None:
    first = taken(store, "a")
    second = taken(store, "a", after=1)

    with pytest.raises(LeadershipLost):
        check(store, first)
    check(store, second)


def test_a_leader_that_releases_does_nothing_more_and_another_leads_at_once(store: Store) -> None:
    first = taken(store, "a")
    with store.write() as connection:
        leader.release(connection, first, now=START)
        assert holder(connection) == ""

    with pytest.raises(LeadershipLost, match="nobody leads"):
        check(store, first)
    check(store, taken(store, "b"))
    with pytest.raises(LeadershipLost), store.write() as connection:
        leader.release(connection, first, now=START)
    with store.read() as connection:
        assert holder(connection) == "b"


def test_there_is_no_leader_in_a_new_store(store: Store) -> None:
    with pytest.raises(LeadershipLost, match="nobody ever was the leader"):
        check(store, 1)
    with store.read() as connection:
        assert holder(connection) is None


def test_nobody_takes_over_while_a_transaction_of_the_leader_runs(store: Store) -> None:
    epoch, order = taken(store, "a"), []

    def take_over() -> None:
        taken(store, "b", after=99)
        order.append("taken")

    taking = threading.Thread(target=take_over)
    with store.write() as connection:
        leader.check(connection, epoch)
        taking.start()
        taking.join(0.2)
        order.append("written")
    taking.join(60)

    assert order == ["written", "taken"]


def test_of_many_that_take_at_once_one_leads(store: Store) -> None:
    epochs: list[int | None] = []
    taking = [threading.Thread(target=lambda name=name: epochs.append(take(store, name))) for name in "abcd"]
    for thread in taking:
        thread.start()
    for thread in taking:
        thread.join(60)

    assert sorted(epoch is None for epoch in epochs) == [False, True, True, True]
