r"""Lines out of a byte stream, split at ``\n`` only: JSON text may hold U+0085 and U+2028 (performance.md 1d)."""

from typing import Final

LINE_LIMIT: Final = 16 << 20
"""Bytes of the longest line taken. etcd holds no object above 1.5 MiB, so a longer line is no watch event."""


class LineTooLong(Exception):
    """More than ``LINE_LIMIT`` bytes came without a line break."""


class LineSplitter:
    """Gives whole lines; what comes after the last line break is kept for later, and lost if nothing comes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._held = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The non-empty lines that this chunk completes. Raises LineTooLong."""
        *whole, rest = chunk.split(b"\n")
        if whole and self._parts:
            whole[0] = b"".join((*self._parts, whole[0]))
            self._parts.clear()
            self._held = 0
        if rest:
            self._hold(rest)
        return [line for line in whole if line]

    def _hold(self, rest: bytes) -> None:
        self._parts.append(rest)
        self._held += len(rest)
        if self._held > LINE_LIMIT:
            raise LineTooLong(f"a line of more than {LINE_LIMIT} bytes")
