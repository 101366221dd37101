import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.bounds import MAX_BYTES, MAX_DIGITS, MAX_LEVELS, OutOfBoundsError
from agent.json_reader.reader import Reader, read_leniently, read_value

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(value=VALUES)
def test_what_python_writes_is_read_back(value: object) -> None:
    text = json.dumps(value).encode()

    assert read_value(text) == value
    assert read_leniently(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (rb'"x\ud800y"', "x?y"),
        (rb'"\udc00\ud83d\ude00\ud83d"', "?😀?"),
        (rb'"\ud800\u0041 \\ud800"', "?A \\ud800"),
        (rb'{"\ud800": 1, "a": 1, "a": 2}', {"?": 1, "a": 2}),
        (b'"x\\u0000y"', "x\0y"),
    ],
)
def test_half_of_a_surrogate_pair_becomes_a_question_mark(text: bytes, value: object) -> None:
    assert read_value(text) == value


@pytest.mark.parametrize(
    "text",
    [
        b"NaN",
        b"-Infinity",
        b'"\x00"',
        b'{"a":1,}',
        b"[1",
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b'"\\ud800\xff"',
        b"",
        b"1e400",
    ],
)
def test_text_that_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        read_value(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"9" * (MAX_DIGITS + 1), "more than 640 digits"),
        (b'{"a":-%s}' % (b"9" * 4_301), "more than 640 digits"),
        (b'{"a":0.%s}' % (b"9" * 5_000), "more than 640 digits"),
        (b"[" * (MAX_LEVELS + 1), "nested more than 100 levels"),
        (b" " * (MAX_BYTES + 1), "larger than 4 MiB"),
    ],
)
def test_text_beyond_the_bounds_is_refused_before_it_is_parsed(text: bytes, why: str) -> None:
    for read in (read_value, read_leniently):
        with pytest.raises(OutOfBoundsError, match=why):
            read(text)


def test_the_longest_number_is_read_by_a_python_with_the_lowest_limit_of_digits(lowest_limit: None) -> None:
    del lowest_limit
    number = "9" * MAX_DIGITS
    whole: Any = f'{{"a":{number}}}'.encode()

    assert read_value(whole) == read_leniently(whole) == {"a": int(number)}


@pytest.mark.parametrize("text", [b'{"a":%s}' % (b"9" * 4_301), b'{"a":' * 5_000, b'{"b":%s' % (b"[" * 100_000)])
def test_a_reader_of_one_type_refuses_it_too(text: bytes) -> None:
    with pytest.raises(OutOfBoundsError):
        Reader(msgspec.defstruct("A", [("a", msgspec.Raw, msgspec.Raw(b""))])).decode(text)
