"""Bounds the objects of a JSON stream before a parser has one in memory; the stream itself is unbounded."""

from collections.abc import Iterator
from typing import BinaryIO

from agent.bounds import MAX_BYTES, TOO_DEEP, TOO_LARGE, Levels, OutOfBoundsError

_READ_AHEAD = 1 << 16
"""Bytes that ijson may have read of what follows an object."""


def bounded_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines; of one that is too large, only enough to notice it."""
    most = MAX_BYTES + len("\r\n") + 1
    while line := stream.readline(most):
        rest = line
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = stream.readline(most)
        yield line


class BoundedObjects:
    """A stream of JSON that ends where one of its objects exceeds the bounds."""

    def __init__(self, stream: BinaryIO, *, around: int) -> None:
        self._stream = stream
        self._levels = Levels(around=around)
        self._since = 0
        self._lines = 1
        self._column = 0
        self._beyond = ""

    def begin_object(self) -> None:
        """An object is complete: the next one begins."""
        self._since = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes. Raises OutOfBoundsError."""
        chunk = b"" if self._beyond else self._stream.read(size)
        self._since += len(chunk)
        if self._since > MAX_BYTES + _READ_AHEAD:
            self._beyond = self._beyond or f"{self._place()}: the object is {TOO_LARGE}; split it"
        elif (stop := self._levels.follow(chunk)) is not None:
            chunk = chunk[:stop]
            self._count(chunk)
            self._beyond = f"{self._place()}: the object is {TOO_DEEP}"
            if chunk:
                return chunk
        if self._beyond:
            raise OutOfBoundsError(self._beyond)
        self._count(chunk)
        return chunk

    def _count(self, chunk: bytes) -> None:
        lines = chunk.count(b"\n")
        self._lines += lines
        self._column = len(chunk) - chunk.rfind(b"\n") - 1 if lines else self._column + len(chunk)

    def _place(self) -> str:
        return f"line {self._lines}, column {self._column + 1}"
