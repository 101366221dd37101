"""Stack trace: the end of a long text and the line that names the error."""

import re2

from agent.core.failure import StackTrace

TAIL_LINES = 10
"""Texts of more lines are summarised by their last ones (seed "Enhanced failure debug info")."""

_KEY_LINE = re2.compile(
    r"(?m)^(?:"
    r"[A-Za-z_][\w.$]*(?:Error|Exception|Exit|Interrupt|Timeout|Failure|Panic)(?:Group)?(?::[^\n]*)?"  # Python, Java
    r"|Caused by: [^\n]*"  # Java
    r"|Exception in thread [^\n]*"  # Java
    r"|panic: [^\n]*"  # Go
    r"|thread '[^'\n]*' panicked at [^\n]*"  # Rust
    r"|[^\n]*\b(?i:fatal error)\b[^\n]*"  # Go runtime, compilers, MPI
    r")[ \t]*$"
)


def summarise_trace(text: str) -> StackTrace | None:
    """The last 10 lines and the key line of a text of more than 10; ``None`` for a shorter one.

    The key line is the last that names an error (Python, Java, Go, Rust, ``fatal error``), else the last
    that is not empty.
    """
    if text.count("\n") < TAIL_LINES:
        return None
    lines = text.removesuffix("\n").split("\n")
    if len(lines) <= TAIL_LINES:
        return None
    return StackTrace(tail="\n".join(lines[-TAIL_LINES:]), key_line=_key_line(text, lines), line_count=len(lines))


def _key_line(text: str, lines: list[str]) -> str:
    named: list[str] = [found.group() for found in _KEY_LINE.finditer(text)]
    if named:
        return named[-1].rstrip()
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
