"""What is nested too deeply is found before a parser sees it, wherever the chunks end and whatever texts hold."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.bounds import MAX_BYTES, MAX_LEVELS, Levels, OutOfBoundsError, check, check_levels

HOSTILE = st.text(alphabet='[]{}"\\\n,:aé') | st.text()
VALUES = st.recursive(
    st.none() | st.integers() | HOSTILE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HOSTILE, inner, max_size=3),
    max_leaves=20,
)


def nested(value: object, levels: int) -> object:
    for level in range(levels):
        value = [value] if level % 2 else {'"]}\\': value}
    return value


def depth_of(value: object) -> int:
    match value:
        case dict():
            return 1 + max(map(depth_of, value.values()), default=0)
        case list():
            return 1 + max(map(depth_of, value), default=0)
        case _:
            return 0


def is_within(text: bytes) -> bool:
    try:
        check(text)
    except OutOfBoundsError:
        return False
    return True


@given(value=VALUES, levels=st.integers(MAX_LEVELS - 8, MAX_LEVELS + 1), wide=st.lists(VALUES, max_size=3))
def test_an_object_passes_that_is_no_deeper_than_allowed(value: object, levels: int, wide: list[object]) -> None:
    whole = [*wide, nested(value, levels - 1)]

    assert is_within(json.dumps(whole).encode()) == (depth_of(whole) <= MAX_LEVELS)


@given(value=VALUES, levels=st.integers(MAX_LEVELS - 8, MAX_LEVELS + 1), data=st.data())
def test_where_the_chunks_end_makes_no_difference(value: object, levels: int, data: st.DataObject) -> None:
    text = json.dumps([value, nested(value, levels), value]).encode()
    cuts = sorted({0, len(text), *data.draw(st.lists(st.integers(0, len(text)), max_size=9))})
    found = None
    followed = Levels()
    for start, stop in pairwise(cuts):
        if (at := followed.follow(text[start:stop])) is not None:
            found = start + at
            break

    assert (found is None) == is_within(text)
    assert found == Levels().follow(text)


def test_the_place_is_that_of_the_first_level_too_many() -> None:
    assert Levels().follow(b'["[[[", ' + b"[" * MAX_LEVELS) == len('["[[[", ') + MAX_LEVELS - 1


def test_what_stands_around_the_objects_does_not_count() -> None:
    text = json.dumps({"items": [nested(0, MAX_LEVELS)]}).encode()

    check_levels(text, around=2)
    with pytest.raises(OutOfBoundsError, match="100 levels"):
        check_levels(text)


@pytest.mark.parametrize("text", [b"[" * 2_000_000, b'{"a":' * 400_000, b"[" * 99 + b'"' + b"[" * 300_000 + b'",[['])
def test_deep_nesting_is_found_in_any_text(text: bytes) -> None:
    assert not is_within(text)


def test_an_object_of_the_largest_size_passes_and_one_byte_more_does_not() -> None:
    assert is_within(b" " * MAX_BYTES)
    with pytest.raises(OutOfBoundsError, match="4 MiB"):
        check(b" " * (MAX_BYTES + 1))
