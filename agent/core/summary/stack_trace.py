"""Stack trace: the end of a long text and the line that names the error."""

from agent.core.failure import StackTrace
from agent.core.summary.key_line import key_lines

TAIL_LINES = 10
"""Texts with more lines are summarised by their last ones (seed "Enhanced failure debug info")."""


def summarise_trace(text: str) -> StackTrace | None:
    """The last 10 lines and the key line of a text of more than 10; ``None`` for a shorter one."""
    lines = text.removesuffix("\n").split("\n")
    if len(lines) <= TAIL_LINES:
        return None
    found = key_lines(text)
    return StackTrace(
        tail="\n".join(lines[-TAIL_LINES:]),
        key_line=found[0].text if found else "",
        line_count=len(lines),
        candidates=found,
    )
