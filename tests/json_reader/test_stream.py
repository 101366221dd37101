"""A stream of JSON gives its objects wherever its chunks end, and an error with its place."""

import io
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.bounds import MAX_BYTES
from agent.json_reader.stream import BrokenJsonError, JsonStream
from tests.json_reader.test_reader import VALUES

HOSTILE = st.recursive(
    st.text(alphabet='[]{}"\\\n,:aé\ud800', max_size=6) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('"\\{}[]', max_size=3), inner, max_size=3),
    max_leaves=8,
)
BLANKS = st.text(alphabet=" \n\t\r", max_size=3)


class Dripping(io.BytesIO):
    """Gives at most ``size`` bytes at a time."""

    def __init__(self, text: bytes, size: int) -> None:
        super().__init__(text)
        self._size = size

    def read(self, size: int | None = -1) -> bytes:
        del size
        return super().read(self._size)


def as_read(value: object) -> object:
    """A value whose texts are as they are read: half of a surrogate pair is a question mark."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))


@given(
    values=st.lists(HOSTILE | VALUES, max_size=4),
    blank=BLANKS,
    indent=st.sampled_from([None, 1]),
    size=st.integers(1, 90),
)
def test_where_the_chunks_end_makes_no_difference(
    values: list[object], blank: str, indent: int | None, size: int
) -> None:
    written = [json.dumps(value, indent=indent) for value in values]
    array = f"{blank}[{f'{blank},{blank}'.join(written)}{blank}]{blank}"
    apart = f"{blank} {blank}".join(written)

    assert list(JsonStream(Dripping(array.encode(), size)).items()) == as_read(values)
    assert list(JsonStream(Dripping(apart.encode(), size)).objects()) == as_read(values)


def broken(text: bytes, size: int, *, items: bool) -> tuple[Sequence[Any], str]:
    """The values that are read, and the error about the rest."""
    stream = JsonStream(Dripping(text, size))
    found: list[Any] = []
    try:
        found.extend(stream.items() if items else stream.objects())
    except BrokenJsonError as error:
        return found, str(error)
    return found, ""


@given(
    text=st.text(alphabet='[]{}",:\\ \n12aé', max_size=60)
    | st.binary(max_size=60).map(lambda text: text.decode("latin-1"))
)
def test_any_bytes_give_the_same_however_they_come(text: str) -> None:
    for items in (True, False):
        whole = broken(text.encode(), 1_000, items=items)
        assert broken(text.encode(), 1, items=items) == whole


@pytest.mark.parametrize("size", [1, 7, 1_000_000])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}\n {"é": 1,}', "line 2, column 10: not JSON: trailing comma in object"),
        ('{"a": 1}\n {"é": x}', "line 2, column 8: not JSON: invalid character"),
        ('{"a": 1} }', "line 1, column 10: not JSON: expected a value"),
        ('{"a": 1},', "line 1, column 9: not JSON: expected a value"),
        ('{"a": 1}\n\n "x', "line 3, column 4: not JSON: it breaks off here"),
        ('{"a": 1}\n {"b": [', "line 2, column 2: not JSON: the object that begins here is not whole"),
        ('{"a": 1}\n"é" 1e999', "line 2, column 5: not JSON: number out of range"),
        (
            f'{{"a": 1}}\n{{"é": {"9" * 4_301}}}',
            "line 2, column 7: the object is unreadable: a number in it has more than 640 digits; write it as text",
        ),
        (f'{{"a": 1}}\n["é", {"[" * 200}', "line 2, column 106: the object is nested more than 100 levels deep"),
    ],
)
def test_the_fault_says_where_it_is(text: str, said: str, size: int) -> None:
    assert broken(text.encode(), size, items=False) == ([{"a": 1}] + (["é"] if "1e999" in text else []), said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[1, 2", "line 1, column 6: not JSON: expected ',' or ']'"),
        (b"[1, 2 3]", "line 1, column 7: not JSON: expected ',' or ']'"),
        (b"[1,\n2,]", "line 2, column 3: not JSON: expected a value"),
        (b'[1, 2, "\xff"]', "line 1, column 9: not JSON: this is not UTF-8: invalid start byte (0xff)"),
    ],
)
def test_the_fault_of_an_array_says_where_it_is(text: bytes, said: str) -> None:
    assert broken(text, 3, items=True) == ([1, 2], said)


def test_an_object_that_is_too_large_is_not_read_to_its_end() -> None:
    stream = io.BytesIO(b'{"a": 1}\n{"a": "' + b"x" * (20 * MAX_BYTES))

    with pytest.raises(BrokenJsonError, match="line 2, column 1: the object is larger than 4 MiB; split it"):
        list(JsonStream(stream).objects())
    assert stream.tell() < 3 * MAX_BYTES


def test_objects_of_the_largest_size_pass_however_many() -> None:
    largest = b'{"a":"' + b"x" * (MAX_BYTES - 8) + b'"}'

    assert len(list(JsonStream(io.BytesIO(largest * 3)).objects())) == 3


def test_the_text_around_an_array_is_read_after_it() -> None:
    stream = JsonStream(Dripping(b'{"a": 1,\n "items": [1, 2]\n, "b": x}', 5))
    before = stream.skip(19)

    assert list(stream.items()) == [1, 2]
    with pytest.raises(BrokenJsonError, match="line 3, column 8: not JSON: invalid character"):
        stream.around(before)
