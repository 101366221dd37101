"""Reads the objects of a JSON stream one at a time, so that memory stays flat: items of an array, or a sequence.

Brackets are counted to find where an object ends; only then it is decoded. Faults name line and column.
"""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import msgspec

from agent.bounds import LONG_NUMBER, MAX_BYTES, MAX_LEVELS, TOO_DEEP, TOO_LARGE, OutOfBoundsError, long_number
from agent.json_reader.fault import fault_in
from agent.json_reader.reader import read_value

_CHUNK: Final = 1 << 16
_TEXT: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_OTHER: Final = rb'[^"{}\[\]]*+'
_NEXT_BRACKET: Final = re.compile(
    rb'%(other)s(?:%(text)s%(other)s)*+([{}\[\]"]|\Z)' % {b"other": _OTHER, b"text": _TEXT}, re.DOTALL
)
"""Matches up to the next bracket, its group; at the end of the text or in an unfinished string, another byte."""

_OPENING: Final = (b"{", b"[")
_STEPS: Final = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}
_SCALAR: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?+\Z)|[^\s"{}\[\],:]++', re.DOTALL)
_HINTS: Final = {LONG_NUMBER: "; write it as text", TOO_LARGE: "; split it"}
_BLANK: Final = re.compile(rb"\s*+")
_EMPTY: Final = b"[]"
_REFUSALS: Final = (OutOfBoundsError, UnicodeDecodeError, msgspec.DecodeError)
_CONTINUATIONS: Final = bytes(range(0x80, 0xC0))


class BrokenJsonError(ValueError):
    """The stream cannot be read further; the message names line and column."""


class JsonStream:
    """Holds one object of the stream in memory at a time."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._ended = False
        self._text = b""
        self._at = 0
        # The line and column in the stream at which ``_text`` begins.
        self._line = 1
        self._column = 1

    def objects(self) -> Iterator[Any]:
        """Yield the values of a sequence. Raises BrokenJsonError."""
        while self._peek():
            yield self._value()

    def items(self) -> Iterator[Any]:
        """Yield the items of the array that comes next. Raises BrokenJsonError."""
        self._take(b"[")
        if self._peek() == b"]":
            self._at += 1
            return
        yield self._value()
        while self._take(b",", b"]") == b",":
            yield self._value()

    def finish(self) -> None:
        """Raise BrokenJsonError if anything follows the array that ended."""
        if self._peek():
            raise self._fault("not JSON: only one list is read, and this follows it", self._at)

    def skip(self, size: int) -> bytes:
        """Return the next bytes, which are not read as JSON."""
        while len(self._text) - self._at < size and self._more():
            pass
        self._at += size
        return self._text[self._at - size : self._at]

    def around(self, before: bytes) -> Any:  # noqa: ANN401 - any JSON
        """Return the object around the array that ended, which is left empty. ``before``: the text up to the array.

        Raises BrokenJsonError, also if the object is larger than objects may be.
        """
        self._bound()
        while self._more():
            self._bound()
        text = before + _EMPTY + self._text[self._at :]
        try:
            return read_value(text)
        except _REFUSALS as error:
            at, message = refusal(text, error)
            if at < len(before):
                raise _fault(message, _place(before, at, line=1, column=1)) from error
            raise self._fault(message, self._at + at - len(before) - len(_EMPTY)) from error

    def _peek(self) -> bytes:
        """Return the next byte that is not blank, without consuming it; empty at the end of the stream."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = self._at if blank is None else blank.end()
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _take(self, *expected: bytes) -> bytes:
        found = self._peek()
        if found not in expected:
            words = " or ".join(f"'{byte.decode()}'" for byte in expected)
            raise self._fault(f"not JSON: expected {words}", self._at)
        self._at += 1
        return found

    def _value(self) -> Any:  # noqa: ANN401 - any JSON
        end = self._end_of_brackets() if self._peek() in _OPENING else self._end_of_scalar()
        text = self._text[self._at : end]
        try:
            value = read_value(text)
        except _REFUSALS as error:
            at, message = refusal(text, error)
            raise self._fault(message, self._at + at) from error
        self._at = end
        return value

    def _end_of_brackets(self) -> int:
        """Return the end of the array or object that begins at the current position."""
        depth, seen = 0, 0
        while True:
            for found in _NEXT_BRACKET.finditer(self._text, self._at + seen):
                if (step := _STEPS.get(found[1])) is None:
                    break
                depth += step
                if depth == 0:
                    return found.end()
                if depth > MAX_LEVELS:
                    raise self._fault(f"the object is {TOO_DEEP}", found.end() - 1)
                seen = found.end() - self._at
            self._bound()
            if not self._more():
                raise self._fault("not JSON: the object that begins here is not whole", self._at)

    def _end_of_scalar(self) -> int:
        """Return the end of the string, number or word that begins at the current position."""
        while True:
            found = _SCALAR.match(self._text, self._at)
            if found is None:
                raise self._fault("not JSON: expected a value", self._at)
            if found.end() < len(self._text):
                return found.end()
            self._bound()
            if not self._more():
                return len(self._text)

    def _bound(self) -> None:
        if len(self._text) - self._at > MAX_BYTES:
            raise self._fault(f"the object is {TOO_LARGE}{_HINTS[TOO_LARGE]}", self._at)

    def _more(self) -> bool:
        """Read more and drop what was consumed; twice as much each time, so that a large object takes few reads."""
        if self._ended:
            return False
        chunk = self._stream.read(max(_CHUNK, len(self._text) - self._at))
        self._ended = not chunk
        self._line, self._column = _place(self._text, self._at, line=self._line, column=self._column)
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return not self._ended

    def _fault(self, message: str, at: int) -> BrokenJsonError:
        return _fault(message, _place(self._text, at, line=self._line, column=self._column))


def refusal(text: bytes, error: OutOfBoundsError | UnicodeDecodeError | msgspec.DecodeError) -> tuple[int, str]:
    """Return the offset of the error in a text, and a message."""
    if isinstance(error, OutOfBoundsError):
        return long_number(text) or 0, f"the object is {error}{_HINTS.get(str(error), '')}"
    at, message = fault_in(text, error)
    return at, f"not JSON: {message}"


def _fault(message: str, place: tuple[int, int]) -> BrokenJsonError:
    line, column = place
    return BrokenJsonError(f"line {line}, column {column}: {message}")


def _place(text: bytes, at: int, *, line: int, column: int) -> tuple[int, int]:
    """Return line and column, in characters, of an offset in a text that begins at this line and column."""
    lines = text.count(b"\n", 0, at)
    start = text.rfind(b"\n", 0, at) + 1
    characters = len(text[start:at].translate(None, _CONTINUATIONS))
    return (line + lines, characters + 1) if lines else (line, column + characters)
