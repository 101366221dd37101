"""Stack trace: the end of a long text and the line that names the error."""

import re

from agent.core.failure import StackTrace

TAIL_LINES = 10
"""Texts with more lines are summarised by their last ones (seed "Enhanced failure debug info")."""

_KEY_LINE = re.compile(
    r"[A-Za-z_][\w.$]*(?:Error|Exception|Exit|Interrupt|Timeout|Failure|Panic)(?:Group)?(?::.*)?\s*$"  # Python, Java
    r"|Caused by: |Exception in thread "  # Java
    r"|panic: |thread '[^']*' panicked at "  # Go, Rust
)
_FATAL = "fatal error"
"""The Go runtime, compilers and MPI print this anywhere in a line."""
_INDENTS = " \t"
"""Frames and source lines, which are most of a trace, are indented; lines that name the error are not."""


def summarise_trace(text: str) -> StackTrace | None:
    """The last 10 lines and the key line of a text of more than 10; ``None`` for a shorter one.

    The key line is the last one that names an error (Python, Java, Go, Rust, ``fatal error``), else the last
    line that is not empty.
    """
    lines = text.removesuffix("\n").split("\n")
    if len(lines) <= TAIL_LINES:
        return None
    last = lines[-TAIL_LINES:]
    return StackTrace(tail="\n".join(last), key_line=_named(lines) or _last_filled(last), line_count=len(lines))


def _named(lines: list[str]) -> str:
    for line in reversed(lines):
        first = line[:1]
        if first not in _INDENTS and not first.isspace() and _names_an_error(line):
            return line.strip()
    return ""


def _last_filled(lines: list[str]) -> str:
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _names_an_error(line: str) -> bool:
    return _KEY_LINE.match(line) is not None or _FATAL in line.lower()
