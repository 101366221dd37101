"""The lines of a watch, out of the chunks that a stream gives."""

from dataclasses import dataclass
from typing import Final

from agent.bounds import MAX_BYTES
from agent.kube.beyond import HEAD

_AROUND: Final = 1024
"""Bytes of a line that are not its object, and more."""

LINE_LIMIT: Final = MAX_BYTES + _AROUND
"""Bytes of the longest line that is kept whole: no object of the allowed size is in a longer one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongLine:
    """A line of more than ``LINE_LIMIT`` bytes, of which only the beginning was kept."""

    head: bytes


class LineSplitter:
    """Turns chunks into whole lines. An unfinished last line is kept for the next chunk, and lost at the end."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._held = 0
        self._too_long: LongLine | None = None

    def feed(self, chunk: bytes) -> list[bytes | LongLine]:
        """The non-empty lines that this chunk completes."""
        *whole, rest = chunk.split(b"\n")
        lines: list[bytes | LongLine] = []
        if whole and (self._parts or self._too_long):
            self._hold(whole[0])
            whole = whole[1:]
            lines.append(self._complete())
        lines += (line if len(line) <= LINE_LIMIT else LongLine(head=line[:HEAD]) for line in whole if line)
        if rest:
            self._hold(rest)
        return lines

    def _hold(self, part: bytes) -> None:
        """Keep a part of a line, or forget all but the beginning of one that is too long."""
        if self._too_long is not None:
            return
        self._parts.append(part)
        self._held += len(part)
        if self._held > LINE_LIMIT:
            self._too_long = LongLine(head=b"".join(self._parts)[:HEAD])
            self._parts.clear()

    def _complete(self) -> bytes | LongLine:
        line = b"".join(self._parts) if self._too_long is None else self._too_long
        self._parts.clear()
        self._held = 0
        self._too_long = None
        return line
