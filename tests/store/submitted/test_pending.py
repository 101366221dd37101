from datetime import timedelta

from agent.store.store import Store
from agent.store.submitted.pending import PendingEvent, drop, keep, take
from tests.core.lifecycle.made import T0


def pending(event_id: str, run_id: str = "r0", *, after: int = 0) -> PendingEvent:
    at = T0 + timedelta(seconds=after)
    return PendingEvent(event_id=event_id, run_id=run_id, payload=b"\x00\xff", received_at=at)


def test_events_are_taken_once_and_in_the_order_of_their_arrival(store: Store) -> None:
    with store.write() as connection:
        keep(connection, [pending("z"), pending("a"), pending("o", "r1")])
        keep(connection, [pending("m"), pending("a", after=9)])

        taken = take(connection, ["r0", "r9"])
        assert [event.event_id for event in taken] == ["z", "a", "m"]
        assert taken[1] == pending("a")
        assert take(connection, ["r0"]) == take(connection, []) == []
        assert take(connection, ["r1"]) == [pending("o", "r1")]


def test_events_that_nobody_took_are_dropped_by_age(store: Store) -> None:
    with store.write() as connection:
        keep(connection, [pending("a"), pending("b", after=5), pending("c", after=6)])

        assert drop(connection, before=T0 + timedelta(seconds=6)) == 2
        assert take(connection, ["r0"]) == [pending("c", after=6)]
