from typing import Annotated, Literal

import pytest
from pydantic import Field

from agent.documents.compose import read
from agent.documents.shape import Shape, check


class _Inner(Shape):
    name: str


class _Every(Shape):
    """A field for each sort of error."""

    text: str = ""
    count: Annotated[int, Field(ge=1, le=9)] = 1
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5
    on: bool = False
    word: Literal["one", "two"] = "one"
    names: list[str] = Field(default=["a"], min_length=1, max_length=2)
    short: Annotated[str, Field(min_length=1, max_length=3)] = "a"
    longer: Annotated[str, Field(min_length=2)] = "ab"
    inner: _Inner = _Inner(name="a")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("text: 5", "expected text, found the number 5"),
        ("text: [a]", "expected text, found a list"),
        ("count: a", "expected a whole number, found text"),
        ("count: 2.5", "expected a whole number, found the number 2.5"),
        ("count: 0", "must be at least 1"),
        ("count: 10", "must be at most 9"),
        ("share: true", "expected a number, found the boolean true"),
        ("share: 0", "must be more than 0"),
        ("share: 1", "must be less than 1"),
        ("on: yes", "expected true or false, found text"),
        ("word: three", "`three` is not one of one, two"),
        ("names: a", "expected a list, found text"),
        ("names: []", "`names` needs at least one value"),
        ("names: [a, b, c]", "must have at most 2 values"),
        ('short: ""', "must not be empty"),
        ("short: abcd", "must have at most 3 characters"),
        ("longer: a", "must have at least 2 characters"),
        ("inner: a", "expected a mapping, found text"),
        ("inner: {}", "`name` is required"),
        ("inner: {nmae: a, name: b}", "unknown field `nmae`"),
    ],
)
def test_each_error_of_a_shape_is_said_in_plain_words(text: str, message: str) -> None:
    (root,) = read(text, file="x").roots

    assert [fault.message for fault in check(_Every, root).faults] == [message]
