from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent.cluster.delay_queue import DelayQueue

START = datetime(2026, 11, 21, tzinfo=UTC)


def at(seconds: int) -> datetime:
    return START + timedelta(seconds=seconds)


def test_what_is_due_is_taken_once_earliest_first() -> None:
    due: DelayQueue[str] = DelayQueue()
    due.set("late", at(3))
    due.set("early", at(1))
    due.set("never", at(2))
    due.set("never", None)

    assert due.next() == at(1)
    assert due.take(at(3)) == ["early", "late"]
    assert due.take(at(9)) == []
    assert due.next() is None


def test_the_last_word_counts() -> None:
    due: DelayQueue[str] = DelayQueue()
    due.set("pod", at(1))
    due.set("pod", at(5))

    assert due.take(at(4)) == []
    assert due.next() == at(5)
    assert due.take(at(5)) == ["pod"]


def test_a_time_set_back_and_forth_is_taken_once() -> None:
    due: DelayQueue[str] = DelayQueue()
    for seconds in (1, 2, 1, 2, 1):
        due.set("pod", at(seconds))

    assert due.take(at(9)) == ["pod"]


def test_putting_off_for_ever_does_not_grow() -> None:
    due: DelayQueue[str] = DelayQueue()
    for seconds in range(10_000):
        due.set("pod", at(seconds))

    assert len(due._heap) < 200


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.one_of(st.none(), st.integers(0, 20))), max_size=60),
    st.integers(0, 20),
)
def test_it_is_a_dictionary_that_can_be_asked_by_time(said: list[tuple[str, int | None]], now: int) -> None:
    due: DelayQueue[str] = DelayQueue()
    expected: dict[str, int] = {}
    for key, seconds in said:
        due.set(key, None if seconds is None else at(seconds))
        expected.pop(key, None)
        if seconds is not None:
            expected[key] = seconds

    assert len(due) == len(expected)
    assert due.next() == (at(min(expected.values())) if expected else None)
    taken = due.take(at(now))
    assert sorted(taken) == sorted(key for key, seconds in expected.items() if seconds <= now)
    assert [expected[key] for key in taken] == sorted(expected[key] for key in taken)
    assert len(due) == len(expected) - len(taken)
