"""Stack trace: the end of a long text and the line that names the error."""

from agent.core.failure import StackTrace
from agent.core.summary.key_line import key_lines

TAIL_LINES = 10
"""Texts with more lines are summarised by their last ones (armadaproject/armada#4713)."""


def summarise_trace(text: str) -> StackTrace | None:
    """The last 10 lines and the key line of a text of more than 10; ``None`` for a shorter one."""
    above, *tail = text.removesuffix("\n").rsplit("\n", TAIL_LINES)
    if len(tail) < TAIL_LINES:
        return None
    found = key_lines(text)
    return StackTrace(
        tail="\n".join(tail),
        key_line=found[0].text if found else "",
        line_count=above.count("\n") + 1 + TAIL_LINES,
        candidates=found,
    )
