"""Nesting that is too deep and numbers that are too long are found before a parser sees them, whatever texts hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.bounds import MAX_BYTES, MAX_DIGITS, MAX_LEVELS, OutOfBoundsError, check, check_numbers, long_number

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


@pytest.mark.parametrize("text", [b"[" * 2_000_000, b'{"a":' * 400_000, b"[" * 99 + b'"' + b"[" * 300_000 + b'",[['])
def test_deep_nesting_is_found_in_any_text(text: bytes) -> None:
    assert not is_within(text)


def test_an_object_of_the_largest_size_passes_and_one_byte_more_does_not() -> None:
    assert is_within(b" " * MAX_BYTES)
    with pytest.raises(OutOfBoundsError, match="4 MiB"):
        check(b" " * (MAX_BYTES + 1))


NUMBERS = st.sampled_from(["9", "-1.5", "0.25e+10", "1e-7"])


@given(
    value=VALUES, number=NUMBERS, length=st.integers(MAX_DIGITS - 2, MAX_DIGITS + 2), wide=st.lists(VALUES, max_size=3)
)
def test_an_object_passes_whose_numbers_are_no_longer_than_allowed(
    value: object, number: str, length: int, wide: list[object]
) -> None:
    before = f'{{"a": {json.dumps(wide)}, "{"9" * length}": '
    text = f'{before}{"0" * (length - len(number))}{number}, "b": {json.dumps([value, "1" * 700])}}}'.encode()

    assert long_number(text) == (len(before) if length > MAX_DIGITS else None)
    assert is_within(text) == (length <= MAX_DIGITS)


@pytest.mark.parametrize("at", range(0, 300, 7))
def test_a_number_that_is_too_long_is_found_wherever_it_stands(at: int) -> None:
    with pytest.raises(OutOfBoundsError, match="more than 640 digits"):
        check_numbers(b" " * at + b"9" * (MAX_DIGITS + 1))


@pytest.mark.parametrize(
    "text",
    [b'"' + b"1" * 3_000_000 + b'"', b"9" * MAX_DIGITS + b" ", rb'["\\"," ' + b"1" * 700 + b'"]', b"[1.5," * 800_000],
)
def test_long_texts_and_many_numbers_are_no_long_numbers(text: bytes) -> None:
    check_numbers(text)
