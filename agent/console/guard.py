"""The guard before standard output and standard error: whatever a program writes, no control character passes.

Text from pods, servers, files and the command line is made visible (``terminal.visible``) where a line is built, so
that the line stays readable. The guard catches text for which somebody forgot that.
"""

import re
from collections.abc import Iterable
from io import TextIOBase
from typing import BinaryIO, Final, TextIO, cast

from agent.console.terminal import palette

_COLOUR: Final = r"\x1b\[(?:0|1|2|31|32|33)m"
"""The escape sequences that ``Palette`` writes."""
_CONTROL: Final = re.compile(rf"({_COLOUR})|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal acts on: control characters except newline and tab, direction marks, and line separators."""


class Guarded(TextIOBase):
    r"""A stream that writes to another one and escapes control characters on the way.

    An escape such as ``\u001b`` means the same character inside JSON. Our own colours pass if colours are on.
    """

    def __init__(self, stream: TextIO) -> None:
        self.unguarded: Final = stream

    def write(self, text: str, /) -> int:
        if _CONTROL.search(text):
            coloured = palette(cast("TextIO", self)).on
            text = _CONTROL.sub(lambda found: _passed(found, coloured=coloured), text)
        return self.unguarded.write(text)

    def writelines(self, lines: Iterable[str], /) -> None:  # type: ignore[override]  # of text, not of bytes
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self.unguarded.flush()

    def isatty(self) -> bool:
        return self.unguarded.isatty()

    def fileno(self) -> int:
        return self.unguarded.fileno()

    def writable(self) -> bool:
        return True

    @property
    def buffer(self) -> BinaryIO:
        return self.unguarded.buffer

    @property
    def encoding(self) -> str:  # type: ignore[override]  # typed as a mere attribute
        return self.unguarded.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]  # typed as a mere attribute
        return self.unguarded.errors


def _passed(found: re.Match[str], *, coloured: bool) -> str:
    if found[1] and coloured:
        return found[1]
    return "".join(f"\\u{ord(char):04x}" if _CONTROL.match(char) else char for char in found[0])


def guard(stream: TextIO) -> TextIO:
    """The stream behind a guard."""
    return cast("TextIO", Guarded(stream))


def unguarded(stream: TextIO) -> TextIO:
    """The stream without its guard, for a progress line, which moves the cursor. Write only text made visible to it."""
    return stream.unguarded if isinstance(stream, Guarded) else stream
