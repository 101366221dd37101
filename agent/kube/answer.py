"""Decodes response bodies to structs that declare the fields we read."""

from typing import TypeVar

import msgspec

from agent.bounds import TOO_DEEP

T = TypeVar("T")


def read_answer(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """The body, decoded. Raises ``msgspec.DecodeError``, also for one that is nested too deeply.

    A decoder builds nothing deeper than its struct and skips the rest, so nesting costs it no memory; it stops at the
    interpreter's limit on recursion.
    """
    try:
        return decoder.decode(body)
    except RecursionError as error:
        raise msgspec.DecodeError(TOO_DEEP) from error
