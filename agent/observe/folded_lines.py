"""Lines of a log that carry several lines inside a quoted text, as loggers of Go and JSON loggers write them.

A traceback or the words of git are one line then, and no pattern that looks at the start of a line finds them. Only
log tails are unfolded: a termination message stays as the container wrote it, because rule files in file order give
what Armada gives.
"""

import re
from typing import Final

from msgspec.structs import replace

from agent.core.evidence import LogTail

_NEWLINE: Final = "\\n"
_ESCAPED: Final = re.compile(r'\\([nrt"\\])')
_MEANING: Final = {"n": "\n", "r": "", "t": "\t", '"': '"', "\\": "\\"}


def unfolded(tail: LogTail) -> LogTail:
    """The tail with the lines inside its quoted texts as lines of their own."""
    if _NEWLINE not in tail.text:
        return tail
    return replace(tail, text="\n".join(map(_unfolded, tail.text.split("\n"))))


def _unfolded(line: str) -> str:
    """The line as it is, unless a newline is escaped behind a quote: elsewhere it may be a path of Windows."""
    before, newline, _ = line.partition(_NEWLINE)
    return _ESCAPED.sub(_meaning, line) if newline and '"' in before else line


def _meaning(escaped: re.Match[str]) -> str:
    return _MEANING[escaped[1]]
