"""Which numbers of a spool were consumed, and which are missing, in any order of batches and of the leader's looks."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.store import sequences
from agent.store.ranges import Range, Ranges, holes, joined
from agent.store.sequences import ConsumedRange, Gap
from agent.store.store import Store
from tests.core.lifecycle.made import T0
from tests.store.databases import new_store

TOPIC = "run-events-east"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store for all examples of a property."""
    with Store.open(new_store(tmp_path_factory.mktemp("drawn"))) as opened:
        yield opened


def consume(store: Store, *ranges: Range, spool: str = "s", seconds: int = 0, position: str = "p") -> None:
    consumed = ConsumedRange(
        topic=TOPIC, spool_id=spool, ranges=ranges, position=position, at=T0 + timedelta(seconds=seconds)
    )
    with store.write() as connection:
        sequences.record(connection, [consumed])


def join(store: Store) -> int:
    with store.write() as connection:
        return sequences.join(connection)


def known(store: Store, spool: str = "s") -> tuple[int, list[Range]]:
    """Up to where nothing is missing, and what is, before the leader looks and after it."""
    before = read(store, spool)
    stored = [(gap.after, gap.through) for gap in gaps(store) if gap.spool_id == spool]
    assert read(store, spool) == before
    assert stored == before[1]
    return before


def read(store: Store, spool: str) -> tuple[int, list[Range]]:
    with store.read() as connection:
        found = sequences.spools(connection, TOPIC)[spool]
    return found.committed, [(gap.after, gap.through) for gap in found.gaps]


def gaps(store: Store) -> list[Gap]:
    join(store)
    with store.read() as connection:
        return sequences.gaps(connection)


def test_nothing_is_missing_of_what_follows_each_other(store: Store) -> None:
    consume(store, (0, 3))
    consume(store, (3, 4), (7, 9))
    consume(store, (4, 7))

    assert known(store) == (9, [])


def test_a_gap_closes_when_its_messages_come(store: Store) -> None:
    consume(store, (0, 3), (5, 6))
    assert known(store) == (3, [(3, 5)])
    consume(store, (8, 9), seconds=1, position="q")
    assert known(store) == (3, [(3, 5), (6, 8)])
    consume(store, (3, 5))
    assert known(store) == (6, [(6, 8)])
    consume(store, (6, 7))
    assert [(gap.first, gap.through, gap.position) for gap in gaps(store)] == [(8, 8, "q")]


def test_a_gap_is_noticed_where_the_message_behind_it_is(store: Store) -> None:
    consume(store, (0, 1))
    consume(store, (5, 6), (8, 9), seconds=1, position="first")
    consume(store, (9, 10), seconds=2, position="later")

    assert gaps(store) == [
        Gap(topic=TOPIC, spool_id="s", after=after, through=through, position="first", noticed_at=T0 + timedelta(0, 1))
        for after, through in ((1, 5), (6, 8))
    ]


def test_what_is_below_the_first_known_number_counts_as_consumed(store: Store) -> None:
    consume(store, (41, 42))
    assert known(store) == (42, [])
    join(store)
    consume(store, (10, 12))

    assert [(gap.after, gap.through, gap.position) for gap in gaps(store)] == [(12, 41, "")]


def test_each_spool_is_for_itself(store: Store) -> None:
    consume(store, (0, 2))
    consume(store, (0, 1), (4, 5), spool="t")

    assert (known(store), known(store, "t")) == ((2, []), (1, [(1, 4)]))


def test_a_gap_is_lost_once_and_forgotten_later(store: Store) -> None:
    consume(store, (0, 1), (4, 5), (6, 7))
    first, second = gaps(store)
    consume(store, (4, 6))

    def mark(*several: Gap, seconds: int) -> list[Gap]:
        with store.write() as connection:
            sequences.join(connection)
            return sequences.mark_lost(connection, several, now=T0 + timedelta(seconds=seconds))

    assert [gap.after for gap in mark(first, second, seconds=10)] == [1]
    assert mark(first, second, seconds=20) == []
    (lost,) = gaps(store)
    assert lost.lost_at == T0 + timedelta(seconds=10)

    def forget(before: int) -> list[Gap]:
        with store.write() as connection:
            return sequences.forget(connection, lost_before=T0 + timedelta(0, before), silent_since=T0)

    assert forget(10) == []
    assert forget(11) == [lost]
    assert known(store) == (7, [])


def test_a_silent_spool_is_forgotten(store: Store) -> None:
    consume(store, (0, 1), (4, 5))
    consume(store, (0, 1), spool="t", seconds=5)
    join(store)
    with store.write() as connection:
        sequences.forget(connection, lost_before=T0, silent_since=T0 + timedelta(seconds=1))
    with store.read() as connection:
        assert sequences.spools(connection, TOPIC).keys() == {"t"}
        assert sequences.gaps(connection) == []


numbers = st.sets(st.integers(1, 30), min_size=1)


@given(numbers)
def test_ranges_have_the_numbers_that_were_joined(several: set[int]) -> None:
    ranges = joined((number - 1, number) for number in several)

    assert covered(ranges) == several
    missing = set(range(min(several), max(several))) - several
    assert covered(holes(ranges)) == missing
    assert joined([*ranges, *holes(ranges)]) == ((min(several) - 1, max(several)),)


def covered(ranges: Ranges) -> set[int]:
    return {number for after, through in ranges for number in range(after + 1, through + 1)}


@pytest.mark.slow
@given(st.lists(st.one_of(numbers, st.just("join")), min_size=1, max_size=8))
def test_the_order_of_batches_and_looks_does_not_matter(drawn: Store, moves: Sequence[set[int] | str]) -> None:
    empty(drawn)
    consumed: set[int] = set()
    for move in moves:
        if isinstance(move, str):
            join(drawn)
        else:
            consume(drawn, *joined((number - 1, number) for number in move))
            consumed |= move
    if consumed:
        ranges = joined((number - 1, number) for number in consumed)
        assert known(drawn) == (ranges[0][1], list(holes(ranges)))


def empty(store: Store) -> None:
    with store.write() as connection:
        for table in (sequences.range_table, sequences.spool_table, sequences.gap_table):
            connection.execute(table.delete())
