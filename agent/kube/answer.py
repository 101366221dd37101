"""Decodes response bodies to structs that declare the fields we read."""

from typing import TypeVar

import msgspec

from agent.bounds import OutOfBoundsError
from agent.json_reader.reader import Reader

T = TypeVar("T")


def read_answer(reader: Reader[T], body: bytes) -> T:
    """The body, decoded. Raises ``msgspec.DecodeError``, also if it is not UTF-8 or beyond the bounds."""
    try:
        return reader.decode(body)
    except (OutOfBoundsError, UnicodeDecodeError) as error:
        raise msgspec.DecodeError(str(error)) from error
