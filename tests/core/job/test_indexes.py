"""Sets of indexes against plain sets, and the limits on the size of their texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.core.job.index_text import count_indexes, overlap_at
from agent.core.job.indexes import IndexSet, parse

INDEXES = st.integers(0, 60)
CHANGES = st.lists(st.tuples(st.booleans(), INDEXES), max_size=60)


def made(changes: list[tuple[bool, int]]) -> tuple[IndexSet, set[int]]:
    ours, plain = IndexSet(), set[int]()
    for add, index in changes:
        if add:
            assert ours.add(index) is (index not in plain)
            plain.add(index)
        else:
            ours.discard(index)
            plain.discard(index)
    return ours, plain


@given(changes=CHANGES)
def test_a_set_of_indexes_is_a_set(changes: list[tuple[bool, int]]) -> None:
    ours, plain = made(changes)

    assert len(ours) == len(plain)
    assert [index in ours for index in range(62)] == [index in plain for index in range(62)]
    assert list(ours.gaps(50)) == [index for index in range(50) if index not in plain]
    edges = [edge for interval in ours.intervals() for edge in interval]
    assert edges == sorted(edges)
    assert all(
        after > before + 1
        for (_, before), (after, _) in zip(list(ours.intervals()), list(ours.intervals())[1:], strict=False)
    )


@given(changes=CHANGES)
def test_a_text_reads_as_the_set_it_was_written_from(changes: list[tuple[bool, int]]) -> None:
    ours, plain = made(changes)

    assert parse(str(ours), completions=100) == ours
    assert count_indexes(str(ours), completions=100) == len(plain)


@given(mine=CHANGES, other=CHANGES)
def test_what_two_sets_share(mine: list[tuple[bool, int]], other: list[tuple[bool, int]]) -> None:
    (ours, plain), (theirs, others) = made(mine), made(other)

    assert ours.overlap(theirs) == len(plain & others)
    assert overlap_at(str(ours), str(theirs), completions=100) == min(plain & others, default=None)


@pytest.mark.slow
@settings(max_examples=20)
@given(marks=st.lists(st.sampled_from("sf."), min_size=50, max_size=200))
def test_both_index_lists_stay_within_the_keps_bound(marks: list[str]) -> None:
    """KEP-3850: (5 + 1) * 10^5 bytes for both lists at 10^5 completions, whatever the pattern."""
    succeeded, failed = IndexSet(), IndexSet()
    for index in range(100_000):
        {"s": succeeded, "f": failed, ".": IndexSet()}[marks[index % len(marks)]].add(index)

    assert len(str(succeeded)) + len(str(failed)) <= 600_000


@settings(max_examples=20)
@given(first=st.integers(2_147_400_000, 2_147_450_000), step=st.integers(1, 3))
def test_failed_indexes_of_very_many_completions_stay_within_the_keps_bound(first: int, step: int) -> None:
    """KEP-3850: (10 + 1) * 10^4 bytes, for at most 10^4 may fail."""
    failed = IndexSet([(first + step * at, first + step * at) for at in range(10_000)])

    assert len(str(failed)) <= 110_000


@settings(max_examples=10)
@given(gaps=st.integers(19_990, 20_000), start=st.integers(2_147_400_000, 2_147_423_000))
def test_completed_indexes_of_very_many_completions_stay_within_the_keps_bound(gaps: int, start: int) -> None:
    """KEP-3850: (10 + 1) * 2 * (10^4 + 10^4) bytes, two indexes written between gaps: 10^4 failed, 10^4 at work."""
    completed = IndexSet((start + 3 * at, start + 3 * at + 1) for at in range(gaps))

    assert len(str(completed)) <= 440_000
