from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent.cluster.pods.due import DueQueue

START = datetime(2026, 11, 21, tzinfo=UTC)


class Pods:
    """When each pod is due, kept as the controller keeps it."""

    def __init__(self) -> None:
        self.times: dict[str, datetime] = {}
        self.queue = DueQueue(self.times.get)

    def set(self, uid: str, when: datetime | None) -> None:
        self.queue.move(uid, before=self.times.get(uid), to=when)
        self.times.pop(uid, None)
        if when is not None:
            self.times[uid] = when

    def take(self, now: datetime) -> list[str]:
        taken = self.queue.take(now)
        for uid in taken:
            del self.times[uid]
        return taken


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def test_what_is_due_is_taken_once_earliest_first() -> None:
    pods = Pods()
    pods.set("far", at(500))
    pods.set("late", at(499))
    pods.set("early", at(1))
    pods.set("never", at(2))
    pods.set("never", None)

    assert pods.take(at(3)) == ["early"]
    assert pods.take(at(498)) == []
    assert pods.queue.next() == at(499)
    assert pods.take(at(501)) == ["late", "far"]
    assert pods.queue.next() is None


def test_a_far_pod_is_looked_at_when_its_slot_begins() -> None:
    pods = Pods()
    pods.take(START)
    pods.set("far", at(125))

    assert pods.queue.next() == at(120)
    assert pods.take(at(120)) == []
    assert pods.queue.next() == at(125)


def test_a_pod_whose_time_is_not_known_any_more_is_not_due() -> None:
    pods = Pods()
    pods.set("forgotten", at(125))
    del pods.times["forgotten"]

    assert pods.take(at(130)) == []
    assert pods.queue.next() is None


def test_putting_off_for_ever_does_not_grow() -> None:
    pods = Pods()
    for minutes in range(10_000):
        pods.set("pod", at(minutes))

    assert len(pods.queue._later) == 1
    assert len(pods.queue._begins._heap) < 200


def test_a_slot_with_many_pods_is_begun_in_parts() -> None:
    pods = Pods()
    uids = [f"pod-{number}" for number in range(2500)]
    for uid in uids:
        pods.set(uid, at(125))

    taken = [pods.take(at(126)) for _ in range(3)]

    assert [len(some) for some in taken] == [1000, 1000, 500]
    assert sorted(uid for some in taken for uid in some) == sorted(uids)
    assert pods.queue.next() is None


times = st.none() | st.integers(0, 60) | st.integers(0, 10**6)
moves = st.lists(st.tuples(st.sampled_from("abcd"), times), max_size=20)


@given(st.lists(st.tuples(moves, st.integers(0, 40)), max_size=6))
def test_it_takes_what_a_dictionary_of_times_would(rounds: list[tuple[list[tuple[str, int | None]], int]]) -> None:
    pods, now = Pods(), START
    for said, minutes in rounds:
        for uid, after in said:
            pods.set(uid, None if after is None else now + timedelta(minutes=after))
        now += timedelta(minutes=minutes)
        expected = dict(pods.times)

        taken = pods.take(now)

        assert sorted(taken) == sorted(uid for uid, when in expected.items() if when <= now)
        assert [expected[uid] for uid in taken] == sorted(expected[uid] for uid in taken)
        assert (soonest := pods.queue.next()) is None or soonest > now
        assert (soonest is None) == (not pods.times)
        assert soonest is None or soonest <= min(pods.times.values())
